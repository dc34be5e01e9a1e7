"""Whether a step may turn a condition of many comparisons, of which it touches one."""

from __future__ import annotations

import pytest

from quorbit.model.dependence import turning
from quorbit.model.dependence.abstract import Values
from quorbit.model.dependence.access import Reader
from quorbit.model.dependence.turning import turns
from quorbit.model.system.expression import (
    Apply,
    Condition,
    Expr,
    Operator,
    Read,
    atom,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.system import Atom, System, Variable
from quorbit.model.system.types import Number

ATOMS = tuple(range(12))
SYSTEM = System(
    "many", tuple(Atom(f"P{a}", "process") for a in ATOMS), (Variable("pc", Number(0, 3), (ATOMS,)),), commands=()
)


def turned(e: Expr, before: int, after: int) -> tuple[bool, bool]:
    """By a step that takes the first place from one value to another; of the others nothing is known."""

    def known(value: int):  # type: ignore[no-untyped-def]
        def of(i: int) -> Values:
            return frozenset((value,)) if i == 0 else None

        return of

    return turns(Reader(SYSTEM), e, frozenset((0,)), known(before), known(after))


def is_free(a: int) -> Expr:
    return equal(Read("pc", (atom(a),)), number(0))


NONE_FREE = conjunction([negation(is_free(a)) for a in ATOMS])


def test_a_step_that_keeps_every_comparison_keeps_the_condition() -> None:
    assert turned(NONE_FREE, 2, 3) == (False, False)


def test_a_step_that_changes_one_comparison_may_turn_it() -> None:
    assert turned(NONE_FREE, 0, 1)[0]
    assert turned(NONE_FREE, 1, 0)[1]


def test_a_value_between_the_comparisons_is_not_overlooked() -> None:
    """The sum is no comparison, and the step changes it."""
    total = Apply(Operator.ADD, (Read("pc", (atom(0),)), Read("pc", (atom(1),))))
    e = Apply(Operator.OR, (negation(NONE_FREE), Apply(Operator.LESS, (number(4), total))))
    assert turned(e, 2, 3)[0]


def test_with_too_many_choices_it_may_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turning, "MOST_CHOICES", 0)
    few = conjunction([negation(is_free(a)) for a in ATOMS[:3]])
    assert turned(few, 0, 1)[0]
    assert turned(few, 1, 0)[1]


def test_what_the_comparisons_do_not_tell_may_turn() -> None:
    """Whether an even number of two is free: by an operator that is not looked into."""
    free = [Condition(is_free(a), number(1), number(0)) for a in ATOMS[:2]]
    e = equal(Apply(Operator.MODULO, (Apply(Operator.ADD, tuple(free)), number(2))), number(0))
    assert turned(e, 0, 1) == (True, True)


def test_a_number_beside_the_comparisons_is_not_overlooked() -> None:
    """The step keeps both comparisons and changes the number that is added to them."""
    free = [Condition(is_free(a), number(1), number(0)) for a in ATOMS[:2]]
    e = equal(Apply(Operator.ADD, (free[0], Apply(Operator.ADD, (free[1], Read("pc", (atom(0),)))))), number(3))
    assert turned(e, 2, 3) == (True, True)
