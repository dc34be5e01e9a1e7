"""Who makes the first step of a place on its way to a value: small graphs by hand."""

from __future__ import annotations

from quorbit.model.dependence.ways import first_steps, nearest_gates


def set_of(*values: int) -> frozenset[int]:
    return frozenset(values)


LOOP = {  # 0 -> 1 -> 2 -> 0, and 1 -> 3, where it ends
    (set_of(0), set_of(1)): 0b0001,
    (set_of(1), set_of(2)): 0b0010,
    (set_of(2), set_of(0)): 0b0100,
    (set_of(1), set_of(3)): 0b1000,
}
LOCATIONS = set_of(0, 1, 2, 3)


def test_a_process_leaves_where_it_is_by_a_way_that_leads_on() -> None:
    assert first_steps(LOOP, LOCATIONS, set_of(2)) == {0: 0b0001, 1: 0b0010, 3: 0}
    assert first_steps(LOOP, LOCATIONS, set_of(3)) == {0: 0b0001, 1: 0b1010, 2: 0b0100}


def test_a_step_that_may_stay_counts_as_a_step_to_elsewhere() -> None:
    changes = {(set_of(0), set_of(0, 1)): 0b01, (set_of(0), set_of(0)): 0b10}
    assert first_steps(changes, set_of(0, 1), set_of(1)) == {0: 0b01}


def test_an_effect_that_is_not_known_may_lead_anywhere() -> None:
    changes = {(set_of(0), None): 0b01, (set_of(1), set_of(2)): 0b10}
    assert first_steps(changes, set_of(0, 1, 2), set_of(2)) == {0: 0b01, 1: 0b10}


def test_a_place_that_anyone_may_set_has_no_ways() -> None:
    assert first_steps({(set_of(0, 1, 2), set_of(1)): 0b1}, set_of(0, 1, 2), set_of(1)) is None
    assert first_steps({(None, set_of(1)): 0b1}, set_of(0, 1, 2), set_of(1)) is None


def test_gates_are_looked_for_through_steps_that_wait_for_nothing_else() -> None:
    """Locations 0 -> 1 -> 2 -> 3, test t asks for location t; case k goes from k to k + 1, and all but case 1 wait for
    nothing else."""
    last, alone = [0, 0b001, 0b010, 0b100], {0: 0b001, 2: 0b100}
    assert nearest_gates([1, 2, 3], last, alone) == {1: 0b001, 2: 0b010, 3: 0b010}
    assert nearest_gates([2, 3], last, {**alone, 1: 0b010}) == {2: 0b010, 3: 0b010}  # case 1 can happen at location 1
    assert nearest_gates([1, 2, 3], last, {**alone, 1: 0b010}) == {1: 0b001, 2: 0b001, 3: 0b001}


def test_gates_of_a_loop_are_those_at_which_it_is_entered() -> None:
    """0 -> 1 <-> 2: cases 0, 1 and 2 go from 0 to 1, from 1 to 2 and back."""
    last, alone = [0, 0b101, 0b010], {0: 0b001, 1: 0b010, 2: 0b100}
    assert nearest_gates([1, 2], last, alone) == {1: 0b001, 2: 0b001}
