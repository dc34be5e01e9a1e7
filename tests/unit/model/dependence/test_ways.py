"""Who makes the first step of a place on its way to a value: small graphs by hand."""

from __future__ import annotations

from quorbit.model.dependence.ways import first_steps


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
