"""What an invariant says about the size of integers: ``x : 0..5``, ``f : S --> NAT``, ``q : iseq(S)``, ``x <= 3``."""

from __future__ import annotations

from quorbit.languages.b.lower.narrow import Assumed
from quorbit.languages.b.lower.ranges import join, meet, range_of_value
from quorbit.languages.b.lower.scope import Scope, fixed_value, system_type
from quorbit.languages.b.meaning.arrows import ARROW
from quorbit.languages.b.syntax.formulas import Binary, Builtin, Formula, Name, Record, Unary
from quorbit.languages.b.types.types import SetOfType
from quorbit.model.system.types import Number, SetOf, TupleOf, Type, size

__all__ = ["assume"]

FUNCTIONAL = frozenset({"seq", "seq1", "iseq", "iseq1", "perm"})


def assume(scope: Scope, invariant: tuple[Formula, ...]) -> Assumed:
    """Ranges of variables from the conjuncts of an invariant."""
    ranges: dict[str, Type] = {}
    functional: set[str] = set()
    for c in invariant:
        match c:
            case Binary(op=":", left=Name(name=name), right=s):
                note(ranges, name, elements(scope, s))
                if (isinstance(s, Binary) and s.op in ARROW and ARROW[s.op].function) or is_sequences(s):
                    functional.add(name)
            case Binary(op="<:" | "<<:", left=Name(name=name), right=s):
                note(ranges, name, SetOf(elements(scope, s)))
    for c in invariant:
        note_comparison(scope, c, ranges)
    return Assumed(ranges, frozenset(functional))


def is_sequences(s: Formula) -> bool:
    return isinstance(s, Unary) and s.op in FUNCTIONAL


def note(ranges: dict[str, Type], name: str, r: Type) -> None:
    ranges[name] = (meet(ranges[name], r) or r) if name in ranges else r


def elements(scope: Scope, s: Formula) -> Type:
    """The range of the elements of a set, from its form; its type if the form says nothing."""
    assert isinstance(s.type, SetOfType)
    of = system_type(scope.universe, s.type.element)
    match s:
        case Builtin(name="NATURAL"):
            return Number(0, None)
        case Builtin(name="NATURAL1"):
            return Number(1, None)
        case Builtin(name="NAT" | "NAT1" | "INT" as name):
            u = scope.universe
            return Number({"NAT": 0, "NAT1": 1, "INT": u.min_int}[name], u.max_int)
        case Binary(op="..", left=left, right=right):
            low, high = fixed_value(scope, left), fixed_value(scope, right)
            return Number(low, high)
        case Unary(op="POW" | "POW1" | "FIN" | "FIN1", argument=argument):
            return SetOf(elements(scope, argument))
        case Unary(op=op, argument=argument) if op in FUNCTIONAL:
            inner = elements(scope, argument)
            return SetOf(TupleOf((Number(1, size(inner) if op in ("iseq", "iseq1", "perm") else None), inner)))
        case Binary(op=op, left=left, right=right) if op in ARROW:
            return SetOf(TupleOf((elements(scope, left), elements(scope, right))))
        case Binary(op="×", left=left, right=right):
            return TupleOf((elements(scope, left), elements(scope, right)))
        case Binary(op="\\/", left=left, right=right):
            return join(elements(scope, left), elements(scope, right)) or of
        case Binary(op="\\" | "/\\", left=left):
            return elements(scope, left)
        case Record(op="struct", fields=fields):
            return TupleOf(tuple(elements(scope, v) for _, v in fields), tuple(name for name, _ in fields))
    value = fixed_value(scope, s)
    if value:
        found = range_of_value(value, SetOf(of))
        assert isinstance(found, SetOf)
        return found.element
    return of


def note_comparison(scope: Scope, c: Formula, ranges: dict[str, Type]) -> None:
    """x <= 5 and the like; size(q) <= 5 bounds the indices of a sequence."""
    match c:
        case Binary(op="<" | "<=" as op, left=left, right=right):
            pass
        case Binary(op=">" | ">=" as op, left=right, right=left):
            pass
        case _:
            return
    apart = int(op in ("<", ">"))
    high, low = fixed_value(scope, right), fixed_value(scope, left)
    if isinstance(left, Name) and isinstance(high, int):
        note(ranges, left.name, Number(None, high - apart))
    elif isinstance(right, Name) and isinstance(low, int):
        note(ranges, right.name, Number(low + apart, None))
    elif isinstance(left, Unary) and left.op in ("size", "card") and isinstance(left.argument, Name):
        found = ranges.get(left.argument.name)
        match found:
            case SetOf(element=TupleOf(parts=(Number(low=1), inner))) if isinstance(high, int):
                ranges[left.argument.name] = SetOf(TupleOf((Number(1, max(high - apart, 1)), inner)))
