"""Quantifiers: what a name ranges over, in an expression, in a loop and around rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quorbit.languages.murphi.lower.frame import Frame
from quorbit.languages.murphi.lower.store import Slots, Spot
from quorbit.languages.murphi.lower.typed import Typed, limits_of, numeral
from quorbit.languages.murphi.resolve import constant, maybe_constant, simple_type
from quorbit.languages.murphi.syntax.terms import Expression, IsMember, MultisetCount, Quantified, Quantifier
from quorbit.languages.murphi.types import (
    BOOLEAN,
    INTEGER,
    Boolean,
    Enum,
    EnumRange,
    Integer,
    Multiset,
    Range,
    Simple,
    SlotOf,
    Union,
    bounds,
    union_numbers,
    value_names,
)
from quorbit.model.specialise.simplify import fold
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Atoms,
    Bound,
    Expr,
    Interval,
    Literal,
    Operator,
    Parameter,
    Quantify,
    Read,
    conjunction,
    disjunction,
    equal,
    number,
)
from quorbit.model.system.expression import Quantifier as Kind
from quorbit.model.system.types import AtomOf, SetOf
from quorbit.source.errors import UserError
from quorbit.source.span import Span

Lower = Callable[[Frame, Expression], Typed]
LowerDesignator = Callable[[Frame, Expression], Typed | Spot]
MOST_ROUNDS = 100_000  # of a loop that is written out


def type_of(frame: Frame, q: Quantifier) -> Simple | None:
    """What the name ranges over; None if the bounds are not constants."""
    if q.type is not None:
        return simple_type(frame.scope, q.type, "what a name ranges over")
    assert q.low is not None
    assert q.high is not None
    low, high = maybe_constant(frame.scope, q.low), maybe_constant(frame.scope, q.high)
    if low is None or high is None:
        return None
    if low.type != INTEGER or high.type != INTEGER:
        raise UserError(q.span, "the bounds should be numbers")
    return frame.context.range_of(q, *sorted((low.value, high.value)))


def step_of(frame: Frame, q: Quantifier) -> int:
    if q.step is None:
        return 1
    found = maybe_constant(frame.scope, q.step)
    if found is None or found.type != INTEGER or found.value == 0:
        raise UserError(q.step.span, "the step should be a constant, and not 0")
    return found.value


def members(frame: Frame, q: Quantifier, type: Simple) -> list[Typed]:
    """All values that a quantifier goes through, in order."""
    store, listed = frame.context.store, numbers_of(frame, q, type)
    if len(listed) > MOST_ROUNDS:
        raise UserError(q.span, f"this is repeated {len(listed)} times; {MOST_ROUNDS} are the limit")
    return [Typed(store.literal(type, n, q.span), type, q.span, True, (n, n)) for n in listed]


def numbers_of(frame: Frame, q: Quantifier, type: Simple) -> Sequence[int]:
    if isinstance(type, Union):
        return union_numbers(type)
    low, high = bounds(type)
    if q.low is None or q.high is None:
        return range(low, high + 1)
    first, last = constant(frame.scope, q.low).value, constant(frame.scope, q.high).value
    step = step_of(frame, q)
    return range(first, last + (1 if step > 0 else -1), step)


def parameter_for(frame: Frame, q: Quantifier, type: Simple) -> tuple[Parameter, Typed] | None:
    """A parameter that ranges over a type, and what the name means; None if the values are better written out."""
    if q.step is not None or isinstance(type, Boolean | Enum | EnumRange) or not numbers_of(frame, q, type):
        return None
    sort = frame.context.store.sort_of(type)
    low, high = bounds(type)
    if sort is None and isinstance(type, Union) and len(union_numbers(type)) <= high - low:
        return None
    name = frame.context.fresh_name(q.name.text)
    domain = Interval(low, high) if sort is None else Atoms(sort.atoms)
    return Parameter(name, domain), Typed(Bound(name, q.span), type, q.span, True, limits_of(type))


# In expressions.


def lower_quantified(frame: Frame, e: Quantified, lower: Lower) -> Typed:
    pure = frame.aside(None)
    return Typed(quantified(pure, e, list(e.quantifiers), lower), BOOLEAN, e.span)


def quantified(frame: Frame, e: Quantified, quantifiers: list[Quantifier], lower: Lower) -> Expr:
    if not quantifiers:
        return frame.context.values.as_truth(lower(frame, e.body))
    q, *rest = quantifiers
    join = conjunction if e.word == "forall" else disjunction
    type = type_of(frame, q)
    if type is None:
        return dynamic_quantified(frame, e, q, rest, lower)
    found = parameter_for(frame, q, type)
    if found is None:
        values = members(frame, q, type)
        return fold(join([quantified(frame.bind({q.name.text: v}), e, rest, lower) for v in values], e.span))
    parameter, value = found
    body = quantified(frame.bind({q.name.text: value}), e, rest, lower)
    if isinstance(body, Literal):
        return body
    return Quantify(Kind.ALL if e.word == "forall" else Kind.SOME, parameter, body, span=e.span)


def dynamic_quantified(frame: Frame, e: Quantified, q: Quantifier, rest: list[Quantifier], lower: Lower) -> Expr:
    """Bounds that depend on the state: every number that may be between them, if it is."""
    cases = []
    for value, inside in dynamic_values(frame, q, lower):
        body = quantified(frame.bind({q.name.text: value}), e, rest, lower)
        cases.append((inside, body))
    if e.word == "forall":
        return fold(conjunction([fold(disjunction([fold(Apply(Operator.NOT, (i,))), b])) for i, b in cases], e.span))
    return fold(disjunction([fold(conjunction([i, b])) for i, b in cases], e.span))


def dynamic_values(frame: Frame, q: Quantifier, lower: Lower) -> list[tuple[Typed, Expr]]:
    """The numbers that may be between two bounds, each with the condition that it is."""
    assert q.low is not None
    assert q.high is not None
    values, step = frame.context.values, step_of(frame, q)
    low, high = lower(frame, q.low), lower(frame, q.high)
    if low.limits is None or high.limits is None:
        raise UserError(q.span, "the bounds of this loop may be any number; use a variable of a range type")
    if step < 0 or (step > 1 and low.limits[0] != low.limits[1]):
        raise UserError(q.span, "with bounds that depend on the state the step should be 1")
    a = values.as_number(low, "it bounds a loop")
    b = values.as_number(high, "it bounds a loop")
    found = []
    for n in range(low.limits[0], high.limits[1] + 1, step):
        value = numeral(n, q.span)
        above = fold(Apply(Operator.LESS_EQUAL, (a, value.expr), q.span))
        below = fold(Apply(Operator.LESS_EQUAL, (value.expr, b), q.span))
        found.append((value, fold(conjunction([above, below]))))
    return found


def lower_member(frame: Frame, e: IsMember, lower: Lower) -> Typed:
    operand = lower(frame, e.operand)
    type = simple_type(frame.scope, e.type, "the second part of ismember")
    match operand.type:
        case Union():
            return Typed(is_in_union(frame, operand.expr, type, e.span), BOOLEAN, e.span, operand.fixed)
        case Range() | Integer() if isinstance(type, Range):
            n = frame.context.values.as_number(operand, "ismember looks at its number", not operand.fixed)
            from_low = fold(Apply(Operator.LESS_EQUAL, (number(type.low), n), e.span))
            to_high = fold(Apply(Operator.LESS_EQUAL, (n, number(type.high)), e.span))
            return Typed(fold(conjunction([from_low, to_high], e.span)), BOOLEAN, e.span, operand.fixed)
        case other:
            return Typed(TRUE if other is type else FALSE, BOOLEAN, e.span)


def is_in_union(frame: Frame, e: Expr, type: Simple, span: Span) -> Expr:
    """Whether a value of a union belongs to a type."""
    store = frame.context.store
    if store.numeric:
        numbers = union_numbers(type) if isinstance(type, Union) else member_numbers(type)
        return fold(disjunction([fold(equal(e, number(n))) for n in numbers], span))
    sort = store.sort_of(type)
    atoms = store.member_atoms(type) if isinstance(type, Enum) else () if sort is None else sort.atoms
    return is_among(e, atoms, span)


def member_numbers(type: Simple) -> tuple[int, ...]:
    """The numbers of a type's values inside a union."""
    first = type.first if isinstance(type, Enum) else bounds(type)[0]
    return tuple(range(first, first + len(value_names(type))))


