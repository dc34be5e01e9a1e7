"""What is known of the values of an expression before it is evaluated, as a type of shapes (shapes.py): all scalars are
numbers, with bounds where these are sure.

The functions that the machine calls need it: their results have a place in registers before anything is computed.
"""

from __future__ import annotations

from collections.abc import Mapping

from quorbit.machine.compile.shapes import NOTHING, Unshaped, join_types
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Compute,
    Condition,
    Domain,
    Elements,
    Expr,
    Fresh,
    Interval,
    Literal,
    NumberOf,
    Operator,
    Otherwise,
    Part,
    Quantifier,
    Quantify,
    Wrap,
)
from quorbit.model.system.types import INTEGER, NONE, AtomOf, Number, QueueOf, SetOf, Text, Truth, TupleOf, Type, Value
from quorbit.source.exhaustive import assert_never

__all__ = ["kind_of", "kind_of_value"]

O = Operator
Kinds = Mapping[str, Type]
TRUTH = Number(0, 1)
SIZE = Number(0, None)
TRUTHS = (O.NOT, O.AND, O.OR, O.EQUAL, O.LESS, O.LESS_EQUAL, O.MEMBER, O.SUBSET)
LIKE_FIRST = (O.DIFFERENCE, O.RANGE_RESTRICT, O.REST, O.WITHOUT, O.INTERSECTION, O.PRESENT)


def plain_type(type: Type) -> Type:
    """A type of the System as a type of shapes."""
    match type:
        case Truth():
            return TRUTH
        case AtomOf(atoms, optional):
            listed = (*atoms, NONE) if optional or not atoms else atoms
            return Number(min(listed), max(listed))
        case Text():
            return SIZE
        case Number(low, high):
            return Number(low, high)
        case TupleOf(parts):
            return TupleOf(tuple(map(plain_type, parts)))
        case SetOf(element):
            return SetOf(plain_type(element))
        case QueueOf(message, capacity):
            return QueueOf(plain_type(message), capacity)
        case _:
            assert_never(type)


def kind_of_value(value: Value, type: Type) -> Type:
    """The least kind of a constant; strings are numbers."""
    match value, type:
        case int(n), _:
            return Number(n, n)
        case tuple(), QueueOf(message):
            return QueueOf(joined([kind_of_value(v, message) for v in value]), len(value))
        case tuple(), TupleOf(parts) if len(parts) == len(value):
            return TupleOf(tuple(kind_of_value(v, t) for v, t in zip(value, parts, strict=True)))
        case frozenset(), SetOf(element):
            return SetOf(joined([kind_of_value(v, element) for v in value]))
        case _:
            raise Unshaped("a constant is not of its type")


def joined(kinds: list[Type]) -> Type:
    found: Type = NOTHING
    for kind in dict.fromkeys(kinds):
        found = join_types(found, kind)
    return found


def kind_of(e: Expr, kinds: Kinds) -> Type:
    """Requires an expression over parameters only."""
    match e:
        case Literal(value, type):
            return kind_of_value(value, type)
        case Bound(name):
            return kinds[name]
        case Apply(operator, operands):
            return kind_of_apply(operator, [kind_of(operand, kinds) for operand in operands])
        case Part(inner, k):
            return part_of(kind_of(inner, kinds), k)
        case Condition(_, then, other) | Otherwise(then, other):
            return join_types(kind_of(then, kinds), kind_of(other, kinds))
        case Wrap(_, bits, signed):
            return Number(-(1 << bits - 1), (1 << bits - 1) - 1) if signed else Number(0, (1 << bits) - 1)
        case Quantify():
            return kind_of_quantify(e, kinds)
        case Compute(type=type):
            return plain_type(type)
        case NumberOf() | AtomAt():
            return INTEGER
        case _:
            raise Unshaped("nothing is known of what this gives")


