"""Tests that the value of one place decides: which place, and for which of its values they hold."""

from __future__ import annotations

from functools import reduce

from quorbit.model.dependence.abstract import ONLY_TRUE
from quorbit.model.dependence.access import Reader
from quorbit.model.system.expression import Apply, Expr, Literal, Operator, Read
from quorbit.model.system.types import Truth, Value
from quorbit.source.frozen import frozen

__all__ = ["Decided", "decided_by"]

O = Operator


@frozen
class Decided:
    """A test that holds where a place has one of these values (``is_so``) or where it has another."""

    place: int
    values: frozenset[Value]
    is_so: bool = True

    def holds_for(self, value: Value) -> bool:
        return (value in self.values) == self.is_so


def decided_by(reader: Reader, e: Expr) -> Decided | None:
    """What decides a test; None if more than one place does, or that is not seen."""
    match e:
        case Apply(O.NOT, (inner,)):
            found = decided_by(reader, inner)
            return None if found is None else Decided(found.place, found.values, not found.is_so)
        case Apply(O.AND, operands):
            return reduce(both, (decided_by(reader, part) for part in operands))
        case Apply(O.EQUAL, (Read() as place, Literal(value)) | (Literal(value), Read() as place)):
            return decided_at(reader, place, frozenset((value,)))
        case Apply(O.EQUAL, (Apply(O.SUBTRACT, (Read() as place, Literal(int(less)))), Literal(int(n)))):
            return decided_at(reader, place, frozenset((n + less,)))
        case Read():
            found = decided_at(reader, e, ONLY_TRUE)
            return found if found is not None and isinstance(reader.system.places[found.place].type, Truth) else None
    return None


def decided_at(reader: Reader, place: Read, values: frozenset[Value]) -> Decided | None:
    i = reader.static(place)
    return None if i is None else Decided(i, values)


def both(a: Decided | None, b: Decided | None) -> Decided | None:
    """Where two tests of one place hold."""
    if a is None or b is None or a.place != b.place:
        return None
    if not a.is_so and not b.is_so:
        return Decided(a.place, a.values | b.values, False)
    kept, other = (a, b) if a.is_so else (b, a)
    return Decided(a.place, frozenset(v for v in kept.values if other.holds_for(v)))
