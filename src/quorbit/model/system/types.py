"""The types of places and the values they hold.

A value is plain Python data: an ``int`` for numbers, truth values (0, 1), enumeration members and atoms; a ``tuple``
for tuples and queues; a ``frozenset`` for sets and relations.  Atoms are numbered through the whole System, ``NONE`` is
no atom.  The type tells what an ``int`` means, so a permutation of the atoms acts on a value through its type.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain, combinations, product

from quorbit.groups.permutation import Permutation
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import frozen

__all__ = [
    "INTEGER",
    "NONE",
    "TRUTH",
    "AtomOf",
    "Number",
    "QueueOf",
    "SetOf",
    "Text",
    "Truth",
    "TupleOf",
    "Type",
    "Value",
    "atoms_in",
    "atoms_of",
    "contains",
    "default",
    "mentions_atoms",
    "order_key",
    "permute_type",
    "permute_value",
    "size",
    "subsets",
    "values",
]

Value = int | str | tuple["Value", ...] | frozenset["Value"]
NONE = -1  # in a place of atom type: no atom
MOST_BITS = 2**20  # of a number that says how many values a type has


@frozen
class Number:
    """The integers low..high; None for no bound.  With names, an enumeration: names[k] is the name of low + k."""

    low: int | None = None
    high: int | None = None
    names: tuple[str, ...] = ()


@frozen
class Truth:
    """0 and 1, shown as false and true."""


@frozen
class AtomOf:
    """One of the listed atoms, or NONE where that is allowed."""

    atoms: tuple[int, ...]
    optional: bool = False


@frozen
class TupleOf:
    """A tuple; with names, a record."""

    parts: tuple[Type, ...]
    names: tuple[str, ...] = ()


@frozen
class SetOf:
    """A finite set; a relation is a set of pairs, a function a relation with one pair for each first part."""

    element: Type


@frozen
class QueueOf:
    """At most ``capacity`` messages, oldest first; capacity None for no bound."""

    message: Type
    capacity: int | None = None


@frozen
class Text:
    """A character string; nothing looks inside it."""


Type = Number | Truth | AtomOf | TupleOf | SetOf | QueueOf | Text

INTEGER = Number()
TRUTH = Truth()


def permute_value(type: Type, value: Value, g: Permutation) -> Value:
    """g's image of a value: every atom in it is replaced by its image."""
    match type:
        case AtomOf():
            return value if value == NONE else g[value]  # type: ignore[index]
        case TupleOf(parts):
            return tuple(permute_value(t, v, g) for t, v in zip(parts, value, strict=True))  # type: ignore[arg-type]
        case SetOf(element):
            return frozenset(permute_value(element, v, g) for v in value) if mentions_atoms(element) else value  # type: ignore[union-attr]
        case QueueOf(message):
            return tuple(permute_value(message, v, g) for v in value) if mentions_atoms(message) else value  # type: ignore[union-attr]
        case Number() | Truth() | Text():
            return value
        case _:
            assert_never(type)


def permute_type(type: Type, g: Permutation) -> Type:
    """g's image of a type: the atoms it lists are replaced by their images (their order means nothing)."""
    match type:
        case AtomOf(atoms, optional):
            images = tuple(sorted(g[a] for a in atoms))
            return type if images == atoms else AtomOf(images, optional)
        case TupleOf(parts, names):
            return TupleOf(tuple(permute_type(t, g) for t in parts), names)
        case SetOf(element):
            return SetOf(permute_type(element, g))
        case QueueOf(message, capacity):
            return QueueOf(permute_type(message, g), capacity)
        case Number() | Truth() | Text():
            return type
        case _:
            assert_never(type)


@cache
def mentions_atoms(type: Type) -> bool:
    """Whether a value of this type can hold an atom."""
    return any(True for _ in atoms_of(type))


def atoms_of(type: Type) -> Iterator[int]:
    """The atoms a value of this type may hold."""
    match type:
        case AtomOf(atoms):
            yield from atoms
        case TupleOf(parts):
            for part in parts:
                yield from atoms_of(part)
        case SetOf(element) | QueueOf(element):
            yield from atoms_of(element)


