"""Expressions: Murphi's to the System's."""

from __future__ import annotations

from quorbit.languages.murphi.lower.calls import call_function
from quorbit.languages.murphi.lower.frame import Frame
from quorbit.languages.murphi.lower.quantifiers import lower_count, lower_member, lower_quantified
from quorbit.languages.murphi.lower.rotations import lower_rotation, lower_wrapped
from quorbit.languages.murphi.lower.store import Spot
from quorbit.languages.murphi.lower.typed import Bounds, Typed, numeral
from quorbit.languages.murphi.syntax.terms import (
    Binary,
    Call,
    ElementOf,
    Expression,
    FieldOf,
    IsMember,
    IsUndefined,
    MultisetCount,
    Numeral,
    Quantified,
    Ternary,
    TruthValue,
    Unary,
    Undefined,
    Word,
)
from quorbit.languages.murphi.types import (
    BOOLEAN,
    INTEGER,
    Array,
    Boolean,
    Integer,
    Multiset,
    Range,
    Record,
    SlotOf,
    Type,
    is_simple,
    show_type,
)
from quorbit.model.specialise.simplify import fold
from quorbit.model.system.command import Assign, Branch, Step, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Condition,
    Expr,
    Literal,
    Operator,
    conjunction,
    disjunction,
    equal,
    negation,
)
from quorbit.source.errors import UserError
from quorbit.source.span import Span
from quorbit.source.suggest import did_you_mean

__all__ = ["lower", "lower_condition"]

O = Operator
ARITHMETIC = {
    "+": O.ADD,
    "-": O.SUBTRACT,
    "*": O.MULTIPLY,
    "/": O.DIVIDE,
    "%": O.MODULO,
    "<<": O.SHIFT_LEFT,
    ">>": O.SHIFT_RIGHT,
    "^": O.BIT_XOR,
    "&": O.BIT_AND,
    "|": O.BIT_OR,
}
COMPARISONS = {"<": O.LESS, "<=": O.LESS_EQUAL, ">": O.LESS, ">=": O.LESS_EQUAL}


def lower(frame: Frame, e: Expression) -> Typed:
    """The value of an expression of a simple type."""
    match e:
        case Numeral(value, span):
            return numeral(value, span)
        case TruthValue(value, span):
            return Typed(TRUE if value else FALSE, BOOLEAN, span, True)
        case Word() | FieldOf() | ElementOf():
            found = lower_designator(frame, e)
            return found if isinstance(found, Typed) else read(frame, found, e.span)
        case Call():
            found = call_function(frame, e, lower, lower_designator)
            return found if isinstance(found, Typed) else read(frame, found, e.span)
        case Unary():
            return lower_unary(frame, e)
        case Binary(operator) if operator in ("&", "|", "->"):
            return lower_connective(frame, e)
        case Binary(operator) if operator in ("=", "!="):
            same = lower_equality(frame, e)
            fixed = isinstance(same, Literal)
            return Typed(same if operator == "=" else fold(negation(same, e.span)), BOOLEAN, e.span, fixed)
        case Binary(operator) if operator in COMPARISONS:
            return lower_comparison(frame, e)
        case Binary():
            return lower_rotation(frame, e, lower) or lower_arithmetic(frame, e)
        case Ternary():
            return lower_ternary(frame, e)
        case Quantified():
            return lower_quantified(frame, e, lower)
        case IsUndefined():
            return lower_is_undefined(frame, e)
        case IsMember():
            return lower_member(frame, e, lower)
        case MultisetCount():
            return lower_count(frame, e, lower, lower_designator)
        case Undefined():
            raise UserError(e.span, "'undefined' can only be assigned or passed to a procedure")


def lower_condition(frame: Frame, e: Expression) -> Expr:
    return frame.context.values.as_truth(lower(frame, e))


def read(frame: Frame, spot: Spot, span: Span) -> Typed:
    found = frame.context.values.read(spot, span)
    if spot.root in frame.sure:  # a local that was assigned
        return Typed(spot.read(span), found.type, span, False, found.limits)
    if spot.root in frame.context.locals:
        frame.context.values.facts.undefined.add(spot.key)
    return found


# Designators.


def lower_designator(frame: Frame, e: Expression) -> Typed | Spot:
    """A value, or the place that is named."""
    match e:
        case Word(text, span):
            return find_name(frame, text, span)
        case FieldOf(base, name):
            spot = lower_spot(frame, base)
            if not isinstance(spot.type, Record):
                raise UserError(name.span, f"{show_type(spot.type)} has no fields")
            if spot.type.field(name.text) is None:
                raise UserError(name.span, f"the record has no field {name.text}")
            return frame.context.store.field(spot, name.text)
        case ElementOf(base, index):
            return lower_element(frame, lower_spot(frame, base), lower(frame, index), e.span)
        case Call():
            return call_function(frame, e, lower, lower_designator)
        case _:
            return lower(frame, e)


