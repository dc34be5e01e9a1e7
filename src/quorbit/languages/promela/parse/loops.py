"""``for`` and ``select``, written out as SPIN does: an assignment and a loop."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.promela.parse.expressions import fields_of, mark_read, parse_expression, parse_reference
from quorbit.languages.promela.parse.parser import Parser
from quorbit.languages.promela.parse.program import (
    Assignment,
    Binary,
    Break,
    ChannelInit,
    Constant,
    DataType,
    Else,
    Expression,
    Guard,
    Kind,
    Probe,
    Receive,
    Reference,
    Selection,
    Selector,
    Send,
    Statement,
    Variable,
)
from quorbit.languages.promela.parse.tokens import NAME, NUMBER
from quorbit.source.errors import UserError
from quorbit.source.span import Span

MOST_OPTIONS = 33  # select over more values becomes a loop
Block = Callable[[Parser], tuple[Statement, ...]]


def parse_for(p: Parser, block: Block) -> Statement:
    """for (v : a .. b) { }, for (v in array) { } and for (message in channel) { }; the start goes before the loop."""
    word = p.cursor.next()
    p.cursor.open()
    variable = parse_reference(p)
    mark_read(p, variable.variable)
    loop = new_loop(p)
    if p.cursor.accept("in"):
        before, first, counter = over_collection(p, variable)
    else:
        before, first, counter = over_range(p, variable)
    p.cursor.close()
    p.declaring.append(before)
    p.before_statements = False
    p.cursor.accept(";")
    body = (*first, *block(p), increment(counter))
    p.loops.pop()
    leave = (Else(word.span), Break(loop, word.span))
    return Selection((body, leave), loop, word.span)


def new_loop(p: Parser) -> int:
    p.loop_count += 1
    p.loops.append(p.loop_count)
    return p.loop_count


def increment(counter: Reference) -> Statement:
    return Assignment(counter, Binary("+", counter, Constant(1, counter.span), counter.span), counter.span)


Parts = tuple[Statement, tuple[Statement, ...], Reference]


def over_range(p: Parser, variable: Reference) -> Parts:
    p.cursor.expect(":", " or 'in'")
    low = parse_expression(p)
    p.cursor.expect("..")
    high = parse_expression(p)
    check_counter(variable, low, high)
    return counting(variable, low, high, "<=")


def counting(variable: Reference, low: Expression, high: Expression, sign: str) -> Parts:
    start = Assignment(variable, low, variable.span.to(low.span))
    span = low.span.to(high.span)
    return start, (Guard(Binary(sign, variable, high, span), span),), variable


def check_counter(variable: Reference, low: Expression, high: Expression) -> None:
    if variable.last.type.kind in {Kind.CHAN, Kind.STRUCT} or variable.last.length is not None:
        raise UserError(variable.span, f"'{variable.last.name}' cannot count a loop")
    if isinstance(low, Constant) and isinstance(high, Constant) and low.value > high.value:
        raise UserError(low.span, "the first value exceeds the last one")


def over_collection(p: Parser, variable: Reference) -> Parts:
    p.arrays_allowed = True
    collection = parse_reference(p)
    p.arrays_allowed = False
    if variable.last.type.kind is Kind.STRUCT:
        return over_channel(p, variable, collection)
    length = collection.last.length
    if length is None:
        raise UserError(collection.span, f"'{collection.last.name}' is not an array")
    check_counter(variable, Constant(0), Constant(length - 1))
    return counting(variable, Constant(0, variable.span), Constant(length - 1, collection.span), "<=")


def over_channel(p: Parser, variable: Reference, channel: Reference) -> Parts:
    """Every message of a channel in turn: take it out, put it back."""
    declared = channel.last.initial
    if not isinstance(declared, ChannelInit) or declared.capacity == 0:
        raise UserError(channel.span, f"'{channel.last.name}' must be a channel with a buffer")
    parts = fields_of(p, variable)
    if len(parts) != len(declared.fields):
        raise UserError(variable.span, f"'{variable.last.name}' does not fit the messages of '{channel.last.name}'")
    p.temporaries += 1
    counter = Variable(
        f"_message{p.temporaries}", DataType(Kind.BYTE), None, None, variable.span, p.names.owner, block=p.names.block
    )
    p.names.declare(counter)
    count = Reference((Selector(counter, None),), variable.span)
    start, guard, _ = counting(count, Constant(0, variable.span), Probe("len", channel, channel.span), "<")
    take = Receive(channel, tuple(parts), False, False, channel.span)
    put = Send(channel, tuple(parts), False, channel.span)
    return start, (*guard, take, put), count


def parse_select(p: Parser) -> Statement:
    """select (v : a .. b)."""
    word = p.cursor.next()
    p.cursor.open()
    simple = is_simple_select(p)
    variable = parse_reference(p)
    if not simple:
        mark_read(p, variable.variable)
    p.cursor.expect(":")
    low = parse_expression(p)
    p.cursor.expect("..")
    high = parse_expression(p)
    p.cursor.close()
    check_counter(variable, low, high)
    if simple and isinstance(low, Constant) and isinstance(high, Constant):
        if high.value - low.value < MOST_OPTIONS:
            return choose(variable, low.value, high.value, word.span)
        return choose_by_loop(p, variable, low, high, word.span)
    return choose_by_loop(p, variable, low, high, word.span)


def is_simple_select(p: Parser) -> bool:
    """A plain name and two numbers, not inside an inline: SPIN's scanner writes the choice out."""
    kinds = [p.cursor.peek(k) for k in range(5)]
    if p.inline or not p.cursor.peek().text.isalnum():
        return False
    return (
        kinds[0].kind == NAME
        and kinds[1].text == ":"
        and kinds[2].kind == NUMBER
        and kinds[3].text == ".."
        and kinds[4].kind == NUMBER
        and p.cursor.peek(5).text == ")"
    )


def choose(variable: Reference, low: int, high: int, span: Span) -> Statement:
    options = [(Assignment(variable, Constant(k, span), span),) for k in range(low, high + 1)]
    return Selection(tuple(options), None, span)


def choose_by_loop(p: Parser, variable: Reference, low: Expression, high: Expression, span: Span) -> Statement:
    loop = new_loop(p)
    p.loops.pop()
    start, guard, _ = counting(variable, low, high, "<")
    p.declaring.append(start)
    leave: tuple[Statement, ...] = (Break(loop, span),)
    step = (*guard, increment(variable))
    return Selection((step, leave), loop, span)