def atoms_in(type: Type, value: Value) -> Iterator[int]:
    """The atoms in a value, each as often as it occurs."""
    match type:
        case AtomOf():
            if value != NONE:
                yield value  # type: ignore[misc]
        case TupleOf(parts):
            for t, v in zip(parts, value, strict=True):  # type: ignore[arg-type]
                yield from atoms_in(t, v)
        case SetOf(element) | QueueOf(element) if mentions_atoms(element):
            for v in value:  # type: ignore[union-attr]
                yield from atoms_in(element, v)


def contains(type: Type, value: Value) -> bool:
    """Whether value is of this type."""
    match type:
        case Number(low, high):
            return isinstance(value, int) and (low is None or low <= value) and (high is None or value <= high)
        case Truth():
            return value in (0, 1)
        case AtomOf(atoms, optional):
            return value in atoms or (optional and value == NONE)
        case TupleOf(parts):
            return isinstance(value, tuple) and len(value) == len(parts) and all(map(contains, parts, value))
        case SetOf(element):
            return isinstance(value, frozenset) and all(contains(element, v) for v in value)
        case QueueOf(message, capacity):
            fits = isinstance(value, tuple) and (capacity is None or len(value) <= capacity)
            return fits and all(contains(message, v) for v in value)  # type: ignore[union-attr]
        case Text():
            return isinstance(value, str)
        case _:
            assert_never(type)


def size(type: Type) -> int | None:
    """How many values the type has; None if there is no bound, or if the number is too long to write down."""
    match type:
        case Number(low, high):
            return None if low is None or high is None else high - low + 1
        case Truth():
            return 2
        case AtomOf(atoms, optional):
            return len(atoms) + optional
        case TupleOf(parts):
            return bounded_product(size(part) for part in parts)
        case SetOf(element):
            n = size(element)
            return None if n is None or n > MOST_BITS else 2**n
        case QueueOf(message, capacity):
            n = size(message)
            return None if n is None or capacity is None else sum(n**k for k in range(capacity + 1))
        case Text():
            return None
        case _:
            assert_never(type)


def bounded_product(sizes: Iterator[int | None]) -> int | None:
    total = 1
    for n in sizes:
        if n is None:
            return None
        total *= n
    return total


def values(type: Type) -> Iterator[Value]:
    """All values of a type in a fixed order.  Requires: ``size(type)`` is not None."""
    match type:
        case Number(low, high):
            assert low is not None
            assert high is not None
            yield from range(low, high + 1)
        case Truth():
            yield from (0, 1)
        case AtomOf(atoms, optional):
            yield from chain((NONE,) if optional else (), atoms)
        case TupleOf(parts):
            yield from product(*(tuple(values(part)) for part in parts))
        case SetOf(element):
            yield from subsets(tuple(values(element)))
        case QueueOf(message, capacity):
            assert capacity is not None
            for k in range(capacity + 1):
                yield from product(tuple(values(message)), repeat=k)
        case Text():
            raise AssertionError("strings cannot be enumerated")
        case _:
            assert_never(type)


def subsets(elements: tuple[Value, ...]) -> Iterator[frozenset[Value]]:
    for k in range(len(elements) + 1):
        yield from map(frozenset, combinations(elements, k))


def default(type: Type) -> Value:
    """What a place holds before any start command runs: 0, none, empty."""
    match type:
        case Number(low, high):
            return 0 if contains(type, 0) else low if low is not None else high  # type: ignore[return-value]
        case Truth():
            return 0
        case AtomOf(atoms, optional):
            return NONE if optional else atoms[0]
        case TupleOf(parts):
            return tuple(default(part) for part in parts)
        case SetOf():
            return frozenset()
        case QueueOf():
            return ()
        case Text():
            return ""
        case _:
            assert_never(type)


def order_key(value: Value) -> tuple[object, ...]:
    """A total order on values of one type, so that sets are listed in one order everywhere."""
    match value:
        case frozenset():
            return (len(value), *sorted(order_key(v) for v in value))
        case tuple():
            return (len(value), *(order_key(v) for v in value))
        case _:
            return (value,)
