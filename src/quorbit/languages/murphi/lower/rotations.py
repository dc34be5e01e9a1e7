"""Steps round a ring: ``(x + c) % n`` or ``(x + c) % n + low``, where x is stored, of a range of n numbers from low.

The result is a value of the same range, so its numbers stay names: what it tells of them is who comes after whom.  Of
parameters this is known without looking here, for they are written out.
"""

from __future__ import annotations

from quorbit.languages.murphi.lower.changes import calls_of
from quorbit.languages.murphi.lower.frame import Frame
from quorbit.languages.murphi.lower.quantifiers import Lower
from quorbit.languages.murphi.lower.typed import Typed, numeral
from quorbit.languages.murphi.syntax.terms import Binary, Expression
from quorbit.languages.murphi.types import INTEGER, Range, bounds, size_of
from quorbit.model.specialise.simplify import fold
from quorbit.model.system.expression import Apply, AtomAt, Literal, Operator, number
from quorbit.source.frozen import frozen


@frozen
class Ring:
    """``(inner) % size + low`` as it is written."""

    inner: Expression
    size: Expression
    low: Expression | None


def lower_rotation(frame: Frame, e: Binary, lower: Lower) -> Typed | None:
    """The value of an expression that is a step round a ring; None if it is none."""
    ring = ring_of(e)
    if ring is None or any(calls_of(e)):
        return None
    size = lower(frame, ring.size)
    low = numeral(0, e.span) if ring.low is None else lower(frame, ring.low)
    stored, steps = None, []
    for term, sign in terms_of(ring.inner):
        found = lower(frame, term)
        if found.fixed:
            steps.append((found, sign))
        elif stored is None and sign > 0:
            stored = found
        else:
            return None
    if stored is None or not is_ring(stored, size, low) or not stays_above_zero(stored, steps):
        return None
    return rotated(frame, stored, steps, e)


def ring_of(e: Binary) -> Ring | None:
    match e:
        case Binary("%", inner, size):
            return Ring(inner, size, None)
        case Binary("+", Binary("%", inner, size), low) | Binary("+", low, Binary("%", inner, size)):
            return Ring(inner, size, low)
        case _:
            return None


def terms_of(e: Expression, sign: int = 1) -> list[tuple[Expression, int]]:
    """What is added and subtracted."""
    match e:
        case Binary("+", left, right):
            return [*terms_of(left, sign), *terms_of(right, sign)]
        case Binary("-", left, right):
            return [*terms_of(left, sign), *terms_of(right, -sign)]
        case _:
            return [(e, sign)]


def is_ring(stored: Typed, size: Typed, low: Typed) -> bool:
    """Whether the numbers of the stored value's type are those that the expression may have."""
    if not isinstance(stored.type, Range) or not all(isinstance(a.expr, Literal) for a in (size, low)):
        return False
    numbers = size.type == low.type == INTEGER
    return numbers and (size.limits, low.limits) == ((size_of(stored.type),) * 2, (stored.type.low,) * 2)


def stays_above_zero(stored: Typed, steps: list[tuple[Typed, int]]) -> bool:
    """Whether the sum is never negative: the remainder of a negative number is one too."""
    assert isinstance(stored.type, Range)
    least, _ = bounds(stored.type)
    for step, sign in steps:
        if step.limits is None:
            return False
        least += step.limits[0] if sign > 0 else -step.limits[1]
    return least >= 0


def rotated(frame: Frame, stored: Typed, steps: list[tuple[Typed, int]], e: Binary) -> Typed:
    range, values, sort = stored.type, frame.context.values, frame.context.store.sort_of(stored.type)
    assert isinstance(range, Range)
    found = values.number_in(stored.expr, range, stored.span)
    for step, sign in steps:
        operator = Operator.ADD if sign > 0 else Operator.SUBTRACT
        found = fold(Apply(operator, (found, values.as_number(step, "", pins=False)), e.span))
    found = fold(Apply(Operator.MODULO, (found, number(size_of(range))), e.span))
    if range.low:
        found = fold(Apply(Operator.ADD, (found, number(range.low)), e.span))
    value = found if sort is None else AtomAt(found, sort.atoms, sort.first, span=e.span)
    return Typed(value, range, e.span, False, bounds(range))