# Multisets.


def slots_of(frame: Frame, e: Expression, lower_designator: LowerDesignator) -> tuple[Spot, Slots]:
    found = lower_designator(frame, e)
    if isinstance(found, Typed) or not isinstance(found.type, Multiset):
        raise UserError(e.span, "a multiset is expected")
    return found, frame.context.store.slots[found.key]


def is_home(slots: Slots, spot: Spot, slot: Expr, span: Span) -> Expr:
    """Whether a slot is one of this multiset, and not of another one of the same array."""
    if len(slots.cells) == 1:
        return TRUE
    ways = []
    for home, cell in zip(slots.homes, slots.cells, strict=True):
        same = [fold(equal(part.expr, position, span)) for part, position in zip(spot.address, home, strict=True)]
        ways.append(fold(conjunction([is_among(slot, cell, span), *same], span)))
    return fold(disjunction(ways, span))


def is_among(e: Expr, atoms: tuple[int, ...], span: Span) -> Expr:
    if isinstance(e, Literal):
        return TRUE if e.value in atoms else FALSE
    listed = Literal(frozenset(atoms), SetOf(AtomOf(tuple(sorted(atoms)))), span)
    return Apply(Operator.MEMBER, (e, listed), span)


def is_present(slots: Slots, spot: Spot, slot: Expr, span: Span) -> Expr:
    return fold(conjunction([is_home(slots, spot, slot, span), Read(slots.present, (slot,), (), span)], span))


def lower_count(frame: Frame, e: MultisetCount, lower: Lower, lower_designator: LowerDesignator) -> Typed:
    spot, slots = slots_of(frame, e.set, lower_designator)
    name = frame.context.fresh_name(e.name.text)
    slot = Typed(Bound(name, e.name.span), SlotOf(spot.key), e.name.span, True)
    inner = frame.aside(None).bind({e.name.text: slot})
    body = frame.context.values.as_truth(lower(inner, e.condition))
    there = is_present(slots, spot, slot.expr, e.span)
    counted = Quantify(Kind.COUNT, Parameter(name, Atoms(slots.atoms)), body, there, e.span)
    assert isinstance(spot.type, Multiset)
    return Typed(counted, INTEGER, e.span, False, (0, spot.type.size))
