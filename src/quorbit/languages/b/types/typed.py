"""A B machine whose formulas have types: what inference gives and everything after it reads."""

from __future__ import annotations

from quorbit.languages.b.syntax.formulas import Formula, Name
from quorbit.languages.b.syntax.substitutions import Substitution
from quorbit.languages.b.types.types import Type
from quorbit.source.frozen import field, frozen
from quorbit.source.span import Span

__all__ = ["FreeType", "GivenSet", "TypedMachine", "TypedOperation"]


@frozen
class GivenSet:
    """A set of atoms: enumerated by its elements' names, or deferred, its size to be chosen."""

    span: Span
    name: str
    elements: tuple[str, ...] | None


@frozen
class FreeType:
    """A free type with its constructors by name, each with the set of what it takes, if it takes anything."""

    name: str
    constructors: tuple[tuple[str, Formula | None], ...]


@frozen
class TypedOperation:
    span: Span
    name: str
    results: tuple[Name, ...]
    parameters: tuple[Name, ...]
    body: Substitution


@frozen
class TypedMachine:
    """``operations`` are offered to the environment, ``callable`` holds these and those that can only be called."""

    span: Span
    name: str
    sets: tuple[GivenSet, ...]
    constants: tuple[Name, ...]
    has_properties: bool  # a valuation of the constants is then a state of its own, constants or not
    properties: tuple[Formula, ...]
    variables: tuple[Name, ...]
    invariant: tuple[Formula, ...]
    assertions: tuple[Formula, ...]
    initialisation: Substitution | None
    operations: tuple[TypedOperation, ...]
    callable: dict[str, TypedOperation]
    goal: Formula | None
    globals: dict[str, Type]  # every name with its type, set elements included
    free: tuple[FreeType, ...] = ()
    recursive: dict[str, Formula] = field(default_factory=dict)  # constants that their definitions mention
    symbolic: frozenset[str] = frozenset()  # constants that are not to be listed
    notes: tuple[str, ...] = ()  # what is not checked
    labels: dict[Span, str] = field(default_factory=dict)  # of invariants and assertions that their author named
