"""The world a machine is looked at in: the atoms of every given set, and the bounds of integers."""

from __future__ import annotations

from dataclasses import field

from quorbit.languages.b.types.types import Type
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

__all__ = ["Cut", "Universe"]


@frozen
class Universe:
    """Atoms are numbered through all sets; ``names`` are their names; atoms of ``deferred`` sets are anonymous."""

    atoms: dict[str, tuple[int, ...]]
    names: tuple[str, ...]
    deferred: frozenset[str]
    max_int: int = 3
    min_int: int = -1
    types: dict[str, Type] = field(default_factory=dict)


@frozen
class Cut:
    """An enumeration that had no end and was bounded by MININT..MAXINT: answers are then incomplete."""

    span: Span
    message: str
