"""What a Murphi model says, as it is written: the Program that the parser makes and the lowering reads, with its
statements, declarations and rules."""

from __future__ import annotations

from quorbit.languages.murphi.syntax.terms import Call, Expression, Name, Quantifier, TypeExpression
from quorbit.source.frozen import distinct, field, frozen, mutable
from quorbit.source.span import Span

__all__ = [
    "Alias",
    "AliasRule",
    "AliasStatement",
    "Assignment",
    "Choose",
    "Claim",
    "Clear",
    "Constant",
    "Declaration",
    "ErrorStatement",
    "For",
    "Formal",
    "If",
    "MultisetAdd",
    "MultisetRemove",
    "MultisetRemoveIf",
    "ProcedureCall",
    "Program",
    "PropertyRule",
    "Put",
    "Return",
    "Routine",
    "RuleItem",
    "Ruleset",
    "SimpleRule",
    "StartState",
    "Statement",
    "Switch",
    "TypeDeclaration",
    "Undefine",
    "VariableDeclaration",
    "While",
]


# Statements.


@frozen
class Assignment:
    target: Expression
    value: Expression
    span: Span


@frozen
class If:
    arms: tuple[tuple[Expression, tuple[Statement, ...]], ...]
    other: tuple[Statement, ...]
    span: Span


@frozen
class Switch:
    subject: Expression
    cases: tuple[tuple[tuple[Expression, ...], tuple[Statement, ...]], ...]
    other: tuple[Statement, ...]
    span: Span


@frozen
class For:
    quantifiers: tuple[Quantifier, ...]
    body: tuple[Statement, ...]
    span: Span


@frozen
class While:
    test: Expression
    body: tuple[Statement, ...]
    span: Span


@frozen
class ProcedureCall:
    call: Call

    @property
    def span(self) -> Span:
        return self.call.span


@frozen
class Clear:
    target: Expression
    span: Span


@frozen
class Undefine:
    target: Expression
    span: Span


@frozen
class ErrorStatement:
    text: str
    span: Span


@frozen
class Claim:
    """assert, assume, cover or invariant as a statement."""

    kind: str
    condition: Expression
    text: str
    span: Span


@frozen
class Put:
    value: Expression | str
    span: Span


@frozen
class AliasStatement:
    aliases: tuple[Alias, ...]
    body: tuple[Statement, ...]
    span: Span


@frozen
class Return:
    value: Expression | None
    span: Span


@frozen
class MultisetAdd:
    element: Expression
    set: Expression
    span: Span


@frozen
class MultisetRemove:
    index: Expression
    set: Expression
    span: Span


@frozen
class MultisetRemoveIf:
    name: Name
    set: Expression
    condition: Expression
    span: Span


Statement = (
    Assignment
    | If
    | Switch
    | For
    | While
    | ProcedureCall
    | Clear
    | Undefine
    | ErrorStatement
    | Claim
    | Put
    | AliasStatement
    | Return
    | MultisetAdd
    | MultisetRemove
    | MultisetRemoveIf
)


@frozen
class Alias:
    name: Name
    value: Expression


# Declarations.


@frozen
class Constant:
    name: Name
    value: Expression


@frozen
class TypeDeclaration:
    name: Name
    type: TypeExpression


@frozen
class VariableDeclaration:
    names: tuple[Name, ...]
    type: TypeExpression


Declaration = Constant | TypeDeclaration | VariableDeclaration


@frozen
class Formal:
    name: Name
    type: TypeExpression
    by_reference: bool


@distinct
class Routine:
    """A procedure, or a function if it has a result."""

    name: Name
    formals: tuple[Formal, ...]
    result: TypeExpression | None
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]


# Rules.


@frozen
class SimpleRule:
    name: str
    priority: int
    guard: Expression | None
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]
    span: Span


@frozen
class StartState:
    name: str
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]
    span: Span


@frozen
class Ruleset:
    quantifiers: tuple[Quantifier, ...]
    rules: tuple[RuleItem, ...]
    span: Span


@frozen
class AliasRule:
    aliases: tuple[Alias, ...]
    rules: tuple[RuleItem, ...]
    span: Span


@frozen
class Choose:
    """The rules for each element of a multiset."""

    name: Name
    set: Expression
    rules: tuple[RuleItem, ...]
    span: Span


@frozen
class PropertyRule:
    """invariant, assert, assume, cover or liveness at the level of rules."""

    kind: str
    name: str
    condition: Expression
    span: Span


RuleItem = SimpleRule | StartState | Ruleset | AliasRule | Choose | PropertyRule


@mutable
class Program:
    """The declarations in their order, the routines by name, the rules."""

    declarations: list[Declaration] = field(default_factory=list)
    routines: dict[str, Routine] = field(default_factory=dict)
    rules: list[RuleItem] = field(default_factory=list)
