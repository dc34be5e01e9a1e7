"""Calls of procedures and functions: their bodies are written out where they are called.

A parameter by reference is the place that is passed.  A parameter by value is what the argument was at the call: where
the body may change what the argument reads, that is kept in a scratch variable.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from quorbit.languages.murphi.lower.changes import always_returns, calls_of, changed_by_call, level_of
from quorbit.languages.murphi.lower.frame import DEEPEST_CALL, Binding, Context, Frame
from quorbit.languages.murphi.lower.pure import PureCall, is_pure
from quorbit.languages.murphi.lower.quantifiers import Lower, LowerDesignator
from quorbit.languages.murphi.lower.store import Part, Spot
from quorbit.languages.murphi.lower.typed import Typed, is_between, limits_of
from quorbit.languages.murphi.resolve import declare, resolve_type
from quorbit.languages.murphi.syntax.program import Declaration, Formal, Routine, Statement, VariableDeclaration
from quorbit.languages.murphi.syntax.terms import Call, Expression, Undefined
from quorbit.languages.murphi.types import BOOLEAN, Range, Type, bounds, is_simple, show_type
from quorbit.model.specialise.simplify import fold
from quorbit.model.system.command import Assign, Step, Together
from quorbit.model.system.expression import FALSE, Apply, Expr, Operator, Read, number
from quorbit.model.system.walk import walk
from quorbit.source.errors import UserError
from quorbit.source.span import Span

LowerBody = Callable[[Frame, tuple[Statement, ...]], list[Step]]
ROOT = re.compile(r"[^\[. ]*")


def find_routine(frame: Frame, call: Call) -> Routine:
    routine = frame.context.program.routines.get(call.name.text)
    if routine is None:
        raise UserError(call.name.span, f"there is no procedure or function {call.name.text}")
    if len(call.arguments) != len(routine.formals):
        wanted, given = len(routine.formals), len(call.arguments)
        raise UserError(call.span, f"{call.name.text} has {wanted} parameters, {given} are given")
    if routine in frame.context.calls or len(frame.context.calls) > DEEPEST_CALL:
        raise UserError(call.span, f"{call.name.text} calls itself; recursion is not supported")
    return routine


def call_function(frame: Frame, call: Call, lower: Lower, designate: LowerDesignator) -> Typed | Spot:
    """The value of a call, or the place that holds it."""
    routine = find_routine(frame, call)
    if routine.result is None:
        raise UserError(call.span, f"{call.name.text} is a procedure; it has no value")
    type = resolve_type(frame.context.scope, routine.result)
    if is_pure(frame.context, routine, must=frame.out is None):
        return call_pure(frame, routine, call, type, lower, designate)
    out = frame.need_out(call.span, f"the function {call.name.text}")
    result, again = frame.context.borrow(type, call.span)
    if again:
        out += undefine(frame.context, result, call.span)
    if not always_returns(routine.body):
        frame.context.values.facts.undefined |= {leaf.key for leaf in frame.context.store.leaves(result)}
    out += frame.context.inline(frame, routine, call, result)
    return result


def call_pure(
    frame: Frame, routine: Routine, call: Call, type: Type, lower: Lower, designate: LowerDesignator
) -> Typed:
    names: dict[str, Binding] = {}
    for formal, argument in zip(routine.formals, call.arguments, strict=True):
        names[formal.name.text] = passed(frame, formal, argument, lower, designate)
    inner = Frame(frame.context, frame.context.scope.inner(), {**frame.context.globals, **names})
    frame.context.calls.append(routine)
    found = PureCall(routine, type, call.span, lower, designate).value(inner)
    frame.context.calls.pop()
    return found


def passed(frame: Frame, formal: Formal, argument: Expression, lower: Lower, designate: LowerDesignator) -> Binding:
    """An argument that nothing changes: what it is, with the type of the parameter where that is simple."""
    type = resolve_type(frame.context.scope, formal.type)
    if isinstance(argument, Undefined):
        raise UserError(argument.span, "a function that computes a value from this needs it to be defined")
    found = designate(frame, argument)
    if isinstance(found, Spot):
        check_type(found, type, argument.span)
        if is_simple(type):
            frame.context.values.convert(frame.context.values.read(found, argument.span), type)
        return found
    return as_parameter(frame.context, found, type)


def as_parameter(context: Context, a: Typed, type: Type) -> Typed:
    e = context.values.convert(a, type)
    limits = a.limits if is_between(a.limits, limits_of(type)) else limits_of(type)
    return Typed(e, type, a.span, a.fixed, limits, a.raw)


def check_type(spot: Spot, type: Type, span: Span) -> None:
    if not is_simple(type) and spot.type != type:
        raise UserError(span, f"this is {show_type(spot.type)} of another type than the parameter")


def needs_steps(context: Context, e: Expression) -> bool:
    """Whether an expression calls a function that cannot become an expression, and that changes no variable."""
    found = False
    for call in calls_of(e):
        routine = context.program.routines.get(call.name.text)
        if routine is not None and not is_pure(context, routine, must=True):
            if changed_by_call(context, call, {}):
                raise UserError(call.span, f"{call.name.text} changes variables: it cannot be used in a condition")
            found = True
    return found


# Written out.


def inline_call(
    frame: Frame,
    routine: Routine,
    call: Call,
    result: Spot | None,
    lower: Lower,
    designate: LowerDesignator,
    lower_body: LowerBody,
) -> list[Step]:
    """The steps of a call; the value of a function goes to ``result``."""
    context = frame.context
    steps: list[Step] = []
    mark = len(context.scratch.held)
    changed = changed_by_call(context, call, {})  # by the names of variables; aliases are looked at below
    names: dict[str, Binding] = {}
    before = frame.aside(steps)
    for formal, argument in zip(routine.formals, call.arguments, strict=True):
        names[formal.name.text] = pass_argument(before, formal, argument, changed, lower, designate)
    changed |= {spot.root for formal in routine.formals if formal.by_reference and (spot := place(names, formal))}
    for formal in routine.formals:
        names[formal.name.text] = keep(before, names[formal.name.text], formal, changed)
    steps += write_out(context, routine, names, result, lower_body)
    context.give_back(mark)
    return steps


def write_out(
    context: Context, routine: Routine, names: dict[str, Binding], result: Spot | None, lower_body: LowerBody
) -> list[Step]:
    """The body of a routine for these arguments.  It is written once for all calls that pass the same: those who follow
    keep such steps as one."""
    scratch = context.scratch
    passed = tuple(argument_key(names[formal.name.text]) for formal in routine.formals)
    key = (id(routine), passed, result)
    if key not in context.bodies:
        steps: list[Step] = []
        context.calls.append(routine)
        before, scratch.level, scratch.used = (scratch.level, scratch.used), level_of(context, routine), {}
        inner = Frame(context, context.scope.inner(), {**context.globals, **names}, None, result, sure=set())
        inner = declare_locals(inner, routine.declarations, steps)
        steps += lower_body(inner, routine.body)
        context.calls.pop()
        context.bodies[key] = steps, scratch.used
        scratch.level, scratch.used = before
    found, used = context.bodies[key]
    scratch.used.update(used)
    return found


def argument_key(binding: Binding) -> object:
    """What tells arguments apart; where an expression stands counts as well, for messages tell it."""
    if isinstance(binding, Spot):
        return binding, tuple((part.expr.span.start, part.expr.span.end) for part in binding.address)
    span = binding.expr.span
    return binding.expr, span.start, span.end, binding.type, binding.fixed, binding.limits, binding.raw


def place(names: dict[str, Binding], formal: Formal) -> Spot | None:
    found = names[formal.name.text]
    return found if isinstance(found, Spot) else None


def pass_argument(
    frame: Frame,
    formal: Formal,
    argument: Expression,
    changed: frozenset[str],
    lower: Lower,
    designate: LowerDesignator,
) -> Binding:
    type = resolve_type(frame.context.scope, formal.type)
    if isinstance(argument, Undefined):
        return undefined_value(frame, type, argument.span)
    found = designate(frame, argument)
    if formal.by_reference:
        if isinstance(found, Typed):
            if found.raw is None:
                raise UserError(argument.span, "a variable is expected here: the parameter is declared with 'var'")
            found = found.raw
        check_type(found, type, argument.span)
        return found
    if isinstance(found, Spot) and not is_simple(type):
        check_type(found, type, argument.span)
        return found
    value = frame.context.values.read(found, argument.span) if isinstance(found, Spot) else found
    e = frame.context.values.convert(value, type)
    if value.fixed and (not isinstance(type, Range) or is_between(value.limits, bounds(type))):
        return Typed(e, type, argument.span, True, value.limits)
    if value.raw is not None and (not isinstance(type, Range) or is_between(value.limits, bounds(type))):
        return value.raw
    return copy_value(frame, value, type, argument.span)


def keep(frame: Frame, binding: Binding, formal: Formal, changed: frozenset[str]) -> Binding:
    """What is passed, as it was at the call."""
    if not isinstance(binding, Spot):
        return binding
    span = formal.name.span
    if formal.by_reference or binding.root not in changed:
        return fix_address(frame, binding, changed, span)
    if is_simple(binding.type):
        return copy_value(frame, frame.context.values.read(binding, span), binding.type, span)
    copy, _ = frame.context.borrow(binding.type, span)
    frame.need_out(span, "this").extend(copy_spot(frame.context, binding, copy, span))
    return copy


def undefined_value(frame: Frame, type: Type, span: Span) -> Spot:
    spot, again = frame.context.borrow(type, span)
    if again:
        frame.need_out(span, "an undefined argument").extend(undefine(frame.context, spot, span))
    frame.context.values.facts.undefined |= {leaf.key for leaf in frame.context.store.leaves(spot)}
    return spot


def copy_value(frame: Frame, value: Typed, type: Type, span: Span) -> Spot:
    spot, _ = frame.context.borrow(type, span)
    stored = frame.context.values.stored(value, spot)
    frame.need_out(span, "this").append(Together((Assign(spot.read(span), stored),)))
    return spot


def fix_address(frame: Frame, spot: Spot, changed: frozenset[str], span: Span) -> Spot:
    """The same place, named so that it stays the same while these variables change."""
    if not any(reads(part.expr, changed) for part in spot.address):
        return spot
    parts = [fix_part(frame, part, span) if reads(part.expr, changed) else part for part in spot.address]
    return Spot(spot.root, spot.key, spot.name, tuple(parts), spot.type)


def fix_part(frame: Frame, part: Part, span: Span) -> Part:
    assert part.type is not None
    copy, _ = frame.context.borrow(part.type, span)
    low, _ = bounds(part.type)
    value = part.expr if part.is_owner else fold(Apply(Operator.ADD, (part.expr, number(low)), span))
    frame.need_out(span, "this").append(Together((Assign(copy.read(span), value),)))
    kept: Expr = copy.read(span)
    if not part.is_owner and low:
        kept = Apply(Operator.SUBTRACT, (kept, number(low)), span)
    return Part(kept, part.is_owner, part.type)


def reads(e: Expr, names: frozenset[str]) -> bool:
    return any(isinstance(part, Read) and root_name(part.variable) in names for part in walk(e))


def root_name(variable: str) -> str:
    found = ROOT.match(variable)
    return found.group() if found else variable


# Locals.


def declare_locals(frame: Frame, declarations: tuple[Declaration, ...], steps: list[Step]) -> Frame:
    """Constants, types and variables of a routine or a rule; the variables are undefined at first."""
    declare(frame.scope, declarations)
    for declaration in declarations:
        if isinstance(declaration, VariableDeclaration):
            type = resolve_type(frame.scope, declaration.type)
            for name in declaration.names:
                spot, again = frame.context.borrow(type, name.span)
                if again:
                    steps += undefine(frame.context, spot, name.span)
                begin_undefined(frame.context, spot)
                frame = frame.bind({name.text: spot})
    return frame


def begin_undefined(context: Context, spot: Spot) -> None:
    """Of a simple local it is known where it is assigned; parts of others may be looked at before."""
    context.locals.add(spot.root)
    if not is_simple(spot.type):
        context.values.facts.undefined |= {leaf.key for leaf in context.store.leaves(spot)}


def undefine(context: Context, spot: Spot, span: Span) -> list[Step]:
    leaves = context.store.leaves(spot)
    return [Together(tuple(Assign(leaf.read(span), context.absent(leaf, span)) for leaf in leaves))]


def copy_spot(context: Context, source: Spot, target: Spot, span: Span) -> list[Step]:
    """All parts of a variable to those of another one of the same type, undefined ones too."""
    pairs = zip(context.store.leaves(source), context.store.leaves(target), strict=True)
    assignments = []
    for a, b in pairs:
        if not is_simple(a.type):
            raise UserError(span, "a multiset cannot be copied")
        value = context.values.read(a, span)
        assignments.append(Assign(b.read(span), context.values.stored(value, b)))
    return [Together(tuple(assignments))]


def flag(frame: Frame, steps: list[Step], span: Span) -> Spot:
    """A scratch variable that says that something has not happened yet."""
    spot, _ = frame.context.borrow(BOOLEAN, span)
    steps.append(Together((Assign(spot.read(span), FALSE),)))
    return spot