def lower_spot(frame: Frame, e: Expression) -> Spot:
    found = lower_designator(frame, e)
    if isinstance(found, Typed):
        if found.raw is not None:
            return found.raw
        raise UserError(e.span, "a variable or a part of one is expected")
    return found


def lower_element(frame: Frame, spot: Spot, index: Typed, span: Span) -> Spot:
    store = frame.context.store
    match spot.type:
        case Array(index_type):
            return store.element(spot, frame.context.values.position(index, index_type))
        case Multiset():
            if index.type != SlotOf(spot.key):
                raise UserError(index.span, "the elements of a multiset are reached by choose, count and remove only")
            return store.slot(spot, index.expr)
    raise UserError(span, f"{show_type(spot.type)} has no elements")


def find_name(frame: Frame, text: str, span: Span) -> Typed | Spot:
    found = frame.names.get(text)
    if isinstance(found, Typed):
        return Typed(found.expr, found.type, span, found.fixed, found.limits, found.raw)
    if found is not None:
        return found
    fixed = frame.scope.constants.get(text)
    if fixed is None:
        raise UserError(span, f"{text} is not declared{similar(frame, text)}")
    if isinstance(fixed.type, Boolean):
        return Typed(TRUE if fixed.value else FALSE, BOOLEAN, span, True)
    return numeral(fixed.value, span, fixed.type)


def similar(frame: Frame, text: str) -> str:
    """Names are case-sensitive, keywords are not: the usual slip."""
    known = [*frame.names, *frame.scope.constants, *frame.scope.named]
    is_slip = any(name.lower() == text.lower() for name in known)
    return did_you_mean(text, known) + (" (names are case-sensitive)" if is_slip else "")


# Operators.


def lower_unary(frame: Frame, e: Unary) -> Typed:
    operand = lower(frame, e.operand)
    if e.operator == "!":
        truth = frame.context.values.as_truth(operand)
        return Typed(fold(negation(truth, e.span)), BOOLEAN, e.span, operand.fixed)
    n = frame.context.values.as_number(operand, "it is computed with", not operand.fixed)
    limits = None if operand.limits is None else (-operand.limits[1], -operand.limits[0])
    operator = O.NEGATE if e.operator == "-" else O.BIT_NOT
    return Typed(
        fold(Apply(operator, (n,), e.span)), INTEGER, e.span, operand.fixed, limits if e.operator == "-" else None
    )


def lower_equality(frame: Frame, e: Binary) -> Expr:
    """Of simple values, or of records and arrays part by part, where undefined equals undefined."""
    left, right = lower_designator(frame, e.left), lower_designator(frame, e.right)
    match left, right:
        case Spot(), Spot() if not is_simple(left.type):
            if left.type != right.type:
                raise UserError(e.span, "these are of different types")
            store = frame.context.store
            pairs = zip(store.leaves(left), store.leaves(right), strict=True)
            return fold(conjunction([equal(a.read(e.span), b.read(e.span), e.span) for a, b in pairs], e.span))
    a, b = (
        x if isinstance(x, Typed) else read(frame, x, x_span)
        for x, x_span in ((left, e.left.span), (right, e.right.span))
    )
    return frame.context.values.equals(a, b, e.span)


def lower_connective(frame: Frame, e: Binary) -> Typed:
    """``&``, ``|`` and ``->`` look at their right side only where it matters; between numbers they join bits."""
    left = lower(frame, e.left)
    if isinstance(left.type, Range | Integer) and e.operator in ARITHMETIC:
        return compute(frame, e, left, lower(frame, e.right))
    test = frame.context.values.as_truth(left)
    steps: list[Step] = []
    right = lower(frame.aside(None if frame.out is None else steps, set(frame.sure)), e.right)
    truth = frame.context.values.as_truth(right)
    if steps:
        return lower_in_steps(frame, e, test, steps, truth)
    fixed = left.fixed and right.fixed
    match e.operator:
        case "&":
            return Typed(fold(conjunction([test, truth], e.span)), BOOLEAN, e.span, fixed)
        case "|":
            return Typed(fold(disjunction([test, truth], e.span)), BOOLEAN, e.span, fixed)
        case _:
            return Typed(fold(disjunction([fold(negation(test)), truth], e.span)), BOOLEAN, e.span, fixed)


def lower_in_steps(frame: Frame, e: Binary, test: Expr, steps: list[Step], truth: Expr) -> Typed:
    """The right side needs steps of its own, so the whole becomes steps."""
    out = frame.need_out(e.span, "this")
    spot, _ = frame.context.borrow(BOOLEAN, e.span)
    place = spot.read(e.span)
    first = fold(negation(test)) if e.operator == "->" else test
    out.append(Together((Assign(place, first),)))
    more = (*steps, Together((Assign(place, truth),)))
    chosen = equal(place, TRUE, e.span)
    out.append(Branch(chosen, more, (), e.span) if e.operator == "&" else Branch(chosen, (), more, e.span))
    return Typed(place, BOOLEAN, e.span)


