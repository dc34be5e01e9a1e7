"""What is known of a value before it is known: some candidates, numbers between bounds, a set between two sets.

Knows no language. Operations give a guess that has every value the operands' values can give.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from quorbit.source.frozen import frozen

FEW = 48  # combinations of candidates that are gone through


@frozen
class Span:
    """A number between bounds; None: without."""

    low: int | None
    high: int | None


@frozen
class Between:
    """A set that has all elements of ``must`` and none that ``may`` does not have."""

    must: frozenset[Any]
    may: frozenset[Any]


@frozen
class Unknown:
    """Nothing is known."""


UNKNOWN = Unknown()
Guess = tuple[Any, ...] | Span | Between | Unknown  # a tuple: the candidates, numbers in order


def low(g: Guess) -> int | None:
    if isinstance(g, tuple):
        return g[0]  # type: ignore[no-any-return]
    return g.low if isinstance(g, Span) else None


def high(g: Guess) -> int | None:
    if isinstance(g, tuple):
        return g[-1]  # type: ignore[no-any-return]
    return g.high if isinstance(g, Span) else None


def as_set(g: Guess) -> Between | None:
    """A guess of a set as bounds."""
    if isinstance(g, Between):
        return g
    if isinstance(g, tuple) and len(g) == 1:
        return Between(g[0], g[0])
    if isinstance(g, tuple):
        return Between(frozenset.intersection(*g), frozenset.union(*g))
    return None


def settled(g: Guess) -> Guess:
    """A set whose bounds meet as its one candidate."""
    return (g.must,) if isinstance(g, Between) and len(g.must) == len(g.may) else g


def combine(a: Guess, b: Guess, f: Callable[[Any, Any], Any]) -> Guess | None:
    """All results of candidates, if these are few."""
    if not isinstance(a, tuple) or not isinstance(b, tuple) or len(a) * len(b) > FEW:
        return None
    if len(a) == 1 and len(b) == 1:
        return (f(a[0], b[0]),)
    return tuple(sorted({f(x, y) for x, y in product(a, b)}))


def add(a: Guess, b: Guess) -> Guess:
    found = combine(a, b, int.__add__)
    if found is not None:
        return found
    return Span(both(low(a), low(b), int.__add__), both(high(a), high(b), int.__add__))


def subtract(a: Guess, b: Guess) -> Guess:
    found = combine(a, b, int.__sub__)
    if found is not None:
        return found
    return Span(both(low(a), high(b), int.__sub__), both(high(a), low(b), int.__sub__))


def multiply(a: Guess, b: Guess) -> Guess:
    found = combine(a, b, int.__mul__)
    if found is not None:
        return found
    ends = (low(a), high(a), low(b), high(b))
    if any(end is None for end in ends):
        return multiply_open(a, b)
    corners = [x * y for x in ends[:2] for y in ends[2:] if x is not None and y is not None]
    return Span(min(corners), max(corners))


def multiply_open(a: Guess, b: Guess) -> Guess:
    """A product of numbers that are not negative grows with both; one of numbers that are not positive too."""
    la, lb, ha, hb = low(a), low(b), high(a), high(b)
    if la is not None and lb is not None and la >= 0 and lb >= 0:
        return Span(la * lb, both(ha, hb, int.__mul__))
    if ha is not None and hb is not None and ha <= 0 and hb <= 0:
        return Span(ha * hb, both(la, lb, int.__mul__))
    if la is not None and hb is not None and la >= 0 and hb <= 0:
        return Span(both(ha, lb, int.__mul__), la * hb)
    if ha is not None and lb is not None and ha <= 0 and lb >= 0:
        return Span(both(la, hb, int.__mul__), ha * lb)
    return Span(None, None)


def both(a: int | None, b: int | None, f: Callable[[int, int], int]) -> int | None:
    return None if a is None or b is None else f(a, b)


def less(a: Guess, b: Guess, apart: int) -> bool | None:
    """a + apart <= b."""
    most, least = high(a), low(b)
    if most is not None and least is not None and most + apart <= least:
        return True
    least, most = low(a), high(b)
    if least is not None and most is not None and least + apart > most:
        return False
    return None


def equal(a: Guess, b: Guess) -> bool | None:
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) == 1 and len(b) == 1:
            return bool(a[0] == b[0])
        if len(a) * len(b) <= FEW * 4:
            return None if any(x == y for x in a for y in b) else False
        return None
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return None
    if isinstance(a, Between) or isinstance(b, Between):
        return equal_sets(as_set(a), as_set(b))
    if less(a, b, 1) or less(b, a, 1):
        return False
    return None


def equal_sets(a: Between | None, b: Between | None) -> bool | None:
    if a is None or b is None:
        return None
    if not a.must <= b.may or not b.must <= a.may:
        return False
    return True if len(a.must) == len(a.may) and len(b.must) == len(b.may) and a.must == b.must else None


def contains(s: Guess, x: Guess) -> bool | None:
    """Whether x belongs to the set s."""
    found = as_set(s)
    if found is None or not isinstance(x, tuple):
        return None if found is None or found.may else False
    if all(v in found.must for v in x):
        return True
    return None if any(v in found.may for v in x) else False


def is_subset(a: Guess, b: Guess) -> bool | None:
    s, t = as_set(a), as_set(b)
    if s is None or t is None:
        return None
    if not s.must <= t.may:
        return False
    return True if s.may <= t.must else None


def join(a: Guess, b: Guess) -> Guess:
    """The values of either."""
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) + len(b) <= FEW:
        found = {*a, *b}
        return tuple(sorted(found)) if all(isinstance(v, int) for v in found) else tuple(found)
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return UNKNOWN
    if isinstance(a, Between) or isinstance(b, Between):
        s, t = as_set(a), as_set(b)
        return UNKNOWN if s is None or t is None else Between(s.must & t.must, s.may | t.may)
    return UNKNOWN
