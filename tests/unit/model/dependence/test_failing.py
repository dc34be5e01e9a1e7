"""Where an index is outside of its array: the conditions hold just where evaluating fails, and who would look there
cannot run."""

from __future__ import annotations

from itertools import product

import pytest

from quorbit.model.dependence.abstract import known_from
from quorbit.model.dependence.access import Reader
from quorbit.model.dependence.addresses import Address, has_no_value, misses
from quorbit.model.dependence.failing import failing_where
from quorbit.model.dependence.faults import Faults
from quorbit.model.dependence.split import Splitter
from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.system.expression import Apply, Expr, Operator, Read, Use, atom, conjunction, equal, negation, number
from quorbit.model.system.system import Atom, Definition, State, System, Variable
from quorbit.model.system.types import AtomOf, Number

SYSTEM = System(
    "index",
    (Atom("P0", "process"), Atom("P1", "process")),
    (Variable("i", Number(-1, 3)), Variable("a", Number(0, 1), (), (2,)), Variable("who", AtomOf((0, 1)))),
    (),
    definitions=(Definition("d", number(1), (0,)), Definition("d", number(2), (1,))),
)
READER = Reader(SYSTEM)
SPLITTER, FAULTS = Splitter(READER, known_from({})), Faults(READER, known_from({}))
STATES: list[State] = [(i, *a, 0) for i, *a in product(range(-1, 4), (0, 1), (0, 1))]
I, LESS_ONE = Read("i"), Apply(Operator.SUBTRACT, (Read("i"), number(1)))
AT, BEFORE = Read("a", (), (I,)), Read("a", (), (LESS_ONE,))
IS_ONE = equal(AT, number(1))


def either(*operands: Expr) -> Expr:
    return Apply(Operator.OR, operands)


def fails(e: Expr, s: State) -> bool:
    try:
        Meaning(SYSTEM).value_of(e)(s, {})
    except Fault:
        return True
    return False


@pytest.mark.parametrize(
    "e",
    [
        IS_ONE,
        negation(equal(BEFORE, number(0))),
        either(equal(I, number(0)), equal(BEFORE, number(1))),
        either(equal(I, number(2)), IS_ONE),
        conjunction([equal(Read("a", (), (number(0),)), number(1)), IS_ONE]),
        Apply(Operator.LESS, (number(0), Apply(Operator.ADD, (number(1), AT)))),
    ],
)
def test_the_conditions_hold_just_where_there_is_no_value(e: Expr) -> None:
    found = failing_where(SPLITTER, FAULTS, e)
    assert found is not None
    for s in STATES:
        assert all(Meaning(SYSTEM).value_of(c)(s, {}) for c in found) == fails(e, s), s


def test_two_that_may_fail_are_left_to_evaluation() -> None:
    assert failing_where(SPLITTER, FAULTS, either(IS_ONE, equal(BEFORE, number(1)))) is None
    assert failing_where(SPLITTER, FAULTS, equal(Read("a", (), (AT,)), number(1))) is None


@pytest.mark.parametrize(
    ("e", "certain"),
    [
        (IS_ONE, True),
        (either(equal(I, number(1)), IS_ONE), True),
        (either(equal(I, number(2)), IS_ONE), False),
        (conjunction([IS_ONE, equal(I, number(2))]), True),
        (conjunction([equal(I, number(2)), IS_ONE]), False),
        (equal(I, number(2)), False),
    ],
)
def test_what_looks_at_a_missing_place_has_no_value(e: Expr, certain: bool) -> None:
    address = Address(I, (number(0), number(1)), True)
    assert has_no_value(e, address) is certain
    missing = [s for s in STATES if Meaning(SYSTEM).value_of(misses(address))(s, {})]
    assert {fails(e, s) for s in missing} == (
        {True} if certain else {False, True} if e != equal(I, number(2)) else {False}
    )


def test_a_definition_is_folded_only_if_its_owners_are_written_down() -> None:
    assert SPLITTER.folded(Use("d", (atom(1),))) == number(2)
    assert SPLITTER.folded(Use("d", (Read("who"),))) == Use("d", (Read("who"),))
