"""What a Murphi model says, as it is written: the Program that the parser makes and the lowering reads."""

from __future__ import annotations

from dataclasses import field

from quorbit.source.frozen import distinct, frozen, mutable
from quorbit.source.span import Span

__all__ = [
    "Alias",
    "AliasRule",
    "AliasStatement",
    "ArrayType",
    "Assignment",
    "Binary",
    "BooleanType",
    "Call",
    "Choose",
    "Claim",
    "Clear",
    "Constant",
    "Declaration",
    "ElementOf",
    "EnumType",
    "ErrorStatement",
    "Expression",
    "FieldOf",
    "For",
    "Formal",
    "If",
    "IsMember",
    "IsUndefined",
    "MultisetAdd",
    "MultisetCount",
    "MultisetRemove",
    "MultisetRemoveIf",
    "MultisetType",
    "Name",
    "NamedType",
    "Numeral",
    "ProcedureCall",
    "Program",
    "PropertyRule",
    "Put",
    "Quantified",
    "Quantifier",
    "RangeType",
    "RecordType",
    "Return",
    "Routine",
    "RuleItem",
    "Ruleset",
    "ScalarsetType",
    "SimpleRule",
    "StartState",
    "Statement",
    "Switch",
    "Ternary",
    "TruthValue",
    "TypeDeclaration",
    "TypeExpression",
    "Unary",
    "Undefine",
    "Undefined",
    "UnionType",
    "VariableDeclaration",
    "While",
    "Word",
]


@frozen
class Name:
    text: str
    span: Span


# Types.


@frozen
class BooleanType:
    span: Span


@frozen
class NamedType:
    name: Name

    @property
    def span(self) -> Span:
        return self.name.span


@frozen
class RangeType:
    low: Expression
    high: Expression
    span: Span


@frozen
class EnumType:
    members: tuple[Name, ...]
    span: Span


@frozen
class ScalarsetType:
    size: Expression
    span: Span


@frozen
class UnionType:
    members: tuple[TypeExpression, ...]
    span: Span


@frozen
class RecordType:
    fields: tuple[tuple[Name, TypeExpression], ...]
    span: Span


@frozen
class ArrayType:
    index: TypeExpression
    element: TypeExpression
    span: Span


@frozen
class MultisetType:
    size: Expression
    element: TypeExpression
    span: Span


TypeExpression = (
    BooleanType | NamedType | RangeType | EnumType | ScalarsetType | UnionType | RecordType | ArrayType | MultisetType
)


# Expressions.


@frozen
class Numeral:
    value: int
    span: Span


@frozen
class TruthValue:
    value: bool
    span: Span


@frozen
class Undefined:
    """The word ``undefined`` in place of a value."""

    span: Span


@frozen
class Word:
    """A name standing alone: a variable, parameter, alias, constant or member of an enumeration."""

    text: str
    span: Span


@frozen
class FieldOf:
    base: Expression
    name: Name
    span: Span


@frozen
class ElementOf:
    base: Expression
    index: Expression
    span: Span


@frozen
class Call:
    name: Name
    arguments: tuple[Expression, ...]
    span: Span


@frozen
class Unary:
    """``!e`` or ``-e``."""

    operator: str
    operand: Expression
    span: Span


@frozen
class Binary:
    """``-> | & < <= > >= = != + - * / %`` and Rumur's bit operators."""

    operator: str
    left: Expression
    right: Expression
    span: Span


@frozen
class Ternary:
    test: Expression
    then: Expression
    other: Expression
    span: Span


@frozen
class Quantified:
    """forall or exists."""

    word: str
    quantifiers: tuple[Quantifier, ...]
    body: Expression
    span: Span


@frozen
class IsUndefined:
    operand: Expression
    span: Span


@frozen
class IsMember:
    operand: Expression
    type: TypeExpression
    span: Span


@frozen
class MultisetCount:
    """How many elements of a multiset satisfy a condition about the element with this name."""

    name: Name
    set: Expression
    condition: Expression
    span: Span


Expression = (
    Numeral
    | TruthValue
    | Undefined
    | Word
    | FieldOf
    | ElementOf
    | Call
    | Unary
    | Binary
    | Ternary
    | Quantified
    | IsUndefined
    | IsMember
    | MultisetCount
)


@frozen
class Quantifier:
    """``i: T`` or ``i := low to high by step``."""

    name: Name
    type: TypeExpression | None
    low: Expression | None
    high: Expression | None
    step: Expression | None
    span: Span


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
