"""Numbers computed from one place, such as `(turn + 1) % N`: what they do is a map of the numbers it may hold.

Such a computation looks inside the number only to tell who comes after whom.  Where it leads from every number of a
class to a number of the same class, it is a map of atoms (atom_maps.py), which the rotations of a ring keep.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.model.specialise.owner_constants import ARITHMETIC
from quorbit.model.specialise.simplify import fold
from quorbit.model.system.expression import Apply, Condition, Expr, Literal, Operator, Read, Wrap, number
from quorbit.model.system.walk import map_parts, parts

LOGIC = frozenset({Operator.EQUAL, Operator.LESS, Operator.LESS_EQUAL, Operator.AND, Operator.OR, Operator.NOT})
COMPUTING = ARITHMETIC | LOGIC


def place_stepped(e: Expr) -> Read | None:
    """The one place from which e computes a number; None if there is none, or more than one."""
    match e:
        case Apply(operator) if operator in ARITHMETIC:
            pass
        case Condition(_, then, other) if any(is_computed(part) for part in (then, other)):
            pass
        case _:
            return None
    places = set(places_in(e))
    place = places.pop() if len(places) == 1 else None
    return place if isinstance(place, Read) else None


def is_computed(e: Expr) -> bool:
    match e:
        case Wrap(operand):
            return is_computed(operand)
        case Condition(_, then, other):
            return is_computed(then) or is_computed(other)
        case Apply(operator):
            return operator in ARITHMETIC
        case _:
            return False


def places_in(e: Expr) -> Iterator[Expr]:
    """What e is computed from, apart from numbers that are written down."""
    match e:
        case Literal():
            return
        case Condition() | Wrap():
            inside = parts(e)
        case Apply(operator, operands) if operator in COMPUTING:
            inside = operands
        case _:
            yield e
            return
    for part in inside:
        yield from places_in(part)


def value_at(e: Expr, place: Read, n: int) -> int | None:
    """The number that e gives where the place holds n; None if it gives none."""
    found = with_value(e, place, number(n))
    return found.value if isinstance(found, Literal) and isinstance(found.value, int) else None


def with_value(e: Expr, place: Read, value: Expr) -> Expr:
    """e with a value in the place's place, folded."""
    if e == place:
        return value
    return fold(map_parts(e, lambda part: with_value(part, place, value)))
