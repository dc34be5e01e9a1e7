"""Sequences as sets of pairs, and operations that have no value."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["NoValue", "items", "only_if", "sequence_of"]


class NoValue(Exception):
    """The operation is not defined for these operands."""


def only_if(condition: bool, message: str) -> None:
    if not condition:
        raise NoValue(message)


def items(s: frozenset[Any]) -> tuple[Any, ...]:
    """The elements of a sequence in order."""
    found = dict(s)
    only_if(len(found) == len(s) and found.keys() == set(range(1, len(s) + 1)), "this is not a sequence")
    return tuple(found[i] for i in range(1, len(s) + 1))


def sequence_of(elements: Iterable[Any]) -> frozenset[Any]:
    return frozenset(enumerate(elements, 1))
