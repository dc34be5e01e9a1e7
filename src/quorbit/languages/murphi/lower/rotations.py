"""Steps round a ring: ``(x + c) % n`` or ``(x + c) % n + low``, where x is stored, of a range of n numbers from low;
and ``x = high ? low : x + 1`` with its like.

The result is a value of the same range, so its numbers stay names: what it tells of them is who comes after whom.  Of
parameters this is known without looking here, for they are written out.
"""

from __future__ import annotations

from quorbit.languages.murphi.lower.changes import calls_of
from quorbit.languages.murphi.lower.frame import Frame
from quorbit.languages.murphi.lower.quantifiers import Lower
from quorbit.languages.murphi.lower.typed import Typed, numeral
from quorbit.languages.murphi.syntax.terms import Binary, ElementOf, Expression, FieldOf, Numeral, Word
from quorbit.languages.murphi.types import INTEGER, Range, bounds, size_of
from quorbit.model.specialise.simplify import fold
from quorbit.model.system.command import Step
from quorbit.model.system.expression import Apply, AtomAt, Literal, Operator, number
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
PLAIN = (Word, FieldOf, ElementOf, Numeral, Binary)


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


def lower_wrapped(frame: Frame, test: Expression, then: Expression, other: Expression, lower: Lower) -> Typed | None:
    """The value of a choice that is a step round a ring: ``x = high ? low : x + 1``, ``x > low ? x - 1 : high``.

    It is tried aside: what turns out to be no ring leaves no step behind, and may be about records."""
    steps: list[Step] = []
    aside = frame.aside(None if frame.out is None else steps, set(frame.sure))
    try:
        found = wrapped(aside, test, then, other, lower)
    except UserError:  # told where the choice is read as any other
        return None
    if found is not None and frame.out is not None:
        frame.out.extend(steps)
    return found


def wrapped(frame: Frame, test: Expression, then: Expression, other: Expression, lower: Lower) -> Typed | None:
    if not isinstance(test, Binary) or test.operator not in COMPARISONS:
        return None
    if not all(isinstance(e, PLAIN) and not any(calls_of(e)) for e in (test.left, test.right, then, other)):
        return None
    stored, bound = lower(frame, test.left), lower(frame, test.right)
    end = number_of(bound)
    if stored.fixed or not isinstance(stored.type, Range) or end is None or size_of(stored.type) < 2:
        return None
    (low, high), size = bounds(stored.type), size_of(stored.type)
    for last, first, step in ((high, low, 1), (low, high, -1)):
        at_end = is_at_end(test.operator, end, last, step)
        if at_end is None:
            continue
        wraps, goes_on = (then, other) if at_end else (other, then)
        if number_of(lower(frame, wraps)) == first and steps_from(frame, goes_on, stored, lower) == step:
            return rotated(frame, stored, [(numeral((step - low) % size, test.span), 1)], test)
    return None


def is_at_end(operator: str, bound: int, last: int, step: int) -> bool | None:
    """Whether a test that compares with a bound holds exactly at the last number (True) or exactly before it (False);
    ``step``: from which side the last number is reached."""
    before = last - step
    beyond, short = ((">=", ">"), ("<", "<=")) if step > 0 else (("<=", "<"), (">", ">="))
    if (operator, bound) in (("=", last), (beyond[0], last), (beyond[1], before)):
        return True
    return False if (operator, bound) in (("!=", last), (short[0], last), (short[1], before)) else None


def steps_from(frame: Frame, e: Expression, stored: Typed, lower: Lower) -> int | None:
    """How far e is from the stored value, if it is that and a number."""
    total, seen = 0, 0
    for term, sign in terms_of(e):
        found = lower(frame, term)
        if found.expr == stored.expr and sign > 0:
            seen += 1
        elif (value := number_of(found)) is not None:
            total += sign * value
        else:
            return None
    return total if seen == 1 else None


def number_of(a: Typed) -> int | None:
    return a.expr.value if isinstance(a.expr, Literal) and a.type == INTEGER and isinstance(a.expr.value, int) else None


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
