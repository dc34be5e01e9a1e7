"""Sends and receives: when they can run and what they do to a buffered channel; the matching of a rendezvous."""

from __future__ import annotations

from quorbit.languages.promela.lower.expressions import channel, converted, fits, may_be_missing, place, value
from quorbit.languages.promela.lower.places import OWN_PID, Shape
from quorbit.languages.promela.lower.trace_events import event_steps
from quorbit.languages.promela.lower.values import (
    View,
    as_channel,
    as_number,
    belongs,
    contents,
    cut,
    is_channel,
    matches_something,
    possible_shapes,
)
from quorbit.languages.promela.parse.program import (
    Constant,
    DataType,
    Eval,
    Expression,
    Kind,
    Pattern,
    Predefined,
    Receive,
    Reference,
    Send,
)
from quorbit.model.meaning.evaluate import FAULTS
from quorbit.model.system.command import Require, Step, Together, assign
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Bound,
    Condition,
    Expr,
    Interval,
    Literal,
    Operator,
    Parameter,
    Part,
    Quantifier,
    Quantify,
    Read,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.types import NONE, Number, Truth
from quorbit.source.frozen import frozen

O = Operator
BYTE = DataType(Kind.BYTE)


@frozen
class Choice:
    """One way a statement can run: its condition, its parameters, its effect."""

    guard: Expr
    effect: tuple[Step, ...] = ()
    parameters: tuple[Parameter, ...] = ()


def send_choices(view: View, statement: Send) -> list[Choice]:
    """How a send can run on each kind of buffered channel it may name."""
    where = channel(view, statement.channel)
    found = [missing(view, where, statement)] if may_be_missing(where) else []
    for shape in possible_shapes(view, where):
        if shape.capacity:
            found.append(buffered_send(view, statement, shape, where))
    return [choice for choice in found if choice.guard != FALSE]


def missing(view: View, where: Expr, statement: Send | Receive) -> Choice:
    """The channel was never given."""
    none = equal(where, Literal(NONE, view.placement.type_of(DataType(Kind.CHAN))), statement.span)
    fault = Require(FALSE, "the channel is not initialised", FAULTS, statement.span)
    return Choice(none, (fault,))


def buffered_send(view: View, statement: Send, shape: Shape, where: Expr) -> Choice:
    queue = contents(shape, where, statement.span)
    room = Apply(O.LESS, (Apply(O.SIZE, (queue,)), number(shape.capacity)), statement.span)
    lossy = view.placement.program.lossy
    guard = conjunction([belongs(where, shape.atoms), *(() if lossy else (room,))], statement.span)
    if len(statement.arguments) != len(shape.fields):
        return Choice(guard, (wrong_arity(statement),))
    operator = O.INSERT_SORTED if statement.sorted else O.APPEND
    after: Expr = Apply(operator, (queue, message_of(view, statement, shape)), statement.span)
    if lossy:
        after = Condition(room, after, queue, statement.span)
    fields = [converted(view, e, data) for e, data in zip(statement.arguments, shape.fields, strict=True)]
    return Choice(guard, (*event_steps(view, True, where, fields, statement.span), assign((queue, after))))


def wrong_arity(statement: Send | Receive) -> Require:
    return Require(FALSE, "the message has the wrong number of fields for this channel", FAULTS, statement.span)


def message_of(view: View, statement: Send, shape: Shape) -> Expr:
    parts = tuple(converted(view, e, data) for e, data in zip(statement.arguments, shape.fields, strict=False))
    return Apply(O.TUPLE, parts, statement.span)


def receive_choices(view: View, statement: Receive) -> list[Choice]:
    """How a receive can run on each kind of buffered channel it may name."""
    where = channel(view, statement.channel)
    found = [missing(view, where, statement)] if may_be_missing(where) else []
    for shape in possible_shapes(view, where):
        if shape.capacity:
            found.append(buffered_receive(view, statement, shape, where))
    return [choice for choice in found if choice.guard != FALSE]


