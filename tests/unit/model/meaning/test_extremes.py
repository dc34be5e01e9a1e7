"""The greatest or least of several values, written as conditions."""

from __future__ import annotations

from quorbit.model.meaning.extremes import extreme
from quorbit.model.system.expression import Apply, Condition, Expr, Operator, Read, number

A, B, C = (Read(name, (), ()) for name in "abc")


def kept(test: Operator, a: Expr, b: Expr, then: Expr, other: Expr) -> Expr:
    return Condition(Apply(test, (a, b)), then, other)


def test_chains_of_conditions() -> None:
    greater = kept(Operator.LESS, A, B, B, A)
    assert extreme(greater) == (Operator.MAXIMUM, (A, B))
    assert extreme(kept(Operator.LESS, greater, C, C, greater)) == (Operator.MAXIMUM, (A, B, C))
    assert extreme(kept(Operator.LESS_EQUAL, number(0), greater, greater, number(0))) == (
        Operator.MAXIMUM,
        (number(0), A, B),
    )
    assert extreme(kept(Operator.LESS, greater, C, greater, C)) == (Operator.MINIMUM, (greater, C))


def test_other_conditions_are_none() -> None:
    assert extreme(kept(Operator.LESS, A, B, B, C)) is None
    assert extreme(kept(Operator.EQUAL, A, B, B, A)) is None
    assert extreme(Apply(Operator.LESS, (A, B))) is None
