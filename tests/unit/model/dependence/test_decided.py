"""Tests that one place decides, compared with their meaning for every value."""

from __future__ import annotations

import pytest

from quorbit.model.dependence.access import Reader
from quorbit.model.dependence.decided import decided_by
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.expression import Apply, Expr, Operator, Read, conjunction, equal, negation, number
from quorbit.model.system.system import System, Variable
from quorbit.model.system.types import Number, Truth

SYSTEM = System("places", (), (Variable("v", Number(-2, 6)), Variable("b", Truth()), Variable("w", Number(0, 1))), ())
V, B, W = Read("v"), Read("b"), Read("w")
LESS_ONE = Apply(Operator.SUBTRACT, (V, number(1)))
DECIDED = [
    equal(V, number(3)),
    equal(number(3), V),
    negation(equal(V, number(3))),
    equal(LESS_ONE, number(3)),
    conjunction([negation(equal(V, number(3))), negation(equal(LESS_ONE, number(0)))]),
    conjunction([equal(V, number(3)), negation(equal(V, number(2)))]),
    conjunction([negation(equal(V, number(3))), equal(V, number(3))]),
    B,
    negation(B),
]


@pytest.mark.parametrize("e", DECIDED)
def test_a_test_holds_for_the_values_that_decide_it(e: Expr) -> None:
    found = decided_by(Reader(SYSTEM), e)
    assert found is not None
    value_of = Meaning(SYSTEM).value_of(e)
    for value in (0, 1) if SYSTEM.places[found.place].type == Truth() else range(-2, 7):
        s = tuple(value if i == found.place else 0 for i in range(3))
        assert found.holds_for(value) == bool(value_of(s, {}))


@pytest.mark.parametrize("e", [W, equal(V, W), conjunction([equal(V, number(1)), equal(W, number(1))])])
def test_what_another_place_or_a_number_decides_is_left_alone(e: Expr) -> None:
    assert decided_by(Reader(SYSTEM), e) is None