def lower_comparison(frame: Frame, e: Binary) -> Typed:
    left, right = lower(frame, e.left), lower(frame, e.right)
    a, b = numbers(frame, left, right, f"'{e.operator}' puts it in order")
    if e.operator in (">", ">="):
        a, b = b, a
    return Typed(fold(Apply(COMPARISONS[e.operator], (a, b), e.span)), BOOLEAN, e.span, left.fixed and right.fixed)


def numbers(frame: Frame, left: Typed, right: Typed, reason: str) -> tuple[Expr, Expr]:
    """Both as numbers; where one is stored, the numbers of the other are more than names too."""
    pins = not (left.fixed and right.fixed)
    values = frame.context.values
    return values.as_number(left, reason, pins), values.as_number(right, reason, pins)


def lower_arithmetic(frame: Frame, e: Binary) -> Typed:
    return compute(frame, e, lower(frame, e.left), lower(frame, e.right))


def compute(frame: Frame, e: Binary, left: Typed, right: Typed) -> Typed:
    a, b = numbers(frame, left, right, f"'{e.operator}' computes with it")
    found = fold(Apply(ARITHMETIC[e.operator], (a, b), e.span))
    limits = None
    if left.limits is not None and right.limits is not None:
        limits = arithmetic_limits(e.operator, left.limits, right.limits)
    return Typed(found, INTEGER, e.span, left.fixed and right.fixed, limits)


def arithmetic_limits(operator: str, a: Bounds, b: Bounds) -> Bounds | None:
    match operator:
        case "+":
            return a[0] + b[0], a[1] + b[1]
        case "-":
            return a[0] - b[1], a[1] - b[0]
        case "*":
            products = [x * y for x in a for y in b]
            return min(products), max(products)
        case "%" if a[0] >= 0 and b[0] > 0:
            return 0, min(a[1], b[1] - 1)
        case "&" if a[0] >= 0 and b[0] >= 0:
            return 0, min(a[1], b[1])
        case "|" | "^" if a[0] >= 0 and b[0] >= 0:
            return 0, (1 << max(a[1], b[1]).bit_length()) - 1
        case _:
            return None


def lower_ternary(frame: Frame, e: Ternary) -> Typed:
    if (found := lower_wrapped(frame, e.test, e.then, e.other, lower)) is not None:
        return found
    test = lower(frame, e.test)
    condition = frame.context.values.as_truth(test)
    ways: list[list[Step]] = [[], []]
    then, other = (
        lower(frame.aside(None if frame.out is None else way, set(frame.sure)), part)
        for way, part in zip(ways, (e.then, e.other), strict=True)
    )
    type, a, b = alike(frame, then, other)
    if any(ways):
        return ternary_in_steps(frame, e, condition, ways, type, (a, b))
    fixed = test.fixed and then.fixed and other.fixed
    limits = None
    if then.limits is not None and other.limits is not None:
        limits = min(then.limits[0], other.limits[0]), max(then.limits[1], other.limits[1])
    return Typed(fold(Condition(condition, a, b, e.span)), type, e.span, fixed, limits)


def ternary_in_steps(
    frame: Frame, e: Ternary, condition: Expr, ways: list[list[Step]], type: Type, found: tuple[Expr, Expr]
) -> Typed:
    if not is_simple(type):
        raise UserError(e.span, "a call that changes something cannot stand in a computed number of ?:")
    out = frame.need_out(e.span, "this")
    spot, _ = frame.context.borrow(type, e.span)
    place = spot.read(e.span)
    then, other = ((*way, Together((Assign(place, value),))) for way, value in zip(ways, found, strict=True))
    out.append(Branch(condition, then, other, e.span))
    return Typed(place, type, e.span)


def alike(frame: Frame, a: Typed, b: Typed) -> tuple[Type, Expr, Expr]:
    """Two values as values of one type."""
    values = frame.context.values
    match a.type, b.type:
        case (Range(), Integer()) | (Integer(), Range()):
            return INTEGER, values.convert(a, INTEGER), values.convert(b, INTEGER)
        case Range() as one, Range() as other if (one.low, one.high) != (other.low, other.high):
            wider = one if one.low <= other.low and one.high >= other.high else other
            return wider, values.convert(a, wider), values.convert(b, wider)
    return a.type, a.expr, values.convert(b, a.type)


def lower_is_undefined(frame: Frame, e: IsUndefined) -> Typed:
    found = lower_designator(frame, e.operand)
    spot = found.raw if isinstance(found, Typed) else found
    if spot is None:
        return Typed(FALSE, BOOLEAN, e.span, True)
    if not is_simple(spot.type):
        raise UserError(e.operand.span, "isundefined is about simple values")
    store = frame.context.store
    if not store.may_be_undefined(spot.key):
        return Typed(FALSE, BOOLEAN, e.span, True)
    absent = store.absent(spot.type, e.span)  # type: ignore[arg-type]
    return Typed(equal(spot.read(e.span), absent, e.span), BOOLEAN, e.span)
