"""What B's operators do to finite values: numbers, pairs as tuples, sets and relations as frozensets.

A sequence is a function from 1..n. Partial operations raise ``NoValue``; who calls them knows the place in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, combinations, permutations, product
from typing import Any

from quorbit.languages.b.meaning.functions.library import LIBRARY_OF_ONE, LIBRARY_OF_TWO
from quorbit.languages.b.meaning.functions.trees import TREES_OF_ONE, TREES_OF_TWO
from quorbit.languages.b.meaning.values import NoValue, items, only_if, sequence_of
from quorbit.model.meaning.operators import (
    Undefined,
    apply_function,
    closure,
    compose,
    divide,
    override,
    sorted_elements,
)

__all__ = ["BINARY", "UNARY"]

Set = frozenset[Any]
LARGEST_POWER = 10_000  # bits of a power; a bigger number is a mistake, not a value


def quotient(a: int, b: int) -> int:
    only_if(b != 0, "division by zero")
    return divide(a, b)


def remainder(a: int, b: int) -> int:
    only_if(b > 0, "mod by a number that is not positive")
    only_if(a >= 0, "mod of a negative number")
    return a % b


def power(a: int, b: int) -> int:
    only_if(b >= 0, "negative exponent")
    only_if(abs(a) < 2 or b * a.bit_length() <= LARGEST_POWER, "this power is too large")
    return int(a**b)


def applied(f: Set, x: Any) -> Any:
    try:
        return apply_function(f, x)
    except Undefined as undefined:
        raise NoValue(str(undefined)) from None


def least(s: Set) -> Any:
    only_if(bool(s), "minimum of an empty set")
    return min(s)


def greatest(s: Set) -> Any:
    only_if(bool(s), "maximum of an empty set")
    return max(s)


def common(s: Set) -> Set:
    only_if(bool(s), "intersection of no sets")
    return frozenset.intersection(*s)


def non_empty(s: Set) -> tuple[Any, ...]:
    only_if(bool(s), "the sequence is empty")
    return items(s)


def take(s: Set, n: int) -> tuple[Any, ...]:
    only_if(0 <= n <= len(s), f"a sequence of {len(s)} elements cannot be cut at {n}")
    return items(s)[:n]


def drop(s: Set, n: int) -> tuple[Any, ...]:
    only_if(0 <= n <= len(s), f"a sequence of {len(s)} elements cannot be cut at {n}")
    return items(s)[n:]


def iterated(r: Set, n: int, field: Set) -> Set:
    """r composed with itself n times; n = 0 gives the identity on r's whole type."""
    only_if(n >= 0, "iterate a negative number of times")
    if n == 0:
        return frozenset((x, x) for x in field)
    found = r
    for _ in range(n - 1):
        found = compose(found, r)
    return found


def domain(r: Set) -> Set:
    return frozenset(x for x, _ in r)


def image_of_range(r: Set) -> Set:
    return frozenset(y for _, y in r)


def is_function(r: Set) -> bool:
    return len(domain(r)) == len(r)


def is_injective(r: Set) -> bool:
    return len(image_of_range(r)) == len(r)


def parallel_product(r: Set, s: Set) -> Set:
    return frozenset(((a, c), (b, d)) for a, b in r for c, d in s)


def direct_product(r: Set, s: Set) -> Set:
    return frozenset((a, (b, c)) for a, b in r for x, c in s if a == x)


def as_function_to_sets(r: Set) -> Set:
    return frozenset((x, frozenset(y for a, y in r if a == x)) for x in domain(r))


def subsets(s: Set, least_size: int = 0) -> Iterator[Set]:
    elements = sorted_elements(s)
    return map(frozenset, chain.from_iterable(combinations(elements, k) for k in range(least_size, len(elements) + 1)))


def subsets_of_size(s: Set, size: int) -> Iterator[Set]:
    return map(frozenset, combinations(sorted_elements(s), size) if size >= 0 else ())


def injective_sequences(s: Set, least_size: int = 0) -> Iterator[Set]:
    for k in range(least_size, len(s) + 1):
        yield from map(sequence_of, permutations(sorted_elements(s), k))


def chosen(s: Set) -> Any:
    only_if(bool(s), "nothing to choose from")
    return sorted_elements(s)[0]


def real_quotient(a: Fraction, b: Fraction) -> Fraction:
    only_if(b != 0, "division by zero")
    return a / b


def real_power(a: Fraction, n: int) -> Fraction:
    only_if(abs(n) <= LARGEST_EXPONENT and (a != 0 or n >= 0), "there is no such power")
    return Fraction(a**n)


LARGEST_EXPONENT = 1000
REAL_BINARY: dict[str, Callable[[Any, Any], Any]] = {"/": real_quotient, "**": real_power}
UNARY: dict[str, Callable[[Any], Any]] = {
    "-": lambda a: -a,
    "~": lambda r: frozenset((y, x) for x, y in r),
    "card": len,
    "min": least,
    "max": greatest,
    "union": lambda s: frozenset().union(*s),
    "inter": common,
    "id": lambda s: frozenset((x, x) for x in s),
    "closure1": closure,
    "dom": domain,
    "ran": image_of_range,
    "fnc": as_function_to_sets,
    "rel": lambda r: frozenset((x, y) for x, ys in r for y in ys),
    "size": lambda s: len(items(s)),
    "first": lambda s: non_empty(s)[0],
    "last": lambda s: non_empty(s)[-1],
    "front": lambda s: sequence_of(non_empty(s)[:-1]),
    "tail": lambda s: sequence_of(non_empty(s)[1:]),
    "rev": lambda s: sequence_of(reversed(items(s))),
    "conc": lambda s: sequence_of(chain.from_iterable(items(inner) for inner in items(s))),
    "CHOOSE": chosen,
    **LIBRARY_OF_ONE,
    **TREES_OF_ONE,
}

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": quotient,
    "mod": remainder,
    "**": power,
    "..": lambda a, b: frozenset(range(a, b + 1)),
    "|->": lambda a, b: (a, b),
    "\\/": lambda s, t: s | t,
    "/\\": lambda s, t: s & t,
    "\\": lambda s, t: s - t,
    "×": lambda s, t: frozenset(product(s, t)),
    "<+": override,
    "><": direct_product,
    ";": compose,
    "||": parallel_product,
    "[]": lambda r, s: frozenset(y for x, y in r if x in s),
    "<|": lambda s, r: frozenset(p for p in r if p[0] in s),
    "<<|": lambda s, r: frozenset(p for p in r if p[0] not in s),
    "|>": lambda r, s: frozenset(p for p in r if p[1] in s),
    "|>>": lambda r, s: frozenset(p for p in r if p[1] not in s),
    "^": lambda s, t: sequence_of(items(s) + items(t)),
    "->": lambda x, s: sequence_of((x, *items(s))),
    "<-": lambda s, x: sequence_of((*items(s), x)),
    "/|\\": lambda s, n: sequence_of(take(s, n)),
    "\\|/": lambda s, n: sequence_of(drop(s, n)),
    "prj1": lambda s, t: frozenset(((x, y), x) for x in s for y in t),
    "prj2": lambda s, t: frozenset(((x, y), y) for x in s for y in t),
    **LIBRARY_OF_TWO,
    **TREES_OF_TWO,
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
}
