"""What every operator means on values, and what may be done with its operands.

An operation without a value (a division by zero, a function applied outside its domain) raises ``Undefined``.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from quorbit.model.system.expression import Operator
from quorbit.model.system.types import Value, order_key, subsets

__all__ = [
    "ASSOCIATIVE",
    "COMMUTATIVE",
    "IDEMPOTENT",
    "LOGICAL",
    "MEANING",
    "PARTIAL",
    "Undefined",
    "apply_function",
    "closure",
    "compose",
    "divide",
    "modulo",
    "override",
    "shift",
    "sorted_elements",
]

O = Operator


class Undefined(Exception):
    """The operation has no value for these operands."""


COMMUTATIVE = frozenset(
    {O.ADD, O.MULTIPLY, O.BIT_AND, O.BIT_OR, O.BIT_XOR, O.AND, O.OR, O.EQUAL, O.SET, O.UNION, O.INTERSECTION}
)
ASSOCIATIVE = COMMUTATIVE - {O.EQUAL, O.SET}
IDEMPOTENT = frozenset({O.BIT_AND, O.BIT_OR, O.AND, O.OR, O.SET, O.UNION, O.INTERSECTION})
PARTIAL = frozenset(  # may raise Undefined
    {
        O.DIVIDE,
        O.MODULO,
        O.POWER,
        O.SHIFT_LEFT,
        O.SHIFT_RIGHT,
        O.MINIMUM,
        O.MAXIMUM,
        O.BIG_INTERSECTION,
        O.APPLY,
        O.CHOICE,
        O.PRESENT,
    }
    | {O.FIRST, O.REST, O.ELEMENT, O.WITHOUT}
)
LOGICAL = frozenset({O.NOT, O.AND, O.OR, O.EQUAL, O.LESS, O.LESS_EQUAL, O.MEMBER, O.SUBSET})  # their value is 0 or 1


def divide(a: int, b: int) -> int:
    if b == 0:
        raise Undefined("division by zero")
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def modulo(a: int, b: int) -> int:
    return a - b * divide(a, b)


def power(a: int, b: int) -> int:
    if b < 0:
        raise Undefined("negative exponent")
    return int(a**b)


def shift(a: int, b: int) -> int:
    """Left if b is positive, right if negative; at most 64, so that a model cannot ask for a number of gigabytes."""
    if not -64 <= b <= 64:
        raise Undefined(f"shift by {abs(b)}")
    return a << b if b >= 0 else a >> -b


def least(s: frozenset[int]) -> int:
    if not s:
        raise Undefined("minimum of an empty set")
    return min(s)


def greatest(s: frozenset[int]) -> int:
    if not s:
        raise Undefined("maximum of an empty set")
    return max(s)


def big_intersection(s: frozenset[frozenset[Value]]) -> frozenset[Value]:
    if not s:
        raise Undefined("intersection of no sets")
    return frozenset.intersection(*s)


def apply_function(f: frozenset[Any], x: Value) -> Value:
    found = [y for a, y in f if a == x]
    if len(found) != 1:
        raise Undefined(
            "function applied outside its domain" if not found else "relation applied where it has several values"
        )
    value: Value = found[0]
    return value


def override(f: frozenset[Any], h: frozenset[Any]) -> frozenset[Value]:
    defined = {x for x, _ in h}
    return frozenset(p for p in f if p[0] not in defined) | h


def compose(r: frozenset[Any], s: frozenset[Any]) -> frozenset[Value]:
    follow: dict[Value, list[Value]] = {}
    for b, c in s:
        follow.setdefault(b, []).append(c)
    return frozenset((a, c) for a, b in r for c in follow.get(b, ()))


def closure(r: frozenset[Any]) -> frozenset[Any]:
    """r composed with itself any number of times, at least once: who can be reached from whom."""
    after: dict[Any, list[Any]] = {}
    for x, y in r:
        after.setdefault(x, []).append(y)
    found: set[Any] = set()
    for x, successors in after.items():
        reached = set(successors)
        waiting = successors[:]
        while waiting:
            new = [y for y in after.get(waiting.pop(), ()) if y not in reached]
            reached.update(new)
            waiting.extend(new)
        found.update((x, y) for y in reached)
    return frozenset(found)


def the_only(s: frozenset[Value]) -> Value:
    if len(s) != 1:
        raise Undefined(f"a set of {len(s)} elements has no only element")
    return next(iter(s))


def element(q: tuple[Value, ...], k: int) -> Value:
    if not 0 <= k < len(q):
        raise Undefined(f"no element {k} in a queue of {len(q)}")
    return q[k]


def without(q: tuple[Value, ...], k: int) -> tuple[Value, ...]:
    element(q, k)
    return q[:k] + q[k + 1 :]


def insert_sorted(q: tuple[Value, ...], message: Value) -> tuple[Value, ...]:
    k = next((k for k, m in enumerate(q) if m > message), len(q))  # type: ignore[operator]
    return (*q[:k], message, *q[k:])


def present(a: Value, absent: Value) -> Value:
    if a == absent:
        raise Undefined("this has no value: it is undefined, or outside its range")
    return a


def sorted_elements(s: frozenset[Value]) -> list[Value]:
    """The elements of a set in the one order used wherever an order is needed."""
    return sorted(s) if is_plain(s) else sorted(s, key=order_key)


def is_plain(s: frozenset[Value]) -> bool:
    """Whether all elements are numbers, which are ordered as they are."""
    return set(map(type, s)) <= {int, bool}


def fold(f: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """An operator of any number (at least one) of operands from one of two."""

    def folded(first: Any, *rest: Any) -> Any:
        for operand in rest:
            first = f(first, operand)
        return first

    return folded


MEANING: dict[Operator, Callable[..., Any]] = {  # all but AND and OR, which do not evaluate all their operands
    O.NEGATE: lambda a: -a,
    O.ADD: fold(lambda a, b: a + b),
    O.SUBTRACT: lambda a, b: a - b,
    O.MULTIPLY: fold(lambda a, b: a * b),
    O.DIVIDE: divide,
    O.MODULO: modulo,
    O.POWER: power,
    O.BIT_AND: fold(lambda a, b: a & b),
    O.BIT_OR: fold(lambda a, b: a | b),
    O.BIT_XOR: fold(lambda a, b: a ^ b),
    O.BIT_NOT: lambda a: ~a,
    O.SHIFT_LEFT: lambda a, b: shift(a, b),
    O.SHIFT_RIGHT: lambda a, b: shift(a, -b),
    O.MINIMUM: least,
    O.MAXIMUM: greatest,
    O.NOT: lambda a: int(not a),
    O.PRESENT: present,
    O.EQUAL: lambda a, b: int(a == b),
    O.LESS: lambda a, b: int(a < b),
    O.LESS_EQUAL: lambda a, b: int(a <= b),
    O.TUPLE: lambda *parts: parts,
    O.SET: lambda *elements: frozenset(elements),
    O.MEMBER: lambda x, s: int(x in s),
    O.SUBSET: lambda s, t: int(s <= t),
    O.UNION: fold(lambda s, t: s | t),
    O.INTERSECTION: fold(lambda s, t: s & t),
    O.DIFFERENCE: lambda s, t: s - t,
    O.PRODUCT: lambda s, t: frozenset(product(s, t)),
    O.SIZE: len,
    O.POWERSET: lambda s: frozenset(subsets(tuple(s))),
    O.INTERVAL: lambda a, b: frozenset(range(a, b + 1)),
    O.BIG_UNION: lambda s: frozenset().union(*s),
    O.BIG_INTERSECTION: big_intersection,
    O.DOMAIN: lambda r: frozenset(x for x, _ in r),
    O.RANGE: lambda r: frozenset(y for _, y in r),
    O.INVERSE: lambda r: frozenset((y, x) for x, y in r),
    O.COMPOSE: compose,
    O.OVERRIDE: override,
    O.IMAGE: lambda r, s: frozenset(y for x, y in r if x in s),
    O.APPLY: apply_function,
    O.DOMAIN_RESTRICT: lambda s, r: frozenset(p for p in r if p[0] in s),
    O.RANGE_RESTRICT: lambda r, s: frozenset(p for p in r if p[1] in s),
    O.CLOSURE: closure,
    O.CHOICE: the_only,
    O.QUEUE: lambda *messages: messages,
    O.APPEND: lambda q, message: (*q, message),
    O.INSERT_SORTED: insert_sorted,
    O.FIRST: lambda q: element(q, 0),
    O.REST: lambda q: without(q, 0),
    O.ELEMENT: element,
    O.WITHOUT: without,
}
