"""A B machine as its author wrote it: clauses, definitions, operations."""

from __future__ import annotations

from quorbit.languages.b.syntax.formulas import Formula, Name
from quorbit.languages.b.syntax.substitutions import Substitution
from quorbit.source.frozen import field, frozen
from quorbit.source.span import Span

__all__ = ["Definition", "Machine", "Operation", "SetDeclaration"]


@frozen
class Definition:
    """name(parameters) == body"""

    span: Span
    name: str
    parameters: tuple[Name, ...]
    body: Formula | Substitution


@frozen
class SetDeclaration:
    """S, a deferred set, or S = {a, b}, an enumerated one."""

    name: Name
    elements: tuple[Name, ...] | None


@frozen
class FreeDeclaration:
    """T = c, d(S), ..., a free type with its constructors and what they take."""

    name: Name
    constructors: tuple[tuple[Name, Formula | None], ...]


@frozen
class Reference:
    """Another machine as a clause mentions it: ``p.M(arguments)``."""

    span: Span
    prefix: str
    machine: str
    arguments: tuple[Formula, ...] = ()


@frozen
class Operation:
    """results <-- name(parameters) = body"""

    span: Span
    name: str
    results: tuple[Name, ...]
    parameters: tuple[Name, ...]
    body: Substitution


@frozen
class Machine:
    """All clauses; predicates as lists of conjuncts in the order of the text."""

    span: Span
    kind: str
    name: str
    parameters: tuple[Name, ...] = ()
    refines: Name | None = None
    constraints: tuple[Formula, ...] = ()
    sees: tuple[Reference, ...] = ()
    uses: tuple[Reference, ...] = ()
    includes: tuple[Reference, ...] = ()
    extends: tuple[Reference, ...] = ()
    imports: tuple[Reference, ...] = ()
    promotes: tuple[Name, ...] = ()
    sets: tuple[SetDeclaration, ...] = ()
    freetypes: tuple[FreeDeclaration, ...] = ()
    constants: tuple[Name, ...] = ()
    properties: tuple[Formula, ...] = ()
    variables: tuple[Name, ...] = ()
    concrete: tuple[Name, ...] = ()  # of the variables, those that refinements keep
    invariant: tuple[Formula, ...] = ()
    assertions: tuple[Formula, ...] = ()
    values: tuple[Formula, ...] = ()
    definitions: tuple[Definition, ...] = ()
    definition_files: tuple[tuple[Span, str], ...] = ()
    initialisation: Substitution | None = None
    operations: tuple[Operation, ...] = ()
    local_operations: tuple[Operation, ...] = ()
    symbolic: frozenset[str] = frozenset()
    labels: dict[Span, str] = field(default_factory=dict)
