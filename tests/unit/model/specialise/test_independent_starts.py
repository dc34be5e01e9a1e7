"""The states of a start whose choices do not meet, against trying all choices."""

from __future__ import annotations

from itertools import product

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.languages.circuits.blif.parse import parse
from quorbit.machine.compile.packing import lay_out, pack_states, pack_ways
from quorbit.model.meaning.evaluate import Meaning
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
    equal,
    negation,
    number,
)
from quorbit.model.system.system import Atom, State, System, Variable
from quorbit.model.system.types import AtomOf, Number, SetOf
from quorbit.netlists.flatten import flatten
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import prepare
from quorbit.source.span import Source

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


def just_one(*choices: Expr) -> Expr:
    return equal(Apply(Operator.ADD, choices), number(1))


GUARDS = [
    TRUE,
    chosen(1, "x"),
    negation(TRUE),
    Apply(Operator.AND, (just_one(chosen(0, "x"), chosen(0, "y")), chosen(2, "y"))),
    Apply(Operator.AND, tuple(just_one(chosen(a, "x"), chosen(a, "y")) for a in ATOMS)),
    Apply(Operator.AND, (just_one(*(chosen(a, "x") for a in ATOMS)), negation(chosen(1, "y")))),  # joins all places
    Apply(Operator.AND, (chosen(1, "x"), negation(chosen(1, "x")))),  # nothing is allowed
]


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("values", CASES)
def test_the_product_is_what_all_choices_give(values: list[Expr], guard: Expr) -> None:
    system = system_with(values, guard)
    meaning = Meaning(system)
    found = meaning.initial_states()
    assert meaning.starting_ways() is not None
    assert len(found) == len(set(found))
    assert set(found) == by_trial(system)


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("values", CASES)
def test_states_are_packed_without_being_listed(values: list[Expr], guard: Expr) -> None:
    system = system_with(values, guard)
    layout, meaning = lay_out(system), Meaning(system)
    ways = meaning.starting_ways()
    assert ways is not None
    assert pack_ways(layout, *ways) == pack_states(layout, meaning.initial_states())


def test_other_starts_are_tried_choice_by_choice() -> None:
    size = Apply(Operator.SIZE, (Bound("x"),))
    counting = system_with([size, number(0), number(0)])
    guarded = system_with([chosen(a, "x") for a in ATOMS], equal(size, number(2)))
    for system in (counting, guarded):
        meaning = Meaning(system)
        assert meaning.starting_ways() is None
        assert set(meaning.initial_states()) == by_trial(system)


def test_decoded_fields_that_start_with_any_value_are_a_product() -> None:
    """Twelve cells of three values: 2^72 choices of sets, 3^12 states."""
    n = 12
    lines = [".model ring", f".mv {', '.join(f's{i}, n{i}' for i in range(n))} 3", ".inputs go"]
    for i in range(n):
        lines += [f".table go s{i} s{(i - 1) % n} -> n{i}", f".default =s{i}", "1 0 1 1", "1 1 2 2", "1 2 0 0"]
        lines += [f".latch n{i} s{i}", f".reset s{i}", "(0,1,2)"]
    netlist = flatten(parse(Source("ring.mv", "\n".join([*lines, ".end", ""])), False))
    case = prepare(system_of(netlist, []), (), CheckOptions())
    ways = Meaning(case.system).starting_ways()
    assert ways is not None
    assert [len(group) for group in ways[1]] == [3] * n
