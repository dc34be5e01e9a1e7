"""Expressions with their Murphi types, and what can be made of one: a number, a truth value, a value of another type.

Facts about the types are recorded on the way (facts.py): which ranges flow into each other, and which are more than
names.
"""

from __future__ import annotations

from quorbit.languages.murphi.facts import Facts
from quorbit.languages.murphi.lower.store import Spot, Store
from quorbit.languages.murphi.types import (
    INTEGER,
    Boolean,
    Enum,
    EnumRange,
    Integer,
    Range,
    Scalarset,
    Simple,
    SlotOf,
    Type,
    Union,
    bounds,
    show_type,
)
from quorbit.model.specialise.simplify import fold
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Condition,
    Expr,
    Literal,
    NumberOf,
    Operator,
    equal,
    negation,
    number,
)
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

__all__ = ["Typed", "limits_of"]

O = Operator
Bounds = tuple[int, int]


@frozen
class Typed:
    """``fixed``: made of constants and parameters only.  ``limits``: what a number is between, if that is known.
    ``raw``: the place it is read from, which may be undefined."""

    expr: Expr
    type: Type
    span: Span
    fixed: bool = False
    limits: Bounds | None = None
    raw: Spot | None = None


def numeral(value: int, span: Span, type: Type = INTEGER) -> Typed:
    return Typed(number(value, span), type, span, True, (value, value))


