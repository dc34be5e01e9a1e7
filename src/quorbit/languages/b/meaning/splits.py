"""Sequences taken apart: ``s = x ^ t ^ y`` with s and t known gives x and y their values, one for each place of t.

What is joined is a list of parts, each a sequence or one element; at most two unknown sequences are among them.
"""

from __future__ import annotations

from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Binder,
    Formula,
    Junction,
    Name,
    Number,
    SequenceOf,
    Unary,
)
from quorbit.languages.b.syntax.walk import free_names
from quorbit.languages.b.types.types import INTEGER, PREDICATE, PairType, SetOfType, relation
from quorbit.source.frozen import frozen


@frozen
class Part:
    """A sequence that is joined, or one element."""

    formula: Formula
    single: bool


def split_pairs(c: Binary, unknown: dict[str, Name]) -> tuple[Formula, Formula] | None:
    """A tuple of unknown names and the set of values that an equation of sequences leaves them; it is checked later."""
    for joined, whole in ((c.left, c.right), (c.right, c.left)):
        parts = parts_of(joined)
        open_parts = [p for p in parts if is_unknown(p, unknown)]
        names = [p.formula for p in open_parts]
        known = [whole, *(p.formula for p in parts if p not in open_parts)]
        once = len({name for f in names for name in free_names(f)}) == len(names)
        few = sum(not p.single for p in open_parts) <= 2
        is_open = any(free_names(f) & unknown.keys() for f in known)
        if len(parts) > 1 and names and once and few and not is_open:
            return tupled(names), values(parts, unknown, whole)
    return None


def parts_of(f: Formula) -> list[Part]:
    match f:
        case Binary(op="^", left=left, right=right):
            return [*parts_of(left), *parts_of(right)]
        case Binary(op="->", left=x, right=rest):
            return [Part(x, True), *parts_of(rest)]
        case Binary(op="<-", left=rest, right=x):
            return [*parts_of(rest), Part(x, True)]
        case SequenceOf(items=items) if items:
            return [Part(x, True) for x in items]
    return [Part(f, False)]


def values(parts: list[Part], unknown: dict[str, Name], whole: Formula) -> Formula:
    """The range of %n.(n : 0..free | ...), where n is the length of the first unknown sequence."""
    span = whole.span
    n = Name(span, "length#", type=INTEGER)
    fixed: Formula = Number(span, 0)
    for p in parts:
        if p.single or not is_unknown(p, unknown):
            fixed = sum_of(fixed, Number(span, 1) if p.single else size(p.formula))
    free = difference(size(whole), fixed)
    lengths = [p for p in parts if not p.single and is_unknown(p, unknown)]
    least = Number(span, 0) if len(lengths) == 2 else free
    found: list[Formula] = []
    place: Formula = Number(span, 0)
    for p in parts:
        length = Number(span, 1) if p.single else size(p.formula)
        if is_unknown(p, unknown) and not p.single:
            length = n if p is lengths[0] else difference(free, n)
        if is_unknown(p, unknown):
            found.append(element(whole, place) if p.single else cut_out(whole, place, length))
        place = sum_of(place, length)
    body = tupled(found)
    bounds = Binary(span, "..", least, free, type=SetOfType(INTEGER))
    inside = Binary(span, ":", n, bounds, type=PREDICATE)
    positive = Binary(span, ">=", free, Number(span, 0), type=PREDICATE)
    table = Binder(span, "%", (n,), conjoined(inside, positive), body, type=relation(INTEGER, body.type))
    return Unary(span, "ran", table, type=SetOfType(body.type))


def is_unknown(p: Part, unknown: dict[str, Name]) -> bool:
    return isinstance(p.formula, Name) and p.formula.name in unknown


def tupled(items: list[Formula]) -> Formula:
    first, *rest = items
    for item in rest:
        first = Binary(first.span, "|->", first, item, type=PairType(first.type, item.type))
    return first


def conjoined(a: Formula, b: Formula) -> Formula:
    return Junction(a.span, "&", (b, a), type=PREDICATE)


def size(s: Formula) -> Formula:
    return Unary(s.span, "size", s, type=INTEGER)


def sum_of(a: Formula, b: Formula) -> Formula:
    return b if a == Number(a.span, 0) else Binary(a.span, "+", a, b, type=INTEGER)


def difference(a: Formula, b: Formula) -> Formula:
    return a if b == Number(b.span, 0) else Binary(a.span, "-", a, b, type=INTEGER)


def cut_out(s: Formula, place: Formula, length: Formula) -> Formula:
    """(s \\|/ place) /|\\ length"""
    rest = Binary(s.span, "\\|/", s, place, type=s.type)
    return Binary(s.span, "/|\\", rest, length, type=s.type)


def element(s: Formula, place: Formula) -> Formula:
    assert isinstance(s.type, SetOfType)
    assert isinstance(s.type.element, PairType)
    return Apply(s.span, s, (sum_of(place, Number(s.span, 1)),), type=s.type.element.right)
