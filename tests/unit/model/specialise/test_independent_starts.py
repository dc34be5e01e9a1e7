"""The states of a start whose choices do not meet, against trying all choices."""

from __future__ import annotations

from itertools import product

import pytest

from quorbit.machine.compile.packing import lay_out, pack_states, pack_ways
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.specialise.independent import independent_ways
from quorbit.model.system.command import Assign, Command, Together
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Bound,
    Condition,
    Elements,
    Expr,
    Operator,
    Parameter,
    Read,
    atom,
    negation,
    number,
)
from quorbit.model.system.system import Atom, State, System, Variable
from quorbit.model.system.types import AtomOf, Number, SetOf

ATOMS = (0, 1, 2)


def choice(name: str, atoms: tuple[int, ...] = ATOMS) -> Parameter:
    subsets = Apply(Operator.POWERSET, (Apply(Operator.SET, tuple(atom(a) for a in atoms)),))
    return Parameter(name, Elements(subsets, SetOf(AtomOf(atoms))))


def chosen(a: int, name: str) -> Expr:
    return Apply(Operator.MEMBER, (atom(a), Bound(name)))


def system_with(values: list[Expr], guard: Expr = TRUE, targets: tuple[int, ...] = ATOMS) -> System:
    place = Variable("q", Number(0, 3), (ATOMS,))
    assigns = tuple(Assign(Read("q", (atom(a),)), value) for a, value in zip(targets, values, strict=True))
    start = Command("start", guard, (Together(assigns),), (choice("x"), choice("y")))
    return System("s", tuple(Atom(f"a{a}", "latch") for a in ATOMS), (place,), (), (start,))


def by_trial(system: System) -> set[State]:
    """All choices, one by one."""
    meaning = Meaning(system)
    blank = (0,) * 3
    sets = [frozenset(a for a, taken in zip(ATOMS, bits, strict=True) if taken) for bits in product((0, 1), repeat=3)]
    found = set()
    for x, y in product(sets, sets):
        env = {"x": x, "y": y}
        if meaning.value_of(system.start[0].guard)(blank, env):
            found.add(meaning.run_effect(system.start[0], blank, env))
    return found


def three_valued(a: int) -> Expr:
    return Condition(chosen(a, "y"), number(2), Condition(chosen(a, "x"), number(1), number(0)))


CASES = [
    [three_valued(a) for a in ATOMS],
    [chosen(0, "x"), Condition(chosen(0, "x"), number(3), number(1)), negation(chosen(2, "y"))],  # the first two meet
    [number(2), number(0), chosen(1, "x")],
    [chosen(1, "x"), chosen(2, "y"), Condition(chosen(1, "x"), chosen(2, "y"), number(3))],  # the last joins the others
]


@pytest.mark.parametrize("values", CASES)
def test_the_product_is_what_all_choices_give(values: list[Expr]) -> None:
    system = system_with(values)
    meaning = Meaning(system)
    found = meaning.initial_states()
    assert independent_ways(meaning.run_effect, system.start[0], (0,) * 3) is not None
    assert len(found) == len(set(found))
    assert set(found) == by_trial(system)


@pytest.mark.parametrize("values", CASES)
def test_states_are_packed_without_being_listed(values: list[Expr]) -> None:
    system = system_with(values)
    layout, meaning = lay_out(system), Meaning(system)
    ways = meaning.starting_ways()
    assert ways is not None
    assert pack_ways(layout, *ways) == pack_states(layout, meaning.initial_states())


def test_other_starts_are_tried_choice_by_choice() -> None:
    size = Apply(Operator.SIZE, (Bound("x"),))
    counting = system_with([size, number(0), number(0)])
    guarded = system_with([chosen(a, "x") for a in ATOMS], chosen(1, "x"))
    for system in (counting, guarded):
        meaning = Meaning(system)
        assert meaning.starting_ways() is None
        assert set(meaning.initial_states()) == by_trial(system)
