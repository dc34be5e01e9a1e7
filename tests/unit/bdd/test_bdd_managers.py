"""Both BDD libraries behind the interface, against truth tables."""

from __future__ import annotations

import random
from itertools import product

import pytest

from quorbit.bdd.function import Manager
from quorbit.bdd.open import is_installed, open_manager
from quorbit.source.errors import UserError

LIBRARIES = [library for library in ("oxidd", "cudd") if is_installed(library)]
N = 4


def table(m: Manager, f: object) -> tuple[bool, ...]:
    """The truth table of f over the first N variables."""
    rows = []
    for row in product((False, True), repeat=N):
        cube = m.conjunction(m.variable(i) if value else ~m.variable(i) for i, value in enumerate(row))
        rows.append(f & cube != m.false)  # type: ignore[operator]
    return tuple(rows)


def random_function(m: Manager, rng: random.Random) -> object:
    rows = [row for row in product((False, True), repeat=N) if rng.random() < 0.5]
    return m.disjunction(
        m.conjunction(m.variable(i) if v else ~m.variable(i) for i, v in enumerate(row)) for row in rows
    )


@pytest.mark.parametrize("library", LIBRARIES)
def test_operations_agree_with_truth_tables(library: str) -> None:
    rng = random.Random(library)
    m = open_manager(library)
    m.add_variables(N)
    rows = list(product((False, True), repeat=N))
    for _ in range(20):
        f, g = random_function(m, rng), random_function(m, rng)
        tf, tg = table(m, f), table(m, g)
        assert table(m, f & g) == tuple(a and b for a, b in zip(tf, tg, strict=True))
        assert table(m, m.choose(f, g, ~g)) == tuple(b if a else not b for a, b in zip(tf, tg, strict=True))
        assert m.count(f, N) == sum(tf)
        over = m.variables([1, 3])
        expected = tuple(
            any(t for t, other in zip(tf, rows, strict=True) if (other[0], other[2]) == (row[0], row[2]))
            for row in rows
        )
        assert table(m, m.exists(f, over)) == expected
        assert m.and_exists(f, g, over) == m.exists(f & g, over)
        assert m.forall(f, over) == ~m.exists(~f, over)
        swapped = m.substitute(f, m.rename({0: 1, 1: 0}))
        assert table(m, swapped) == tuple(tf[rows.index((row[1], row[0], *row[2:]))] for row in rows)


@pytest.mark.parametrize("library", LIBRARIES)
def test_support_and_least_assignment(library: str) -> None:
    m = open_manager(library)
    m.add_variables(N)
    a, b, c, _ = (m.variable(i) for i in range(N))
    f = (a & c) | (~a & c & b)
    assert m.support(f) == (0, 1, 2)
    assert m.support((a & b) | (a & ~b)) == (0,)
    assert m.pick(f, range(N)) == {0: False, 1: True, 2: True, 3: False}
    assert m.pick(f, [3, 2, 1, 0]) == {3: False, 2: True, 1: False, 0: True}
    assert m.size(f) > 1
    assert m.nodes() > 0


@pytest.mark.parametrize("library", LIBRARIES)
def test_counts_are_exact_beyond_floating_point(library: str) -> None:
    m = open_manager(library)
    m.add_variables(120)
    assert m.count(m.true & ~m.variable(5), 120) == 2**119
    assert m.count(~(m.variable(0) & m.variable(1)), 120) == 3 * 2**118


def test_unknown_library_and_impossible_wish_are_refused() -> None:
    with pytest.raises(UserError, match="no BDD library"):
        open_manager("buddy")
    with pytest.raises(UserError, match="does not reorder"):
        open_manager("oxidd", reorder=True)
