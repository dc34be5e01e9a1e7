"""How large the integers in a value can be: types with bounds as an abstract domain, and expressions evaluated in it.

A range is a type of the System whose numbers have bounds as far as they are known; None is the range of no value.
``Facts`` are ranges of expressions that a guard has established.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from quorbit.model.system.expression import (
    Apply,
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
    Operator,
    Otherwise,
    Part,
    Quantifier,
    Quantify,
    Read,
)
from quorbit.model.system.types import INTEGER, TRUTH, AtomOf, Number, SetOf, TupleOf, Type, size
from quorbit.source.frozen import field, frozen, replace

O = Operator
Range = Type | None
Facts = dict[Expr, Type]
# Inside a set, where None cannot stand, a number between 1 and 0 means that there is no element.


def is_empty(r: Range) -> bool:
    """No value fits."""
    match r:
        case None:
            return True
        case Number(low, high):
            return low is not None and high is not None and low > high
        case TupleOf(parts):
            return any(is_empty(p) for p in parts)
    return False


def join(a: Range, b: Range) -> Range:
    """The least range that has the values of both."""
    if is_empty(a):
        return b
    if is_empty(b):
        return a
    match a, b:
        case Number(low, high, names), Number(other_low, other_high):
            return Number(least(low, other_low), most(high, other_high), names)
        case SetOf(x), SetOf(y):
            return SetOf(join(x, y) or x)
        case TupleOf(xs, names), TupleOf(ys):
            return TupleOf(tuple(join(x, y) or x for x, y in zip(xs, ys, strict=True)), names)
        case AtomOf(xs, optional), AtomOf(ys, other):
            return AtomOf(tuple(sorted({*xs, *ys})), optional or other)
    return a


def meet(a: Range, b: Range) -> Range:
    """The values that fit both, as far as bounds say it."""
    if is_empty(a) or is_empty(b):
        return None
    match a, b:
        case Number(low, high, names), Number(other_low, other_high):
            return Number(most(low, other_low, None), least(high, other_high, None), names)
        case SetOf(x), SetOf(y):
            return SetOf(meet(x, y) or Number(1, 0))
        case TupleOf(xs, names), TupleOf(ys):
            parts = [meet(x, y) for x, y in zip(xs, ys, strict=True)]
            return None if any(p is None for p in parts) else TupleOf(tuple(p for p in parts if p is not None), names)
    return a


def least(a: int | None, b: int | None, unknown: int | None = 0) -> int | None:
    """The lesser bound; with ``unknown`` None an unknown bound gives way, else it wins."""
    if a is None or b is None:
        return (b if a is None else a) if unknown is None else None
    return min(a, b)


def most(a: int | None, b: int | None, unknown: int | None = 0) -> int | None:
    if a is None or b is None:
        return (b if a is None else a) if unknown is None else None
    return max(a, b)


@cache
def has_number(of: Type) -> bool:
    match of:
        case Number():
            return True
        case SetOf(element):
            return has_number(element)
        case TupleOf(parts):
            return any(has_number(p) for p in parts)
    return False


@lru_cache(maxsize=1000)
def range_of_literal(value: Any, of: Type) -> Type:
    """The same for values that a System holds: all valuations of the constants may be one, and are met again."""
    return range_of_value(value, of)


def range_of_value(value: Any, of: Type) -> Type:
    """The tightest range of one value; the empty set has no element, whatever its type says of them."""
    if isinstance(of, SetOf) and not value:
        return SetOf(Number(1, 0))
    if not has_number(of):
        return of
    match of:
        case Number(names=names):
            return Number(value, value, names)
        case SetOf(element):
            return range_of_set(value, element)
        case TupleOf(parts, names):
            return TupleOf(tuple(range_of_value(v, t) for v, t in zip(value, parts, strict=True)), names)
    return of


@lru_cache(maxsize=1024)
def range_of_set(values: frozenset[Any], element: Type) -> Type:
    """The same constants are looked at again and again."""
    if isinstance(element, Number):
        return SetOf(Number(min(values), max(values), element.names))
    found: Range = None
    for x in values:
        found = join(found, range_of_value(x, element))
    return SetOf(found if found is not None else Number(1, 0))


@frozen
class Ranges:
    """What is known: of variables, of bound parameters, and by guards; ``functional`` variables are functions."""

    variables: dict[str, Range]
    functional: frozenset[str] = frozenset()
    bound: dict[str, Range] = field(default_factory=dict)
    facts: Facts = field(default_factory=dict)

    def knowing(self, facts: Facts) -> Ranges:
        if not facts:
            return self
        joined = dict(self.facts)
        for e, r in facts.items():
            known = joined.get(e)
            joined[e] = r if known is None else meet(known, r) or Number(1, 0)
        return replace(self, facts=joined)

    def binding(self, name: str, domain: Domain) -> Ranges:
        return replace(self, bound={**self.bound, name: range_of_domain(self, domain)})


def range_of_domain(to: Ranges, domain: Domain) -> Range:
    match domain:
        case Atoms(atoms) | Fresh(atoms=atoms):
            return AtomOf(atoms)
        case Interval(low, high):
            return Number(low, high)
        case Elements(set=s, type=of):
            return meet(element(range_of(to, s)), of) if isinstance(of, Number) else element(range_of(to, s))
    raise AssertionError(domain)


def element(r: Range) -> Range:
    return r.element if isinstance(r, SetOf) and not is_empty(r.element) else None


def range_of(to: Ranges, e: Expr) -> Range:
    """A range that has every value the expression can have."""
    found = range_of_case(to, e)
    return meet(found, to.facts[e]) if isinstance(found, Number) and to.facts and e in to.facts else found


def range_of_case(to: Ranges, e: Expr) -> Range:
    match e:
        case Literal(value, of):
            return range_of_literal(value, of)
        case Bound(name):
            return to.bound.get(name)
        case Read(variable=name):
            return to.variables.get(name)
        case Apply(operator, operands):
            return range_of_operator(to, operator, operands)
        case Part(whole, k):
            r = range_of(to, whole)
            return r.parts[k] if isinstance(r, TupleOf) else None
        case Condition(test, then, other):
            yes, no = where(to, test, True), where(to, test, False)
            return join(range_of(yes, then), range_of(no, other))
        case Otherwise(body, other):
            return join(range_of(to, body), range_of(to, other))
        case Quantify():
            return range_of_quantifier(to, e)
        case Compute(type=of):
            return of
    return INTEGER


def range_of_quantifier(to: Ranges, e: Quantify) -> Range:
    inner = where(to.binding(e.parameter.name, e.parameter.domain), e.condition, True)
    domain = inner.bound[e.parameter.name]
    match e.quantifier:
        case Quantifier.COLLECT:
            body = range_of(inner, e.body)
            return SetOf(body if body is not None else Number(1, 0))
        case Quantifier.SUM:
            return total(range_of(inner, e.body), count(domain))
        case Quantifier.COUNT:
            return Number(0, count(domain))
        case Quantifier.TIMES:
            return INTEGER
    return TRUTH


def total(r: Range, n: int | None) -> Range:
    """The sum of at most n numbers."""
    if r is None or n == 0:
        return Number(0, 0)
    if not isinstance(r, Number) or n is None:
        return INTEGER
    low = None if r.low is None else min(0, n * r.low)
    high = None if r.high is None else max(0, n * r.high)
    return Number(low, high)


def count(r: Range) -> int | None:
    """How many values fit."""
    return 0 if is_empty(r) or r is None else size(r)


def range_of_operator(to: Ranges, operator: Operator, operands: tuple[Expr, ...]) -> Range:
    if operator in TRUTHS:
        return TRUTH
    if operator is O.SIZE:
        return Number(0, largest_size(to, operands[0]))
    ranges = [range_of(to, operand) for operand in operands]
    if operator not in (O.SET, O.UNION, O.OVERRIDE, O.TUPLE) and any(is_empty(r) for r in ranges):
        return None
    return RULES.get(operator, unknown)(ranges)


def largest_size(to: Ranges, s: Expr) -> int | None:
    """A function has no more pairs than its domain has elements."""
    r = element(range_of(to, s))
    return count(r.parts[0]) if isinstance(r, TupleOf) and is_functional(to, s) else count(r)


def is_functional(to: Ranges, s: Expr) -> bool:
    """A variable that the invariant calls a function, perhaps behind a test that leaves no other value."""
    match s:
        case Read(variable=name):
            return name in to.functional
        case Condition(then=then, other=other):
            return is_functional(to, then) and is_empty(range_of(to, other))
    return False


def unknown(ranges: list[Range]) -> Range:
    return INTEGER


def arithmetic(f: Callable[[int, int], int], corners: bool = False) -> Callable[[list[Range]], Range]:
    """Bounds of sums and products from the bounds of the operands."""

    def rule(ranges: list[Range]) -> Range:
        first, *rest = ranges
        for r in rest:
            first = combine(first, r, f, corners)
        return first

    return rule


def combine(a: Range, b: Range, f: Callable[[int, int], int], corners: bool) -> Range:
    if not isinstance(a, Number) or not isinstance(b, Number):
        return INTEGER
    if corners:
        known = (a.low, a.high, b.low, b.high)
        if any(k is None for k in known):
            return INTEGER
        found = [f(x, y) for x in known[:2] for y in known[2:] if x is not None and y is not None]
        return Number(min(found), max(found))
    return Number(both(f, a.low, b.low), both(f, a.high, b.high))


def both(f: Callable[[int, int], int], a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else f(a, b)


def subtract(ranges: list[Range]) -> Range:
    a, b = ranges
    if not isinstance(a, Number) or not isinstance(b, Number):
        return INTEGER
    return Number(both(int.__sub__, a.low, b.high), both(int.__sub__, a.high, b.low))


def negate(ranges: list[Range]) -> Range:
    return subtract([Number(0, 0), ranges[0]])


def divide(ranges: list[Range]) -> Range:
    """A quotient is no farther from 0 than its dividend."""
    a = ranges[0]
    if not isinstance(a, Number):
        return INTEGER
    return Number(None if a.low is None else min(0, a.low), None if a.high is None else max(0, a.high))


def modulo(ranges: list[Range]) -> Range:
    b = ranges[1]
    high = b.high - 1 if isinstance(b, Number) and b.high is not None else None
    return Number(0 if high is not None else None, high)


def joined(ranges: list[Range]) -> Range:
    found: Range = None
    for r in ranges:
        found = join(found, r)
    return found


def collected(ranges: list[Range]) -> Range:
    found = joined(ranges)
    return SetOf(found if found is not None else Number(1, 0))


def pair_parts(r: Range) -> tuple[Range, Range]:
    inner = element(r)
    return (inner.parts[0], inner.parts[1]) if isinstance(inner, TupleOf) else (None, None)


def set_of(r: Range) -> Range:
    return SetOf(r if r is not None else Number(1, 0))


def pairs(left: Range, right: Range) -> Range:
    return set_of(None if left is None or right is None else TupleOf((left, right)))


def tuple_range(ranges: list[Range]) -> Range:
    return None if any(r is None for r in ranges) else TupleOf(tuple(r for r in ranges if r is not None))


def interval_range(ranges: list[Range]) -> Range:
    a, b = ranges
    return SetOf(Number(a.low if isinstance(a, Number) else None, b.high if isinstance(b, Number) else None))


def compose_range(ranges: list[Range]) -> Range:
    return pairs(pair_parts(ranges[0])[0], pair_parts(ranges[1])[1])


def restrict(k: int) -> Callable[[list[Range]], Range]:
    """One side of a relation met with a set: domain (0: set first) or range (1: relation first)."""

    def rule(ranges: list[Range]) -> Range:
        s, r = (ranges[0], ranges[1]) if k == 0 else (ranges[1], ranges[0])
        parts = list(pair_parts(r))
        parts[k] = meet(parts[k], element(s))
        return pairs(parts[0], parts[1])

    return rule


RULES: dict[Operator, Callable[[list[Range]], Range]] = {
    O.ADD: arithmetic(int.__add__),
    O.MULTIPLY: arithmetic(int.__mul__, corners=True),
    O.SUBTRACT: subtract,
    O.NEGATE: negate,
    O.DIVIDE: divide,
    O.MODULO: modulo,
    O.MINIMUM: lambda rs: element(rs[0]),
    O.MAXIMUM: lambda rs: element(rs[0]),
    O.TUPLE: tuple_range,
    O.SET: collected,
    O.UNION: joined,
    O.OVERRIDE: joined,
    O.INTERSECTION: lambda rs: meet(rs[0], rs[1]) or SetOf(Number(1, 0)),
    O.DIFFERENCE: lambda rs: rs[0],
    O.PRODUCT: lambda rs: pairs(element(rs[0]), element(rs[1])),
    O.POWERSET: lambda rs: set_of(rs[0]),
    O.INTERVAL: interval_range,
    O.BIG_UNION: lambda rs: element(rs[0]) or SetOf(Number(1, 0)),
    O.BIG_INTERSECTION: lambda rs: element(rs[0]) or SetOf(Number(1, 0)),
    O.DOMAIN: lambda rs: set_of(pair_parts(rs[0])[0]),
    O.RANGE: lambda rs: set_of(pair_parts(rs[0])[1]),
    O.INVERSE: lambda rs: pairs(pair_parts(rs[0])[1], pair_parts(rs[0])[0]),
    O.COMPOSE: compose_range,
    O.IMAGE: lambda rs: set_of(pair_parts(rs[0])[1]),
    O.APPLY: lambda rs: pair_parts(rs[0])[1],
    O.DOMAIN_RESTRICT: restrict(0),
    O.RANGE_RESTRICT: restrict(1),
    O.CLOSURE: lambda rs: rs[0],
    O.CHOICE: lambda rs: element(rs[0]),
}
TRUTHS = frozenset({O.NOT, O.AND, O.OR, O.EQUAL, O.LESS, O.LESS_EQUAL, O.MEMBER, O.SUBSET})


# Facts.


def where(to: Ranges, test: Expr, holds: bool) -> Ranges:
    """What is known where a test holds, or where it does not."""
    match test:
        case Apply(O.NOT, (inner,)):
            return where(to, inner, not holds)
        case Apply(O.AND, operands) if holds:
            return where_all(to, operands, True)
        case Apply(O.OR, operands) if not holds:
            return where_all(to, operands, False)
        case Apply(O.LESS, (a, b)):
            return to.knowing(ordered(to, a, b, 1) if holds else ordered(to, b, a, 0))
        case Apply(O.LESS_EQUAL, (a, b)):
            return to.knowing(ordered(to, a, b, 0) if holds else ordered(to, b, a, 1))
        case Apply(O.EQUAL, (a, b)) if holds:
            return to.knowing(numbers([(a, range_of(to, b)), (b, range_of(to, a))]))
        case Apply(O.MEMBER, (x, s)) if holds:
            return to.knowing(numbers([(x, element(range_of(to, s)))]))
        case Otherwise(body, Literal(0)) if holds:
            return where(to, body, True)
    return to


def where_all(to: Ranges, tests: tuple[Expr, ...], holds: bool) -> Ranges:
    for test in tests:
        to = where(to, test, holds)
    return to


def ordered(to: Ranges, a: Expr, b: Expr, apart: int) -> Facts:
    """a + apart <= b."""
    left, right = range_of(to, a), range_of(to, b)
    found: list[tuple[Expr, Range]] = []
    if isinstance(right, Number) and right.high is not None:
        found.append((a, Number(None, right.high - apart)))
    if isinstance(left, Number) and left.low is not None:
        found.append((b, Number(left.low + apart, None)))
    return numbers(found)


def numbers(found: list[tuple[Expr, Range]]) -> Facts:
    """What is known of numbers; the last, where one expression stands twice."""
    return {e: r for e, r in found if isinstance(r, Number) and not isinstance(e, Literal)}