def buffered_receive(view: View, statement: Receive, shape: Shape, where: Expr) -> Choice:
    span = statement.span
    queue = contents(shape, where, span)
    size = Apply(O.SIZE, (queue,), span)
    mine = belongs(where, shape.atoms)
    searches = statement.random and any(matches_something(p) for p in statement.patterns)
    if len(statement.patterns) != len(shape.fields):
        filled = Apply(O.LESS, (number(0), size), span)
        return Choice(conjunction([mine, filled], span), (wrong_arity(statement),))
    if not searches:
        message = Apply(O.FIRST, (queue,), span)
        filled = Apply(O.LESS, (number(0), size), span)
        guard = conjunction([mine, filled, fits(view, statement.patterns, message, shape)], span)
        rest = Apply(O.REST, (queue,), span)
        return Choice(guard, taken(view, statement, shape, message, None if statement.keep else (queue, rest)))
    return searching_receive(view, statement, shape, queue, mine)


def searching_receive(view: View, statement: Receive, shape: Shape, queue: Read, mine: Expr) -> Choice:
    """?? takes the first message that fits: number k fits and no earlier one does."""
    span = statement.span
    k, j = Bound("k"), Bound("j")
    inside = Apply(O.LESS, (k, Apply(O.SIZE, (queue,))), span)
    message = Apply(O.ELEMENT, (queue, k), span)
    earlier = Apply(O.ELEMENT, (queue, j), span)
    none_before = Quantify(
        Quantifier.ALL,
        Parameter("j", Interval(0, shape.capacity - 1)),
        negation(fits(view, statement.patterns, earlier, shape)),
        Apply(O.LESS, (j, k), span),
        span,
    )
    guard = conjunction([mine, inside, fits(view, statement.patterns, message, shape), none_before], span)
    rest = Apply(O.WITHOUT, (queue, k), span)
    effect = taken(view, statement, shape, message, None if statement.keep else (queue, rest))
    return Choice(guard, effect, (Parameter("k", Interval(0, shape.capacity - 1)),))


def taken(
    view: View, statement: Receive, shape: Shape, message: Expr, removal: tuple[Read, Expr] | None
) -> tuple[Step, ...]:
    """The fields go to the variables one after the other, then the message leaves the channel."""
    steps: list[Step] = []
    if removal is not None:
        fields = [Part(message, k, statement.span) for k in range(len(shape.fields))]
        where = channel(view, statement.channel)
        steps.extend(event_steps(view, False, where, list(fields), statement.span))
    for k, pattern in enumerate(statement.patterns):
        if k < len(shape.fields):
            steps.extend(stored(view, pattern, Part(message, k, pattern.span), shape.fields[k]))
    if removal is not None:
        steps.append(assign(removal))
    return tuple(steps)


def stored(view: View, pattern: Pattern, part: Expr, data: DataType) -> list[Step]:
    """The assignment of a received field."""
    match pattern:
        case Reference():
            if view.placement.is_hidden(pattern.variable):
                return []
            return [assign((place(view, pattern), received(view, part, data, view.placement.leaf_of(pattern).type)))]
        case Predefined("_pid"):
            return [assign((Read(OWN_PID, (view.me,), span=pattern.span), received(view, part, data, BYTE)))]
        case Constant() | Eval() | Predefined():
            return []


def received(view: View, part: Expr, data: DataType, target: DataType) -> Expr:
    """A field of one type as a value of another."""
    if data.kind is Kind.CHAN and target.kind is Kind.CHAN:
        return part
    if data.kind is Kind.CHAN:
        return cut(as_number(view, part, part.span), target, view.placement)
    if target.kind is Kind.CHAN:
        return as_channel(view, part, part.span)
    return part if narrower(view, data, target) else cut(part, target, view.placement)


