"""Comparisons of a field with a number, as the runtime is told of them: a range of values, modulo 64 bits."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from quorbit.machine.partial_order import ALL, range_decided, range_of
from quorbit.model.dependence.decided import Decided
from quorbit.model.system.expression import Apply, Expr, Operator, Read, number

READ = Read("v", (), ())
COMPARISONS: dict[str, tuple[Callable[[int], Expr], Callable[[int, int], bool]]] = {
    "less": (lambda n: Apply(Operator.LESS, (READ, number(n))), lambda v, n: v < n),
    "greater": (lambda n: Apply(Operator.LESS, (number(n), READ)), lambda v, n: n < v),
}


def holds(found: tuple[int, int], v: int, low: int) -> bool:
    """What runtime/search/stubborn.c does with it."""
    first, more = (found[0] - low) % ALL, found[1]
    assert 0 <= more < ALL
    return (v - low - first) % ALL <= more


@pytest.mark.parametrize("name", COMPARISONS)
@pytest.mark.parametrize("values", [range(8), range(-4, 4), range(3, 5)])
def test_a_comparison_holds_at_the_values_of_its_range(name: str, values: range) -> None:
    build, compare = COMPARISONS[name]
    for n in (*range(-8, 12), 1 << 70, -1 << 70):
        found = range_of(build(n), values)
        negated = range_of(Apply(Operator.NOT, (build(n),)), values)
        if found is None or negated is None:
            assert found is negated is None
            assert not any(compare(v, n) for v in values)
            continue
        for v in values:
            assert holds(found, v, values[0]) is compare(v, n), (n, v)
            assert holds(negated, v, values[0]) is not compare(v, n), (n, v)


def test_other_conditions_are_left_to_programs() -> None:
    assert range_of(Apply(Operator.EQUAL, (READ, READ)), range(8)) is None


@pytest.mark.parametrize("is_so", [True, False])
@pytest.mark.parametrize("decides", [{3}, {0, 1, 2}, {3, 4, 99}, {-4, -3}, {1, 3}, {8}, set[int]()])
@pytest.mark.parametrize("values", [range(8), range(-4, 4)])
def test_values_that_follow_each_other_are_a_range(decides: set[int], is_so: bool, values: range) -> None:
    decided = Decided(0, frozenset(decides), is_so)
    found = range_decided(decided, values)
    inside = sorted(decides & set(values))
    if found is None:
        assert not inside or inside[-1] - inside[0] >= len(inside)
    for v in values if found is not None else ():
        assert holds(found, v, values[0]) is decided.holds_for(v)