def part_of(kind: Type, k: int) -> Type:
    match kind:
        case TupleOf(parts) if k < len(parts):
            return parts[k]
        case QueueOf(message):
            return message
        case _:
            return empty_or(kind, "a tuple is expected")


def kind_of_quantify(e: Quantify, kinds: Kinds) -> Type:
    match e.quantifier:
        case Quantifier.ALL | Quantifier.SOME:
            return TRUTH
        case Quantifier.COUNT:
            return SIZE
        case Quantifier.COLLECT:
            inner = {**kinds, e.parameter.name: kind_of_domain(e.parameter.domain, kinds)}
            return SetOf(kind_of(e.body, inner))
        case _:
            return INTEGER


def kind_of_domain(domain: Domain, kinds: Kinds) -> Type:
    match domain:
        case Atoms(atoms):
            return Number(min(atoms), max(atoms)) if atoms else NOTHING
        case Interval(low, high):
            return Number(low, high) if low <= high else NOTHING
        case Elements(set=s):
            return element_of(kind_of(s, kinds))
        case Fresh(atoms):
            return Number(NONE, max(atoms, default=NONE))


def empty_or(kind: Type, message: str) -> Type:
    if kind == NOTHING:
        return NOTHING
    raise Unshaped(message)


def element_of(kind: Type) -> Type:
    return kind.element if isinstance(kind, SetOf) else empty_or(kind, "a set is expected")


def sides(kind: Type) -> tuple[Type, Type]:
    match element_of(kind):
        case TupleOf((a, b)):
            return a, b
        case other:
            return empty_or(other, "a relation is expected"), NOTHING


def kind_of_apply(operator: Operator, found: list[Type]) -> Type:
    if operator in TRUTHS:
        return TRUTH
    if operator in LIKE_FIRST:
        return found[0]
    match operator:
        case O.TUPLE:
            return TupleOf(tuple(found))
        case O.SET:
            return SetOf(joined(found))
        case O.UNION | O.OVERRIDE:
            return joined(found)
        case O.SIZE:
            return SIZE
        case O.POWERSET:
            return SetOf(found[0])
        case O.INTERVAL:
            return interval(*found)
        case O.MINIMUM | O.MAXIMUM | O.BIG_UNION | O.BIG_INTERSECTION | O.CHOICE:
            return element_of(found[0])
        case O.DOMAIN_RESTRICT:
            return found[1]
        case O.QUEUE:
            return QueueOf(joined(found), len(found))
        case O.APPEND | O.INSERT_SORTED:
            return QueueOf(join_types(message_of(found[0]), found[1]))
        case O.FIRST | O.ELEMENT:
            return message_of(found[0])
        case _:
            return kind_of_relation(operator, found)


def interval(a: Type, b: Type) -> Type:
    low = a.low if isinstance(a, Number) else None
    high = b.high if isinstance(b, Number) else None
    return SetOf(NOTHING if low is not None and high is not None and low > high else Number(low, high))


def message_of(kind: Type) -> Type:
    match kind:
        case QueueOf(message):
            return message
        case TupleOf(parts):
            return joined(list(parts))
        case _:
            return empty_or(kind, "a queue is expected")


def kind_of_relation(operator: Operator, found: list[Type]) -> Type:
    match operator:
        case O.PRODUCT:
            return SetOf(TupleOf((element_of(found[0]), element_of(found[1]))))
        case O.DOMAIN:
            return SetOf(sides(found[0])[0])
        case O.RANGE | O.IMAGE:
            return SetOf(sides(found[0])[1])
        case O.APPLY:
            return sides(found[0])[1]
        case O.INVERSE:
            return SetOf(TupleOf(sides(found[0])[::-1]))
        case O.COMPOSE:
            return SetOf(TupleOf((sides(found[0])[0], sides(found[1])[1])))
        case O.CLOSURE:
            both = join_types(*sides(found[0]))
            return SetOf(TupleOf((both, both)))
        case _:
            return INTEGER