def narrower(view: View, data: DataType, target: DataType) -> bool:
    """Whether every value of the field fits the variable."""
    a, b = view.placement.type_of(data), view.placement.type_of(target)
    low_a, high_a = (0, 1) if isinstance(a, Truth) else (a.low, a.high) if isinstance(a, Number) else (None, None)
    low_b, high_b = (0, 1) if isinstance(b, Truth) else (b.low, b.high) if isinstance(b, Number) else (None, None)
    assert low_a is not None
    assert low_b is not None
    assert high_a is not None
    assert high_b is not None
    return low_b <= low_a and high_a <= high_b


@frozen
class Handshake:
    """A rendezvous: its condition and what the receiver takes."""

    guard: Expr
    effect: tuple[Step, ...]


def handshakes(sender: View, send: Send, receiver: View, receive: Receive) -> list[Handshake]:
    """How a send and a receive can meet on each kind of rendezvous channel they may both name."""
    there, here = channel(sender, send.channel), channel(receiver, receive.channel)
    common = [s for s in possible_shapes(sender, there) if s in possible_shapes(receiver, here) and not s.capacity]
    found: list[Handshake] = []
    for shape in common:
        guard = conjunction([same_channel(there, here), belongs(there, shape.atoms)], send.span)
        for party, given in ((send, len(send.arguments)), (receive, len(receive.patterns))):
            if given != len(shape.fields):
                found.append(Handshake(guard, (wrong_arity(party),)))
                break
        else:
            found.append(fitting(sender, send, receiver, receive, shape, guard))
    return [handshake for handshake in found if handshake.guard != FALSE]


def fitting(sender: View, send: Send, receiver: View, receive: Receive, shape: Shape, guard: Expr) -> Handshake:
    """A rendezvous in which message, channel and patterns have the same number of fields."""
    values = [converted(sender, e, data) for e, data in zip(send.arguments, shape.fields, strict=True)]
    agreed = conjunction([guard, *agreements(receiver, receive, values, shape)], send.span)
    return Handshake(agreed, handed_over(receiver, receive, values, shape))


def handed_over(receiver: View, receive: Receive, values: list[Expr], shape: Shape) -> tuple[Step, ...]:
    """The receiver's assignments; at once, since the values were fixed by the sender."""
    steps: list[Step] = []
    for k, pattern in enumerate(receive.patterns[: len(shape.fields)]):
        steps.extend(stored(receiver, pattern, values[k], shape.fields[k]))
    assignments = tuple(a for step in steps if isinstance(step, Together) for a in step.assignments)
    if any(not isinstance(index, Literal) for a in assignments for index in a.target.indices):
        return tuple(steps)
    return (Together(assignments),) if assignments else ()


def same_channel(a: Expr, b: Expr) -> Expr:
    if isinstance(a, Literal) and isinstance(b, Literal):
        return TRUE if a.value == b.value else FALSE
    return equal(a, b)


def agreements(receiver: View, receive: Receive, values: list[Expr], shape: Shape) -> list[Expr]:
    """The constants and eval()s of the receive agree with the values sent."""
    found: list[Expr] = []
    for pattern, sent, data in zip(receive.patterns, values, shape.fields, strict=False):
        if not matches_something(pattern):
            continue
        wanted: Expression = pattern.value if isinstance(pattern, Eval) else pattern
        if data.kind is Kind.CHAN and is_channel(wanted):
            assert isinstance(wanted, Reference)
            expected = channel(receiver, wanted)
        elif data.kind is Kind.CHAN:
            sent, expected = as_number(receiver, sent, pattern.span), value(receiver, wanted)
        else:
            expected = value(receiver, wanted)
        found.append(folded_equal(sent, expected))
    return found


def folded_equal(a: Expr, b: Expr) -> Expr:
    if isinstance(a, Literal) and isinstance(b, Literal):
        return TRUE if a.value == b.value else FALSE
    return equal(a, b, a.span)
