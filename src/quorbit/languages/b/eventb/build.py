"""What Event-B says in words of its own, said in B's: identities without a set, partitions, comprehensions, x'."""

from __future__ import annotations

from itertools import combinations

from quorbit.languages.b.syntax.formulas import (
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Formula,
    Junction,
    Name,
    SetOf,
    Typed,
    Unary,
    Whole,
)
from quorbit.languages.b.syntax.substitutions import BecomesSuch
from quorbit.languages.b.syntax.walk import substitute
from quorbit.source.span import Span

__all__ = ["PRIME", "conjunction_of", "primed"]

PRIME = "'"


def primed(name: str) -> str:
    return name + PRIME


def identity(span: Span) -> Formula:
    """id without a set is the identity of whatever type is needed."""
    return Unary(span, "id", Whole(span))


def binary(span: Span, op: str, left: Formula, right: Formula) -> Formula:
    """An operator; with an identity that has no set of its own it is said of a set that is there."""
    match op, is_identity(left), is_identity(right):
        case "<|", False, True:
            return Unary(span, "id", left)
        case "|>", True, False:
            return Unary(span, "id", right)
        case "/\\" | "\\", False, True:
            return Binary(span, op, left, Unary(span, "id", Unary(span, "dom", left)))
        case "/\\", True, False:
            return Binary(span, op, right, Unary(span, "id", Unary(span, "dom", right)))
        case ";", False, True:
            return left
        case ";", True, False:
            return right
        case "[]", True, False:
            return right
    return Binary(span, op, left, right)


def is_identity(f: Formula) -> bool:
    return isinstance(f, Unary) and f.op == "id" and isinstance(f.argument, Whole)


def projection(span: Span, op: str, of: Formula | None = None) -> Formula:
    """prj1 and prj2 without a set, or, in older models, of a relation."""
    everything = Binary(span, op, Whole(span), Whole(span))
    return everything if of is None else Binary(span, "<|", of, everything)


def finite(span: Span, s: Formula) -> Formula:
    return Binary(span, ":", s, Unary(span, "FIN", s))


def typed(span: Span, f: Formula, of: Formula) -> Formula:
    """E ⦂ T, where T is a set of all values of a type."""
    return Typed(span, f, of)


def partition(span: Span, whole: Formula, parts: tuple[Formula, ...]) -> Formula:
    """The whole is the union of its parts, of which no two meet."""
    empty = SetOf(span, ())
    union: Formula = parts[0] if parts else empty
    for p in parts[1:]:
        union = Binary(span, "\\/", union, p)
    singletons = [p for p in parts if isinstance(p, SetOf) and len(p.items) == 1]
    if len(singletons) == len(parts) > 0:
        union = SetOf(span, tuple(p.items[0] for p in singletons))
    apart = tuple(disjoint(span, a, b) for a, b in combinations(parts, 2))
    equal = Binary(span, "=", whole, union)
    return Junction(span, "&", (equal, *apart)) if apart else equal


def disjoint(span: Span, a: Formula, b: Formula) -> Formula:
    if isinstance(a, SetOf) and isinstance(b, SetOf) and len(a.items) == len(b.items) == 1:
        return Binary(span, "/=", a.items[0], b.items[0])
    return Binary(span, "=", Binary(span, "/\\", a, b), SetOf(span, ()))


def choose_form(span: Span, names: tuple[Name, ...], condition: Formula, body: Formula) -> Formula:
    """{x, y · P ∣ E}: as {x, y | P} or a lambda where E allows it, else as the range of a lambda."""
    if is_tuple_of(body, names):
        return Comprehension(span, names, condition)
    if isinstance(body, Binary) and body.op == "|->" and is_tuple_of(body.left, names):
        return Binder(span, "%", names, condition, body.right)
    return Unary(span, "ran", Binder(span, "%", names, condition, body))


def is_tuple_of(f: Formula, names: tuple[Name, ...]) -> bool:
    """Whether the formula is the names in their order: x, or x |-> y, or x |-> y |-> z."""
    if len(names) == 1:
        return isinstance(f, Name) and f.name == names[0].name
    match f:
        case Binary(op="|->", left=left, right=Name(name=name)):
            return name == names[-1].name and is_tuple_of(left, names[:-1])
    return False


def becomes_such(span: Span, targets: tuple[Name, ...], condition: Formula) -> BecomesSuch:
    """x :∣ P, where x' is the new value and x the old one; B writes x and x$0."""
    values: dict[str, Formula] = {}
    for t in targets:
        values[t.name] = Name(span, t.name, old=True)
        values[primed(t.name)] = Name(span, t.name)
    return BecomesSuch(span, targets, substitute(condition, values))


def conjunction_of(span: Span, items: tuple[Formula, ...]) -> Formula:
    if not items:
        return Builtin(span, "btrue")
    return items[0] if len(items) == 1 else Junction(span, "&", items)
