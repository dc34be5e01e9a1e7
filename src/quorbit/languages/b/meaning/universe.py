"""The world a machine is looked at in: the atoms of every given set, and the bounds of integers."""

from __future__ import annotations

from quorbit.languages.b.syntax.formulas import Formula
from quorbit.languages.b.types.types import Type
from quorbit.source.frozen import field, frozen
from quorbit.source.span import Span

__all__ = ["Cut", "Universe"]

Constructors = tuple[tuple[str, Type | None, Formula | None], ...]  # name, type and set of what is taken


@frozen
class Universe:
    """Atoms are numbered through all sets; ``names`` are their names; atoms of ``deferred`` sets are anonymous.

    ``free``: the constructors of each free type, which take a value of a type or nothing."""

    atoms: dict[str, tuple[int, ...]]
    names: tuple[str, ...]
    deferred: frozenset[str]
    max_int: int = 3
    min_int: int = -1
    types: dict[str, Type] = field(default_factory=dict)
    free: dict[str, Constructors] = field(default_factory=dict)
    spelled: bool = False  # strings are made in states: a System holds what they are made of
    symbolic: frozenset[str] = frozenset()  # variables and results that may hold infinite sets


@frozen
class Cut:
    """An enumeration that had no end and was bounded by MININT..MAXINT: answers are then incomplete."""

    span: Span
    message: str
