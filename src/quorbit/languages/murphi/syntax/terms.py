"""Names, types, expressions and quantifiers of a Murphi model, as they are written."""

from __future__ import annotations

from quorbit.source.frozen import frozen
from quorbit.source.span import Span

__all__ = [
    "ArrayType",
    "Binary",
    "BooleanType",
    "Call",
    "ElementOf",
    "EnumType",
    "Expression",
    "FieldOf",
    "IsMember",
    "IsUndefined",
    "MultisetCount",
    "MultisetType",
    "Name",
    "NamedType",
    "Numeral",
    "Quantified",
    "Quantifier",
    "RangeType",
    "RecordType",
    "ScalarsetType",
    "Ternary",
    "TruthValue",
    "TypeExpression",
    "Unary",
    "Undefined",
    "UnionType",
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
