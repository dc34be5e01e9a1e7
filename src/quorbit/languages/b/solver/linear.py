"""Sums of cells compared with numbers: c1 * x1 + c2 * x2 + ... + k against 0. Knows no language.

Their bounds follow from the bounds of the cells at once, so no value has to be tried.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quorbit.languages.b.solver.guesses import Span
from quorbit.source.frozen import frozen

Changes = list[tuple[int, tuple[Any, ...]]]  # cells and what is left of their domains


@frozen
class Sum:
    """Cells with their factors, none of which is 0, and a number."""

    factors: tuple[tuple[int, int], ...]
    plus: int


def constant(k: int) -> Sum:
    return Sum((), k)


def one(cell: int) -> Sum:
    return Sum(((cell, 1),), 0)


def add(a: Sum, b: Sum, sign: int = 1) -> Sum:
    factors = dict(a.factors)
    for cell, factor in b.factors:
        factors[cell] = factors.get(cell, 0) + sign * factor
    return Sum(tuple((cell, f) for cell, f in factors.items() if f), a.plus + sign * b.plus)


def multiply(a: Sum, b: Sum) -> Sum | None:
    """The product, if one of them is a number."""
    if a.factors and b.factors:
        return None
    if not b.factors:
        a, b = b, a
    return Sum(tuple((cell, a.plus * f) for cell, f in b.factors if a.plus), a.plus * b.plus)


def bounds(s: Sum, domains: Any) -> tuple[int | None, int | None]:
    low = high = s.plus
    for cell, factor in s.factors:
        domain = domains[cell]
        if domain.__class__ is Span:
            return open_bounds(s, domains)
        if factor > 0:
            low += factor * domain[0]
            high += factor * domain[-1]
        else:
            low += factor * domain[-1]
            high += factor * domain[0]
    return low, high


def open_bounds(s: Sum, domains: Any) -> tuple[int | None, int | None]:
    """The bounds of a sum where a cell may have none."""
    low: int | None = s.plus
    high: int | None = s.plus
    for cell, factor in s.factors:
        a, b = ends(domains[cell])
        if factor < 0:
            a, b = b, a
        low = None if low is None or a is None else low + factor * a
        high = None if high is None or b is None else high + factor * b
    return low, high


def ends(domain: Any) -> tuple[int | None, int | None]:
    return (domain.low, domain.high) if isinstance(domain, Span) else (domain[0], domain[-1])


def decide_less(s: Sum) -> Callable[[Any], bool | None]:
    """s <= 0."""

    def decide(domains: Any) -> bool | None:
        low, high = bounds(s, domains)
        if low is not None and low > 0:
            return False
        return True if high is not None and high <= 0 else None

    return decide


def decide_equal(s: Sum) -> Callable[[Any], bool | None]:
    def decide(domains: Any) -> bool | None:
        low, high = bounds(s, domains)
        if (low is not None and low > 0) or (high is not None and high < 0):
            return False
        return True if low == high == 0 else None

    return decide


def decide_unequal(s: Sum) -> Callable[[Any], bool | None]:
    equal = decide_equal(s)

    def decide(domains: Any) -> bool | None:
        found = equal(domains)
        return None if found is None else not found

    return decide


def prune_less(s: Sum) -> Callable[[Any], Changes | None]:
    """What s <= 0 leaves of the domains; None: nothing."""

    def prune(domains: Any) -> Changes | None:
        low, _ = bounds(s, domains)
        assert low is not None
        if low > 0:
            return None
        changed: Changes = []
        for cell, factor in s.factors:
            domain = domains[cell]
            if len(domain) == 1:
                continue
            if factor > 0:
                most = domain[0] + -low // factor
                if domain[-1] > most:
                    changed.append((cell, tuple(x for x in domain if x <= most)))
            else:
                least = domain[-1] - -low // -factor
                if domain[0] < least:
                    changed.append((cell, tuple(x for x in domain if x >= least)))
        return changed

    return prune


def prune_equal(s: Sum) -> Callable[[Any], Changes | None]:
    down, up = prune_less(s), prune_less(Sum(tuple((cell, -f) for cell, f in s.factors), -s.plus))
    unequal = decide_equal(s)

    def prune(domains: Any) -> Changes | None:
        found = only_open(s, domains)
        if found is not None:
            cell, factor, rest = found
            if rest % factor or -rest // factor not in domains[cell]:
                return None
            return [(cell, (-rest // factor,))]
        if unequal(domains) is False:
            return None
        return merge(domains, down(domains), up(domains))

    return prune


def merge(domains: Any, a: Changes | None, b: Changes | None) -> Changes | None:
    if a is None or b is None:
        return None
    left = dict(a)
    for cell, domain in b:
        left[cell] = tuple(x for x in domain if x in left[cell]) if cell in left else domain
    return None if any(not domain for domain in left.values()) else list(left.items())


def only_open(s: Sum, domains: Any) -> tuple[int, int, int] | None:
    """The one cell that is open, its factor and the sum of the others; None if there are more or none."""
    found: tuple[int, int] | None = None
    rest = s.plus
    for cell, factor in s.factors:
        domain = domains[cell]
        if len(domain) == 1:
            rest += factor * domain[0]
        elif found is not None:
            return None
        else:
            found = cell, factor
    return None if found is None else (*found, rest)


def prune_unequal(s: Sum) -> Callable[[Any], Changes | None]:
    def prune(domains: Any) -> Changes | None:
        found: tuple[int, int] | None = None
        rest = s.plus
        for cell, factor in s.factors:
            domain = domains[cell]
            if len(domain) == 1:
                rest += factor * domain[0]
            elif found is not None:
                return []
            else:
                found = cell, factor
        if found is None:
            return [] if rest else None
        cell, factor = found
        if rest % factor or -rest // factor not in domains[cell]:
            return []
        gone = -rest // factor
        return [(cell, tuple(x for x in domains[cell] if x != gone))]

    return prune
