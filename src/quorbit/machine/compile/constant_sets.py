"""Sets that a model writes down: the same in every state, so they are listed while the program is written."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.meaning.operators import sorted_elements
from quorbit.model.system.expression import Apply, Bound, Expr, Literal, Operator, Otherwise
from quorbit.model.system.types import SetOf, TupleOf, Type, Value
from quorbit.model.system.walk import walk

__all__ = ["Listed", "is_about_only", "listed_set", "those_with"]

O = Operator
MOST_LISTED = 1 << 14
Listed = tuple[list[Value], Type]  # the elements in order, and the type of one


def listed_set(meaning: Meaning, e: Expr) -> Listed | None:
    """The elements of a set that does not depend on the state, if they are not too many."""
    type, size = type_of(e), size_of(e)
    if type is None or size is None or size > MOST_LISTED:
        return None
    try:
        return list(sorted_elements(meaning.value_of(e)((), {}))), type
    except Fault:
        return None


def size_of(e: Expr) -> int | None:
    """At most so many elements; None if e is not a set of a few constants."""
    match e:
        case Literal(frozenset(elements)):
            return len(elements)
        case Apply(O.POWERSET, (inner,)):
            n = size_of(inner)
            return None if n is None or n > MOST_LISTED.bit_length() else 1 << n
        case Apply(O.PRODUCT, (a, b)):
            n, m = size_of(a), size_of(b)
            return None if n is None or m is None else n * m
        case Apply(O.DIFFERENCE, (a, b)):
            return None if size_of(b) is None else size_of(a)
        case Otherwise(body, _):
            return size_of(body)
        case _:
            return None


def type_of(e: Expr) -> Type | None:
    """The type of an element."""
    match e:
        case Literal(type=SetOf(element)):
            return element
        case Apply(O.POWERSET, (inner,)):
            whole = type_of(inner)
            return None if whole is None else SetOf(whole)
        case Apply(O.PRODUCT, (a, b)):
            first, second = type_of(a), type_of(b)
            return None if first is None or second is None else TupleOf((first, second))
        case Apply(O.DIFFERENCE, (a, _)) | Otherwise(a, _):
            return type_of(a)
        case _:
            return None


def is_about_only(e: Expr, name: str) -> bool:
    """Whether e mentions nothing but this parameter and constants."""
    parts = list(walk(e))
    names = {part.name for part in parts if isinstance(part, Bound)}
    return names == {name} and all(isinstance(part, Literal | Bound | Apply) for part in parts)


def those_with(meaning: Meaning, condition: Expr, name: str, values: list[Value]) -> list[Value] | None:
    """The values that satisfy a condition about them alone; None if it has no value for some."""
    holds: Callable[..., object] = meaning.value_of(condition)
    try:
        return [value for value in values if holds((), {name: value})]
    except Fault:
        return None