class Values:
    """Conversions between types, for one way of storing them."""

    def __init__(self, store: Store, facts: Facts) -> None:
        self.store, self.facts = store, facts

    # Reading.

    def read(self, spot: Spot, span: Span) -> Typed:
        """The value of a place; a fault where it is undefined."""
        e: Expr = spot.read(span)
        if isinstance(spot.type, SlotOf) or not isinstance(
            spot.type, Boolean | Range | Scalarset | Enum | EnumRange | Union
        ):
            raise UserError(span, f"a simple value is expected, this is {show_type(spot.type)}")
        if self.store.may_be_undefined(spot.key):
            e = Apply(O.PRESENT, (e, self.store.absent(spot.type, span)), span)
        return Typed(e, spot.type, span, False, limits_of(spot.type), spot)

    # Numbers and truth.

    def as_number(self, a: Typed, reason: str, pins: bool = True) -> Expr:
        """A number, for arithmetic and order; ``pins``: the numbers of a stored value are then more than names."""
        match a.type:
            case Integer():
                return a.expr
            case Range() as range:
                if pins:
                    self.facts.order(range, a.span, reason)
                return self.number_in(a.expr, range, a.span)
            case _:
                raise UserError(a.span, f"a number is expected, this is {show_type(a.type)}")

    def number_in(self, e: Expr, range: Range, span: Span) -> Expr:
        sort = self.store.sort_of(range)
        return e if sort is None else fold(NumberOf(e, sort.atoms, sort.first, span=span))

    def as_truth(self, a: Typed) -> Expr:
        if not isinstance(a.type, Boolean):
            raise UserError(a.span, f"a condition is expected, this is {show_type(a.type)}")
        return a.expr

    # Other types.

    def convert(self, a: Typed, to: Type, raw: bool = False) -> Expr:
        """The value as one of another type.  ``raw``: an undefined value is passed on, if a is read from a place."""
        e, optional = a.expr, None
        if raw and a.raw is not None and self.store.may_be_undefined(a.raw.key):
            e, optional = a.raw.read(a.span), a.raw.type
        found = self.converted(e, a, to)
        if optional is None:
            return found
        assert not isinstance(optional, SlotOf)
        old, new = self.store.absent(optional, a.span), self.store.absent(to, a.span)  # type: ignore[arg-type]
        if old == new and found is e:
            return found
        return Condition(equal(e, old, a.span), new, found, a.span)

    def converted(self, e: Expr, a: Typed, to: Type) -> Expr:
        match a.type, to:
            case (Boolean(), Boolean()) | (Integer(), Integer()):
                return e
            case Range() as own, Range() as other:
                self.facts.join(own, other)
                return e
            case Integer(), Range() as other:
                return self.value_numbered(e, a, other)
            case ((Range() | Enum() | EnumRange()), Integer()):
                return self.as_number(a, "it is used as a number")
            case Scalarset() as own, Scalarset() as other if own is other:
                return e
            case ((Enum() | EnumRange()), (Enum() | EnumRange())) if enum_of(a.type) is enum_of(to):
                return e
            case (Union(), Union()) | (Scalarset(), Union()) | (Union(), Scalarset()) if are_related(a.type, to):
                return e
            case ((Enum() | EnumRange()), Union()) if are_related(a.type, to):
                return self.member_of_union(e, enum_of(a.type), a.span)
            case Union(), (Enum() | EnumRange()) if are_related(a.type, to):
                return self.member_of_enum(e, enum_of(to), a.span)
            case SlotOf(own_set), SlotOf(other_set) if own_set == other_set:
                return e
        raise UserError(a.span, f"this is {show_type(a.type)}, but {show_type(to)} is expected")

    def value_numbered(self, e: Expr, a: Typed, to: Range) -> Expr:
        """The value of a range with this number; a fault, later, if there is none."""
        if isinstance(e, Literal) and isinstance(e.value, int):
            self.facts.mention(to, e.value, a.span)
        elif not a.fixed:
            self.facts.order(to, a.span, "a computed number is stored in it or used as one")
        sort = self.store.sort_of(to)
        return e if sort is None else fold(AtomAt(e, sort.atoms, sort.first, span=a.span))

    def member_of_union(self, e: Expr, enum: Enum, span: Span) -> Expr:
        if self.store.numeric:
            return fold(Apply(O.ADD, (e, number(enum.first)), span))
        return fold(AtomAt(e, self.store.member_atoms(enum), 0, span=span))

    def member_of_enum(self, e: Expr, enum: Enum, span: Span) -> Expr:
        if self.store.numeric:
            return fold(Apply(O.SUBTRACT, (e, number(enum.first)), span))
        return fold(NumberOf(e, self.store.member_atoms(enum), 0, span=span))

    def position(self, a: Typed, index: Simple) -> Expr:
        """Where in an array: an atom, or a number from 0."""
        e = self.convert(a, index)
        if self.store.sort_of(index) is not None:
            return e
        low, _ = bounds(index)
        return e if low == 0 else fold(Apply(O.SUBTRACT, (e, number(low)), a.span))

    def stored(self, a: Typed, spot: Spot) -> Expr:
        """The value as it is stored in a place of a simple type; where the type has room for undefined, a number that
        would be taken for it is a fault."""
        to = spot.type
        assert isinstance(to, Boolean | Range | Scalarset | Enum | EnumRange | Union)
        e = self.convert(a, to, raw=True)
        if a.raw is not None:
            self.facts.copies.add((a.raw.key, spot.key))
        has_room = isinstance(to, Range) and self.store.sort_of(to) is None and self.store.may_be_undefined(spot.key)
        if has_room and not is_between(a.limits, limits_of(to)):
            return Apply(O.PRESENT, (e, self.store.absent(to, a.span)), a.span)
        return e

    # Equality.

    def equals(self, a: Typed, b: Typed, span: Span) -> Expr:
        match a.type, b.type:
            case Boolean(), Boolean():
                return same_truth(a.expr, b.expr, span)
            case Range(), Range():
                return fold(equal(a.expr, self.convert(b, a.type), span))
            case Range() as range, Integer():
                return self.equals_number(a, range, b, span)
            case Integer(), Range() as range:
                return self.equals_number(b, range, a, span)
            case (_, Union()) | (Union(), _):
                union = a.type if isinstance(a.type, Union) else b.type
                return fold(equal(self.convert(a, union), self.convert(b, union), span))
            case _:
                return fold(equal(a.expr, self.convert(b, a.type), span))

    def equals_number(self, a: Typed, range: Range, b: Typed, span: Span) -> Expr:
        """A number that may be outside the range is compared as a number, so that it is not a fault."""
        if not is_between(b.limits, (range.low, range.high)) or not b.fixed:
            return fold(equal(self.as_number(a, "it is compared with a computed number", not a.fixed), b.expr, span))
        return fold(equal(a.expr, self.value_numbered(b.expr, b, range), span))


def same_truth(a: Expr, b: Expr, span: Span) -> Expr:
    for one, other in ((a, b), (b, a)):
        if isinstance(other, Literal):
            return one if other.value else fold(negation(one, span))
    return equal(a, b, span)


def limits_of(type: Type) -> Bounds | None:
    return bounds(type) if isinstance(type, Range | Enum | EnumRange) else None


def is_between(a: Bounds | None, b: Bounds | None) -> bool:
    return a is not None and b is not None and b[0] <= a[0] and a[1] <= b[1]


def enum_of(type: Type) -> Enum:
    assert isinstance(type, Enum | EnumRange)
    return type.enum if isinstance(type, EnumRange) else type


def members_of(type: Type) -> tuple[object, ...]:
    match type:
        case Union(members):
            return members
        case EnumRange(enum):
            return (enum,)
        case _:
            return (type,)


def are_related(a: Type, b: Type) -> bool:
    """Whether some value belongs to both."""
    return not set(members_of(a)).isdisjoint(members_of(b))
