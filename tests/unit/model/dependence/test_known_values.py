"""The values that expressions and places may have, and the commands that only begin."""

from __future__ import annotations

import pytest

from quorbit.model.dependence.abstract import values_of
from quorbit.model.dependence.access import Reader
from quorbit.model.dependence.beginning import beginning
from quorbit.model.dependence.possible import possible_values
from quorbit.model.system.command import Command, assign
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Bound,
    Condition,
    Expr,
    Interval,
    Operator,
    Parameter,
    Read,
    equal,
    number,
)
from quorbit.model.system.system import System, Variable
from quorbit.model.system.types import Number

SMALL = Number(0, 3)
X, Y, AT = Read("x"), Read("y"), Read("pc")
VARIABLES = tuple(Variable(name, SMALL) for name in ("x", "y", "pc"))
SYSTEM = System("values", (), VARIABLES, ())
SURE, NEVER, PERHAPS = equal(Y, number(1)), equal(X, number(3)), equal(X, number(1))
VALUES: list[tuple[Expr, set[int]]] = [
    (equal(X, Y), {0, 1}),
    (SURE, {1}),
    (NEVER, {0}),
    (Apply(Operator.AND, (SURE, PERHAPS)), {0, 1}),
    (Apply(Operator.AND, (PERHAPS, SURE)), {0, 1}),
    (Apply(Operator.AND, (PERHAPS, NEVER)), {0}),
    (Apply(Operator.OR, (PERHAPS, NEVER)), {0, 1}),
    (Apply(Operator.OR, (PERHAPS, SURE)), {1}),
    (Condition(PERHAPS, number(2), number(3)), {2, 3}),
    (Condition(SURE, number(2), number(3)), {2}),
]


@pytest.mark.parametrize(("e", "expected"), VALUES)
def test_the_values_that_an_expression_may_have(e: Expr, expected: set[int]) -> None:
    """x is 0 or 1, y is 1."""
    reader = Reader(SYSTEM)
    known = {i: frozenset((0, 1) if SYSTEM.places[i].variable == "x" else (1,)) for i in range(2)}
    assert values_of(reader, e, known.get) == expected


def test_every_choice_of_the_start_is_possible() -> None:
    start = Command("start", TRUE, (assign((X, Bound("v"))),), (Parameter("v", Interval(0, 2)),))
    system = System("starts", (), VARIABLES, (Command("step", equal(X, Y), (assign((Y, X)),)),), start=(start,))
    assert possible_values(system, ())[0] == {0, 1, 2}


def going(*pairs: tuple[int, int]) -> frozenset[int]:
    """The commands that only begin, of those that go from one location to another."""
    commands = tuple(Command(f"{a} {b}", equal(AT, number(a)), (assign((AT, number(b))),)) for a, b in pairs)
    return beginning(Reader(System("going", (), VARIABLES, commands)))


def test_what_begins_runs_once_and_before_all_others() -> None:
    assert going((0, 1), (1, 2), (2, 1)) == {0}
    assert going((0, 1), (1, 2), (2, 0)) == frozenset()
    assert going((0, 1), (0, 2), (1, 2)) == frozenset()
