"""Resolved types: what the variables of a Murphi model can hold.

Ranges, scalarsets, enumerations, unions and multisets are equal only to themselves, so that facts can be recorded about
each of them.  A simple value is a number here: an enumeration's are 0..n-1; a scalarset's begin at a number of its own,
and so do those of an enumeration inside a union, so that a value of a union is the same number for all unions.  How a
value is stored in the System is decided in lower/store.py.
"""

from __future__ import annotations

from functools import cache

from quorbit.source.frozen import distinct, frozen
from quorbit.source.span import NOWHERE, Span

__all__ = [
    "BOOLEAN",
    "INTEGER",
    "Array",
    "Boolean",
    "Enum",
    "EnumRange",
    "Integer",
    "Multiset",
    "Range",
    "Record",
    "Scalarset",
    "Simple",
    "SlotOf",
    "Type",
    "Union",
    "bounds",
    "is_simple",
    "show_type",
    "size_of",
    "union_numbers",
    "value_names",
]


@frozen
class Boolean:
    pass


@frozen
class Integer:
    """The type of sums, differences and numerals: any whole number; nothing is stored with it."""


@distinct
class Range:
    """The numbers low..high; ``name`` is the name of the type, "" if it has none."""

    low: int
    high: int
    name: str = ""
    span: Span = NOWHERE


@distinct
class Scalarset:
    """Interchangeable values, numbered from ``first`` on."""

    size: int
    name: str
    first: int
    span: Span = NOWHERE


@distinct
class Enum:
    """``first``: the number of the first member as a value of a union."""

    members: tuple[str, ...]
    name: str
    first: int
    span: Span = NOWHERE


@frozen
class EnumRange:
    """The members low..high of an enumeration, counted from 0."""

    enum: Enum
    low: int
    high: int


@distinct
class Union:
    members: tuple[Scalarset | Enum, ...]
    name: str = ""
    span: Span = NOWHERE


@frozen
class Record:
    fields: tuple[tuple[str, Type], ...]

    def field(self, name: str) -> Type | None:
        return next((type for field, type in self.fields if field == name), None)


@frozen
class Array:
    index: Simple
    element: Type


@distinct
class Multiset:
    size: int
    element: Type
    span: Span = NOWHERE


@frozen
class SlotOf:
    """What stands for an element of a multiset in choose, count and remove; ``set`` is the name of its variable."""

    set: str


Simple = Boolean | Range | Scalarset | Enum | EnumRange | Union
Type = Simple | Integer | Record | Array | Multiset | SlotOf

BOOLEAN = Boolean()
INTEGER = Integer()


def is_simple(type: Type) -> bool:
    return isinstance(type, Boolean | Range | Scalarset | Enum | EnumRange | Union)


@cache
def bounds(type: Simple) -> tuple[int, int]:
    """The least and the greatest number of a simple type."""
    match type:
        case Boolean():
            return 0, 1
        case Range(low, high) | EnumRange(_, low, high):
            return low, high
        case Scalarset(size, _, first):
            return first, first + size - 1
        case Enum(members):
            return 0, len(members) - 1
        case Union():
            numbers = union_numbers(type)
            return min(numbers), max(numbers)


def size_of(type: Simple) -> int:
    if isinstance(type, Union):
        return len(union_numbers(type))
    low, high = bounds(type)
    return max(0, high - low + 1)


@cache
def union_numbers(union: Union) -> tuple[int, ...]:
    """The values of a union, by the order of its members."""
    return tuple(member.first + k for member in union.members for k in range(size_of(member)))


@cache
def value_names(type: Simple) -> tuple[str, ...]:
    """The values of a simple type as CMurphi writes them."""
    match type:
        case Boolean():
            return "false", "true"
        case Range(low, high):
            return tuple(map(str, range(low, high + 1)))
        case Scalarset(size, name):
            return tuple(f"{name}_{k}" for k in range(1, size + 1))
        case Enum(members):
            return members
        case EnumRange(enum, low, high):
            return enum.members[low : high + 1]
        case Union(members):
            return tuple(name for member in members for name in value_names(member))


def show_type(type: Type) -> str:
    match type:
        case Boolean():
            return "boolean"
        case Integer():
            return "a number"
        case Range(low, high, name):
            return name or f"{low}..{high}"
        case Scalarset(_, name) | Enum(_, name) | Union(_, name) if name:
            return name
        case Scalarset():
            return "a scalarset"
        case Enum() | EnumRange():
            return "an enumeration"
        case Union():
            return "a union"
        case Record():
            return "a record"
        case Array():
            return "an array"
        case Multiset():
            return "a multiset"
        case SlotOf():
            return "an element of a multiset"
