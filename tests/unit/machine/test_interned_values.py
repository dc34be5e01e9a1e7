"""The table of interned values and the functions that are evaluated once."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from quorbit.engines.explicit.explore import explore
from quorbit.machine.compile.packing import lay_out
from quorbit.machine.interned import ValueTable
from quorbit.machine.options import SearchOptions
from quorbit.model.system.command import Command, assign
from quorbit.model.system.expression import (
    Apply,
    Bound,
    Elements,
    Expr,
    Literal,
    Operator,
    Parameter,
    Read,
    conjunction,
    equal,
    number,
)
from quorbit.model.system.system import Invariant, System, Variable
from quorbit.model.system.types import INTEGER, Number, SetOf, Value
from quorbit.result.outcome import Verdict

O = Operator
VALUES = st.recursive(
    st.integers(-(2**63), 2**63 - 1),
    lambda inner: st.lists(inner, max_size=4).map(tuple) | st.frozensets(inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=60)
@given(st.lists(VALUES, min_size=1, max_size=6))
def test_equal_values_have_equal_numbers(values: list[Value]) -> None:
    table = ValueTable()
    numbers = [table.number_of(value) for value in values]
    assert [table.read(n) for n in numbers] == values
    assert len(set(numbers)) == len(set(values))


@settings(max_examples=30)
@given(st.lists(VALUES, min_size=1, max_size=4))
def test_values_are_restored_with_their_numbers(values: list[Value]) -> None:
    table, again = ValueTable(), ValueTable()
    numbers = [table.number_of(value) for value in values]
    assert again.restore(0, table.nodes_from(0))
    assert [again.value_of(n) for n in numbers] == values
    assert not again.restore(1, table.nodes_from(0))


def collecting(most: int) -> System:
    """A set of large numbers that grows."""
    grown: Expr = Apply(O.UNION, (Read("s"), Apply(O.SET, (Apply(O.MULTIPLY, (Read("n"), number(10**6))),))))
    grow = Command(
        "grow", Apply(O.LESS, (Read("n"), number(most))), (assign((Read("s"), grown), (Read("n"), one_more())),)
    )
    few = Invariant("few", Apply(O.LESS, (Apply(O.SIZE, (Read("s"),)), number(4))))
    return System(
        "collect", (), (Variable("s", SetOf(INTEGER)), Variable("n", Number(0, 50))), (grow,), properties=(few,)
    )


def one_more() -> Expr:
    return Apply(O.ADD, (Read("n"), number(1)))


def test_sets_without_bounds_are_stored_and_shown() -> None:
    system = collecting(10)
    outcome = explore(system, system.properties, options=SearchOptions(native=False))
    assert outcome.verdict is Verdict.FAILS
    assert outcome.trace is not None
    assert outcome.trace.steps[-1].state[0] == frozenset({0, 10**6, 2 * 10**6, 3 * 10**6})


def test_subsets_are_gone_through_without_a_set_of_them() -> None:
    whole = Literal(frozenset(range(12)), SetOf(Number(0, 11)))
    chosen = Parameter(
        "x", Elements(Apply(O.POWERSET, (Apply(O.DIFFERENCE, (whole, Read("s"))),)), SetOf(Number(0, 11)))
    )
    x = Bound("x")
    guard = conjunction([equal(Apply(O.SIZE, (x,)), number(2)), equal(Apply(O.SIZE, (Read("s"),)), number(0))])
    take = Command("take", guard, (assign((Read("s"), x)),), (chosen,))
    system = System("subsets", (), (Variable("s", SetOf(Number(0, 11))),), (take,))
    assert explore(system, (), options=SearchOptions(native=False)).statistics.states == 1 + 66
    assert not lay_out(system).table.is_open
