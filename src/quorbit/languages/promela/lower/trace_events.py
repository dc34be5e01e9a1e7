"""What a message does to the trace assertion of a model."""

from __future__ import annotations

from quorbit.languages.promela.lower.expressions import channel, value
from quorbit.languages.promela.lower.places import Placement, pc_name
from quorbit.languages.promela.lower.trace_automaton import EVENT, Event, Trace
from quorbit.languages.promela.lower.values import View, is_channel, possible_shapes
from quorbit.languages.promela.parse.program import Constant, Eval, Expression, Pattern, Reference
from quorbit.model.system.command import Require, Step, assign
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Atoms,
    Bound,
    Condition,
    Expr,
    Literal,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    atom,
    conjunction,
    disjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.types import NONE
from quorbit.source.errors import UserError
from quorbit.source.span import Span


def event_steps(view: View, sends: bool, where: Expr, fields: list[Expr], span: Span) -> list[Step]:
    """The steps before a message is sent or received; ``fields`` are its values."""
    trace = view.placement.trace
    if trace is None:
        return []
    nobody = View(view.placement, "", atom(NONE))
    scope = disjunction([same(where, channel(nobody, mentioned)) for mentioned in trace.mentions(sends)])
    if scope == FALSE:
        return []
    now, finished = Read(EVENT, span=span), number(trace.done)
    fitting = [(fits(nobody, e, where, fields), e.target) for e in trace.events if e.sends == sends]
    follows = conjunction([scope, negation(equal(now, finished))])
    following: Expr = finished if trace.negated else now
    for condition, target in reversed(fitting):
        following = Condition(condition, number(target), following, span)
    if trace.negated:
        last = disjunction([condition for condition, target in fitting if target == trace.done])
        demand = Require(negation(conjunction([follows, last])), "notrace: all its events have happened", span=span)
    else:
        known = disjunction([negation(scope), *(condition for condition, _ in fitting)])
        demand = Require(known, "trace: this event does not follow", span=span)
    return [demand, assign((now, Condition(follows, following, now, span)))]


def fits(nobody: View, event: Event, where: Expr, fields: list[Expr]) -> Expr:
    here = [equal(Read(EVENT), number(event.source)), same(where, channel(nobody, event.channel))]
    wanted = [
        equal(given, expected(nobody, pattern), pattern.span)
        for pattern, given in zip(event.fields, fields, strict=False)
        if is_compared(event, pattern)
    ]
    return conjunction([*here, *wanted])


def is_compared(event: Event, pattern: Pattern | Expression) -> bool:
    return isinstance(pattern, Constant | Eval) or (event.sends and isinstance(pattern, Reference))


def expected(nobody: View, pattern: Pattern | Expression) -> Expr:
    wanted = pattern.value if isinstance(pattern, Eval) else pattern
    if is_channel(wanted):
        assert isinstance(wanted, Reference)
        return channel(nobody, wanted)
    return value(nobody, wanted)


def same(a: Expr, b: Expr) -> Expr:
    if isinstance(a, Literal) and isinstance(b, Literal):
        return TRUE if a.value == b.value else FALSE
    return equal(a, b)


def event_allowed_at_end(placement: Placement) -> Expr:
    """The assertion is at its end or at an end label; where no process is left nobody asks."""
    trace = placement.trace
    if trace is None:
        return TRUE
    states = sorted({trace.done, *trace.ends})
    gone = [
        Quantify(Quantifier.ALL, Parameter("p", Atoms(slots)), equal(Read(pc_name(name), (Bound("p"),)), number(0)))
        for name, slots in placement.slots.items()
        if slots
    ]
    return disjunction([*(equal(Read(EVENT), number(n)) for n in states), conjunction(list(gone))])


def check_trace(placement: Placement, trace: Trace) -> None:
    """A handshake is two events in one step, which SPIN does not match as one would expect."""
    nobody = View(placement, "", atom(NONE))
    for event in trace.events:
        if any(shape.capacity == 0 for shape in possible_shapes(nobody, channel(nobody, event.channel))):
            raise UserError(event.channel.span, "a trace about a channel without a buffer is not supported")
