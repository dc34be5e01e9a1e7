"""Names and types of a Program: constants are worked out, type expressions become types.

A ``Scope`` knows the constants, members of enumerations and types that are visible at a place; procedures may declare
their own.  What a type expression means is worked out once for each place where it is written, so that the lowering can
read a model twice and speak about the same types.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.murphi.syntax.program import Constant, Declaration, TypeDeclaration
from quorbit.languages.murphi.syntax.terms import (
    ArrayType,
    Binary,
    BooleanType,
    EnumType,
    Expression,
    MultisetType,
    Name,
    NamedType,
    Numeral,
    Quantifier,
    RangeType,
    RecordType,
    ScalarsetType,
    Ternary,
    TruthValue,
    TypeExpression,
    Unary,
    UnionType,
    Word,
)
from quorbit.languages.murphi.types import (
    BOOLEAN,
    INTEGER,
    Array,
    Enum,
    EnumRange,
    Multiset,
    Range,
    Record,
    Scalarset,
    Simple,
    Type,
    Union,
    is_simple,
    show_type,
)
from quorbit.model.meaning.operators import Undefined, divide, modulo, shift
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span

__all__ = ["Scope", "constant", "declare", "maybe_constant", "resolve_type", "simple_type"]

LARGEST_SIZE = 1 << 20


@frozen
class Fixed:
    """A constant: its number and its type."""

    value: int
    type: Type


@mutable
class Scope:
    """``known``: types by the id of their expression; ``taken``: how many numbers for unions; ``ranges`` of quantifiers
    by their ids and bounds.  All scopes of a model share these."""

    constants: dict[str, Fixed] = field(default_factory=dict)
    named: dict[str, Type] = field(default_factory=dict)
    known: dict[int, tuple[TypeExpression, Type]] = field(default_factory=dict, repr=False)
    taken: list[int] = field(default_factory=lambda: [1])
    ranges: dict[tuple[int, int, int], tuple[Quantifier, Range]] = field(default_factory=dict)  # of ``i := a to b``

    def inner(self) -> Scope:
        return Scope(dict(self.constants), dict(self.named), self.known, self.taken, self.ranges)

    def numbers(self, count: int) -> int:
        """The first of so many numbers that no other type uses."""
        self.taken[0] += count
        return self.taken[0] - count


def declare(scope: Scope, declarations: tuple[Declaration, ...], given: dict[str, int] | None = None) -> None:
    """Constants and types; ``given`` are values from outside that take the place of those in the text."""
    for declaration in declarations:
        match declaration:
            case Constant(name, value):
                fixed = constant(scope, value)
                if given and name.text in given:
                    fixed = Fixed(given[name.text], fixed.type)
                scope.constants[name.text] = fixed
            case TypeDeclaration(name, type):
                scope.named[name.text] = resolve_type(scope, type, name.text)


# Constants.


def constant(scope: Scope, e: Expression) -> Fixed:
    found = maybe_constant(scope, e)
    if found is None:
        raise UserError(e.span, "this should be a constant: its value must be known before the model runs")
    return found


def maybe_constant(scope: Scope, e: Expression) -> Fixed | None:
    """The value of e, if it is made of constants only."""
    match e:
        case Numeral(value):
            return Fixed(value, INTEGER)
        case TruthValue(value):
            return Fixed(int(value), BOOLEAN)
        case Word(text):
            return scope.constants.get(text)
        case Unary(operator, operand):
            inner = maybe_constant(scope, operand)
            return None if inner is None else fold_unary(operator, inner)
        case Binary(operator, left, right):
            a, b = maybe_constant(scope, left), maybe_constant(scope, right)
            return None if a is None or b is None else fold_binary(operator, a, b, e.span)
        case Ternary(test, then, other):
            chosen = maybe_constant(scope, test)
            return None if chosen is None else maybe_constant(scope, then if chosen.value else other)
        case _:
            return None


def fold_unary(operator: str, a: Fixed) -> Fixed:
    match operator:
        case "!":
            return Fixed(int(not a.value), BOOLEAN)
        case "~":
            return Fixed(~a.value, INTEGER)
        case _:
            return Fixed(-a.value, INTEGER)


ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": divide,
    "%": modulo,
    "<<": shift,
    ">>": lambda a, b: shift(a, -b),
    "^": lambda a, b: a ^ b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
}
LOGIC: dict[str, Callable[[int, int], int]] = {
    "=": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "&": lambda a, b: int(bool(a and b)),
    "|": lambda a, b: int(bool(a or b)),
    "->": lambda a, b: int(bool(not a or b)),
}


def fold_binary(operator: str, a: Fixed, b: Fixed, span: Span) -> Fixed:
    joins_bits = operator in ARITHMETIC and a.type == b.type == INTEGER
    if operator in LOGIC and not joins_bits:
        return Fixed(LOGIC[operator](a.value, b.value), BOOLEAN)
    try:
        return Fixed(ARITHMETIC[operator](a.value, b.value), INTEGER)
    except Undefined as undefined:
        raise UserError(span, str(undefined)) from None


# Types.


def resolve_type(scope: Scope, e: TypeExpression, name: str = "") -> Type:
    known = scope.known.get(id(e))
    if known is None or isinstance(e, EnumType):
        known = scope.known[id(e)] = e, known[1] if known else make_type(scope, e, name)
        if isinstance(known[1], Enum):
            declare_members(scope, known[1], e)
    return known[1]


def make_type(scope: Scope, e: TypeExpression, name: str) -> Type:
    match e:
        case BooleanType():
            return BOOLEAN
        case NamedType(Name(text, span)):
            if text not in scope.named:
                raise UserError(span, f"there is no type {text}")
            return scope.named[text]
        case RangeType():
            return make_range(scope, e, name)
        case EnumType(members, span):
            return Enum(tuple(member.text for member in members), name, scope.numbers(len(members)), span)
        case ScalarsetType(size, span):
            n = size_constant(scope, size, "a scalarset", 1)
            return Scalarset(n, name or "scalarset", scope.numbers(n), span)
        case UnionType(members, span):
            return make_union(scope, members, name, span)
        case RecordType(fields):
            return make_record(scope, fields)
        case ArrayType(index, element):
            return Array(simple_type(scope, index, "the index of an array"), resolve_type(scope, element))
        case MultisetType(size, element, span):
            return Multiset(size_constant(scope, size, "a multiset", 0), resolve_type(scope, element), span)


def make_range(scope: Scope, e: RangeType, name: str) -> Type:
    low, high = constant(scope, e.low), constant(scope, e.high)
    if isinstance(low.type, Enum) and low.type is high.type:
        return EnumRange(low.type, low.value, high.value)
    if low.type != INTEGER or high.type != INTEGER:
        raise UserError(e.span, "the bounds of a range should be two numbers")
    if high.value < low.value - 1:
        raise UserError(e.span, f"the range {low.value}..{high.value} ends before it begins")
    return Range(low.value, high.value, name, e.span)


def make_union(scope: Scope, members: tuple[TypeExpression, ...], name: str, span: Span) -> Union:
    found: list[Scalarset | Enum] = []
    for member in members:
        match resolve_type(scope, member):
            case Scalarset() | Enum() as type:
                found.append(type)
            case Union(members=inner):
                found += inner
            case type:
                raise UserError(member.span, f"a union joins scalarsets and enumerations, not {show_type(type)}")
    return Union(tuple(dict.fromkeys(found)), name, span)


def make_record(scope: Scope, fields: tuple[tuple[Name, TypeExpression], ...]) -> Record:
    found: dict[str, Type] = {}
    for field_name, type in fields:
        if field_name.text in found:
            raise UserError(field_name.span, f"the record has two fields {field_name.text}")
        found[field_name.text] = resolve_type(scope, type)
    return Record(tuple(found.items()))


def simple_type(scope: Scope, e: TypeExpression, what: str) -> Simple:
    type = resolve_type(scope, e)
    if not is_simple(type):
        raise UserError(e.span, f"{what} should be of a simple type, not {show_type(type)}")
    return type  # type: ignore[return-value]


def size_constant(scope: Scope, e: Expression, what: str, least: int) -> int:
    found = constant(scope, e)
    if found.type != INTEGER or not least <= found.value <= LARGEST_SIZE:
        raise UserError(e.span, f"the size of {what} should be a number from {least} to {LARGEST_SIZE}")
    return found.value


def declare_members(scope: Scope, enum: Enum, e: TypeExpression) -> None:
    for k, member in enumerate(enum.members):
        scope.constants[member] = Fixed(k, enum)
