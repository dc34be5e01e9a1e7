"""The parts of the solver that know no B: cells, guesses, sums."""

from __future__ import annotations

from itertools import product

import pytest

from quorbit.languages.b.solver import guesses, linear
from quorbit.languages.b.solver.cells import Constraint, Domains, solutions
from quorbit.languages.b.solver.guesses import Between, Span
from quorbit.languages.b.solver.linear import Sum


def found(domains: Domains, tests: list[Constraint]) -> set[tuple[int, ...]]:
    rows = [tuple(d[0] for d in row) for row in map(list, solutions(domains, tests))]
    assert len(rows) == len(set(rows))
    return set(rows)


def of_sum(s: Sum, kind: str) -> Constraint:
    decide, prune = {
        "=": (linear.decide_equal, linear.prune_equal),
        "/=": (linear.decide_unequal, linear.prune_unequal),
        "<=": (linear.decide_less, linear.prune_less),
    }[kind]
    return Constraint(tuple(cell for cell, _ in s.factors), decide(s), prune(s), kind == "/=")


@pytest.mark.parametrize("kind", ["=", "/=", "<="])
@pytest.mark.parametrize("factors", [(1, 1), (1, -1), (2, -3), (-1, -2)])
@pytest.mark.parametrize("plus", [-3, 0, 4])
def test_sums_leave_what_satisfies_them(kind: str, factors: tuple[int, int], plus: int) -> None:
    holds = {"=": int.__eq__, "/=": int.__ne__, "<=": int.__le__}[kind]
    wanted = {(x, y) for x, y in product(range(-2, 4), repeat=2) if holds(factors[0] * x + factors[1] * y + plus, 0)}
    domain = tuple(range(-2, 4))
    assert found([domain, domain], [of_sum(Sum(((0, factors[0]), (1, factors[1])), plus), kind)]) == wanted


def test_queens() -> None:
    n = 6
    tests = [
        of_sum(Sum(((i, 1), (j, -1)), apart), "/=") for i in range(n) for j in range(i) for apart in (0, i - j, j - i)
    ]
    assert len(found([tuple(range(n))] * n, tests)) == 4


def test_a_test_without_a_rule_of_its_own_takes_values_out_one_by_one() -> None:
    def decide(d: Domains) -> bool | None:
        values = {x * y for x in d[0] for y in d[1]}
        return None if 6 in values and len(values) > 1 else 6 in values

    assert found([(1, 2, 3), (1, 2, 3)], [Constraint((0, 1), decide)]) == {(2, 3), (3, 2)}


def test_an_empty_domain_has_no_solution() -> None:
    assert found([(1,), ()], []) == set()


def test_what_is_known_of_numbers() -> None:
    assert guesses.add((1, 2), (10, 20)) == (11, 12, 21, 22)
    assert guesses.add(Span(0, None), (1, 2)) == Span(1, None)
    assert guesses.multiply(Span(2, None), Span(3, None)) == Span(6, None)
    assert guesses.multiply(Span(-2, 3), Span(-5, 7)) == Span(-15, 21)
    assert guesses.less((1, 2), (2, 3), 0) is True
    assert guesses.less(Span(4, None), (1, 3), 0) is False
    assert guesses.less((1, 3), (2, 4), 0) is None


def test_what_is_known_of_sets() -> None:
    s = Between(frozenset({1}), frozenset({1, 2}))
    assert guesses.contains(s, (1,)) is True
    assert guesses.contains(s, (3,)) is False
    assert guesses.contains(s, (2,)) is None
    assert guesses.is_subset(s, (frozenset({1, 2, 3}),)) is True
    assert guesses.is_subset((frozenset({3}),), s) is False
    assert guesses.equal(s, (frozenset({2}),)) is False
    assert guesses.join((frozenset({1}),), s) == Between(frozenset({1}), frozenset({1, 2}))
