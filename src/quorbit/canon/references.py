"""Atoms inside values: a value with its atoms replaced by something else, and where in a value an atom occurs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quorbit.model.system.types import (
    NONE,
    AtomOf,
    Number,
    QueueOf,
    SetOf,
    Text,
    Truth,
    TupleOf,
    Type,
    Value,
    mentions_atoms,
    order_key,
)
from quorbit.source.exhaustive import assert_never

Key = tuple[Any, ...]  # nested tuples of numbers and texts that can be compared with keys of the same type
Recolour = Callable[[int], int]


def encode(type: Type, value: Any, recolour: Recolour) -> Key:
    """The value as a key, its atoms replaced by their colours."""
    match type:
        case AtomOf():
            return (value if value == NONE else recolour(value),)
        case TupleOf(parts):
            return tuple(encode(t, v, recolour) for t, v in zip(parts, value, strict=True))
        case SetOf(element) if mentions_atoms(element):
            return (len(value), *sorted(encode(element, v, recolour) for v in value))
        case QueueOf(message):
            return (len(value), *(encode(message, v, recolour) for v in value))
        case Number() | Truth() | SetOf() | Text():
            return order_key(value)
        case _:
            assert_never(type)


def is_plain_reference(type: Type) -> bool:
    """Whether where an atom occurs tells all there is to tell: no sets of compound things that hold atoms."""
    match type:
        case SetOf(element):
            return isinstance(element, AtomOf) or not mentions_atoms(element)
        case TupleOf(parts):
            return all(map(is_plain_reference, parts))
        case QueueOf(message):
            return is_plain_reference(message)
        case Number() | Truth() | AtomOf() | Text():
            return True
        case _:
            assert_never(type)


def occurrences(type: Type, value: Value, atom: int) -> Key:
    """Where an atom stands in a value: the value with this atom as 1, every other as 0."""
    return encode(type, value, lambda a: int(a == atom))
