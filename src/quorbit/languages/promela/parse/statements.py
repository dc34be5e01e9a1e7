"""Statements and bodies."""

from __future__ import annotations

from quorbit.languages.promela.parse.cursor import SEPARATORS, shown
from quorbit.languages.promela.parse.declarations import VISIBILITY, parse_declaration, starts_declaration
from quorbit.languages.promela.parse.expression_checks import check_assignable, check_no_run, check_runs
from quorbit.languages.promela.parse.expressions import (
    check_channel,
    expanded,
    mark_read,
    parse_argument,
    parse_arguments,
    parse_expression,
    parse_full_expression,
    parse_patterns,
    parse_reference,
    primary,
    refuse_c,
)
from quorbit.languages.promela.parse.inlines import call_inline
from quorbit.languages.promela.parse.loops import parse_for, parse_select
from quorbit.languages.promela.parse.names import KEYWORDS, PREDEFINED
from quorbit.languages.promela.parse.parser import Parser
from quorbit.languages.promela.parse.program import (
    NOBODY,
    Assertion,
    Assignment,
    Binary,
    Break,
    Constant,
    Else,
    Expression,
    Goto,
    Guard,
    Kind,
    Labelled,
    Predefined,
    Print,
    Receive,
    Reference,
    Selection,
    Selector,
    Send,
    Sequence,
    SetPriority,
    Statement,
    Unless,
)
from quorbit.languages.promela.parse.recover import mark, note, skip_statement
from quorbit.languages.promela.parse.tokens import END, NAME, STRING, Token
from quorbit.source.errors import UserError, raise_all
from quorbit.source.frozen import replace

CLOSERS = ("}", "::", "fi", "od")


def parse_block(p: Parser) -> tuple[Statement, ...]:
    """{ sequence }, whose first statement has no label: nothing could jump there."""
    body = parse_loop_body(p)
    if isinstance(body[0], Labelled):
        raise UserError(body[0].span, "put the label before the braces, not on the first statement inside")
    return body


def parse_loop_body(p: Parser) -> tuple[Statement, ...]:
    """{ sequence }"""
    opening = p.cursor.expect("{")
    p.cursor.deeper(opening)
    p.names.enter_block()
    body = parse_sequence(p)
    p.cursor.expect("}")
    p.names.leave_block()
    p.cursor.depth -= 1
    return body


def parse_sequence(p: Parser, *, top: bool = False) -> tuple[Statement, ...]:
    """Steps up to a closing word; at the top of a body declarations may come alone."""
    held, p.declaring = p.declaring, []
    p.before_statements = top
    start = p.cursor.peek()
    steps = 0
    while not p.cursor.sees(*CLOSERS):
        statement = parse_or_skip(p)
        steps += 1
        if statement is not None:
            p.declaring.append(statement)
            p.before_statements = False
        if not separated(p):
            break
    out, p.declaring = p.declaring, held
    if not steps or (not out and not top):
        raise UserError(start.span, f"expected a statement, found {shown(start)}")
    p.before_statements = False
    return tuple(out)


def parse_or_skip(p: Parser) -> Statement | None:
    """A step; one that is wrong is noted, and something harmless stands for it."""
    before = mark(p)
    try:
        return parse_step(p)
    except UserError as error:
        note(p, error)
        skip_statement(p, before)
        if p.cursor.peek().kind == END:
            raise_all(p.wrong)  # nothing is left to be read
        return Guard(Constant(1))


def separated(p: Parser) -> bool:
    """Read the separators after a step; false if the sequence ends here."""
    found = False
    while p.cursor.peek().text in SEPARATORS and p.cursor.peek().kind != STRING:
        p.cursor.next()
        found = True
    return found or p.cursor.last().text in {"}", "else"} or p.cursor.sees(*CLOSERS)


def parse_step(p: Parser) -> Statement | None:
    token = p.cursor.peek()
    if starts_declaration(p):
        parse_declaration(p)
        return None
    if token.text in {"xr", "xs"} and token.kind == NAME:
        parse_exclusive(p)
        return None
    statement = parse_statement(p)
    if not p.cursor.sees("unless"):
        if not p.cursor.sees(*SEPARATORS, *CLOSERS) and p.cursor.last().text not in {"}", "else"}:
            following = p.cursor.peek()
            if following.kind == END:
                raise UserError(following.span, f"expected '}}', found {shown(following)}")
            raise UserError(following.span, f"unexpected {shown(following)}; is a separator missing before it?")
        return statement
    p.cursor.next()
    held = p.loops
    if isinstance(statement, Selection) and statement.loop is not None:
        p.loops = p.loops[:]
    escape = parse_statement(p)
    p.loops = held
    return Unless(statement, escape, statement.span)


def parse_exclusive(p: Parser) -> None:
    word = p.cursor.next()
    if p.names.owner is None:
        raise UserError(word.span, f"{word.text} may only be used inside a proctype")
    while True:
        channel = parse_reference(p)
        if any(step.index is not None for step in channel.path):
            raise UserError(channel.span, f"{word.text} cannot name an element of an array")
        if channel.last.type.kind is not Kind.CHAN and channel.last.type.kind is not Kind.STRUCT:
            raise UserError(channel.span, f"'{channel.last.name}' is not a channel")
        p.exclusive.append((word.text, channel))
        if not p.cursor.accept(","):
            return


def parse_statement(p: Parser) -> Statement:
    token = p.cursor.peek()
    p.cursor.deeper(token)
    statement = statement_of(p, token)
    p.cursor.depth -= 1
    return statement if token.place is None else replace(statement, span=token.place)


def statement_of(p: Parser, token: Token) -> Statement:
    if token.text == "{":
        return Sequence("", parse_block(p), token.span)
    if token.kind == NAME:
        if token.text in KEYWORDED:
            return KEYWORDED[token.text](p)
        if token.text in {"c_code", "c_decl", "c_state", "c_track", "c_expr"}:
            raise refuse_c(token)
        if token.text in p.names.inlines and p.cursor.peek(1).text == "(":
            return call_inline(p, None, parse_block)
        if is_label(p, token):
            return parse_label(p)
        if p.names.find(token.text) is not None or token.text in PREDEFINED:
            return parse_about_variable(p, token)
    condition = parse_full_expression(p)
    check_runs(condition)
    return Guard(condition, condition.span)


def is_label(p: Parser, token: Token) -> bool:
    return token.text not in KEYWORDS and token.text not in p.names.proctypes and p.cursor.peek(1).text == ":"


def parse_label(p: Parser) -> Statement:
    name = p.cursor.next()
    p.cursor.next()
    if p.names.find(name.text) is not None or name.text in p.names.members:
        raise UserError(name.span, f"'{name.text}' is a variable and cannot be a label")
    if starts_declaration(p) or p.cursor.peek().text in VISIBILITY | {"xr", "xs"}:
        raise UserError(name.span, "a label cannot stand before a declaration")
    if p.cursor.sees(*SEPARATORS, *CLOSERS):
        body: Statement = Guard(Constant(1, name.span), name.span)
    else:
        body = parse_statement(p)
    return Labelled(name.text, body, p.names.block, p.inline, name.span)


def parse_about_variable(p: Parser, token: Token) -> Statement:
    """An assignment, a send, a receive, or an expression that starts with a variable."""
    start = p.cursor.at
    if token.text in PREDEFINED:
        if p.cursor.peek(1).text in {"=", "++", "--"}:
            if token.text == "_":
                return discard(p)
            if token.text == "_priority":
                return parse_own_priority(p)
            raise UserError(token.span, f"{token.text} cannot be assigned")
        return expression_statement(p)
    reference = parse_reference(p)
    sign = p.cursor.peek().text
    if sign in {"=", "++", "--"}:
        return parse_assignment(p, reference)
    if sign in {"!", "!!"}:
        return parse_send(p, reference)
    if sign in {"?", "??"} and p.cursor.peek(1).text != "[":
        return parse_receive(p, reference)
    p.cursor.at = start
    return expression_statement(p)


def discard(p: Parser) -> Statement:
    """``_ = e``: evaluated and forgotten."""
    token = p.cursor.next()
    p.cursor.expect("=")
    value = parse_full_expression(p)
    check_runs(value)
    target = Reference((Selector(NOBODY, None),), token.span)
    return Assignment(target, value, token.span.to(value.span))


def parse_own_priority(p: Parser) -> Statement:
    """``_priority = e``, or with ++ or --."""
    token, sign = p.cursor.next(), p.cursor.next()
    own = Predefined("_pid", token.span)
    if sign.text != "=":
        step = Binary(
            sign.text[0], Predefined("_priority", token.span), Constant(1, sign.span), token.span.to(sign.span)
        )
        return SetPriority(own, step, step.span, own=True)
    value = parse_full_expression(p)
    return SetPriority(own, value, token.span.to(value.span), own=True)


def expression_statement(p: Parser) -> Statement:
    condition = parse_full_expression(p)
    check_runs(condition)
    return Guard(condition, condition.span)


def parse_assignment(p: Parser, target: Reference) -> Statement:
    sign = p.cursor.next()
    if target.last.type.kind is Kind.STRUCT:
        raise UserError(target.span, f"'{target.last.name}' is a structure: assign its fields")
    index = target.path[0].index
    if isinstance(index, Reference) and index.variable is target.variable:
        raise UserError(target.span, f"'{target.variable.name}' is indexed with itself in an assignment to it")
    if sign.text != "=":
        if target.last.type.kind is Kind.CHAN:
            raise UserError(target.span, "a channel is not a number")
        value: Expression = Binary(sign.text[0], target, Constant(1, sign.span), target.span.to(sign.span))
        return Assignment(target, value, target.span.to(sign.span), step=True)
    token = p.cursor.peek()
    if token.text in p.names.inlines and token.kind == NAME and p.cursor.peek(1).text == "(":
        return call_inline(p, target, parse_block)
    value = parse_full_expression(p)
    check_assignable(p, target, value)
    return Assignment(target, value, target.span.to(value.span))


def parse_send(p: Parser, channel: Reference) -> Statement:
    check_channel(channel)
    sign = p.cursor.next()
    arguments = expanded(p, parse_argument(p))
    if p.cursor.sees("("):
        p.cursor.open()
        arguments.extend(parse_arguments(p, ")"))
        p.cursor.close()
    while p.cursor.accept(","):
        arguments.extend(expanded(p, parse_argument(p)))
    for argument in arguments:
        check_no_run(argument)
    return Send(channel, tuple(arguments), sign.text == "!!", channel.span.to(p.cursor.last().span))


def parse_receive(p: Parser, channel: Reference) -> Statement:
    check_channel(channel)
    sign = p.cursor.next()
    keep = p.cursor.accept("<") is not None
    patterns = parse_patterns(p)
    if keep:
        p.cursor.expect(">")
    check_distinct(patterns)
    return Receive(channel, patterns, sign.text == "??", keep, channel.span.to(p.cursor.last().span))


def check_distinct(patterns: tuple[object, ...]) -> None:
    plain = [r for r in patterns if isinstance(r, Reference) and len(r.path) == 1 and r.last.length is None]
    for i, reference in enumerate(plain):
        if any(other.variable is reference.variable for other in plain[:i]):
            raise UserError(reference.span, f"'{reference.last.name}' receives two fields of one message")


def parse_selection(p: Parser) -> Statement:
    word = p.cursor.next()
    loop = None
    if word.text == "do":
        p.loop_count += 1
        loop = p.loop_count
        p.loops.append(loop)
    options = []
    if not p.cursor.sees("::"):
        raise UserError(p.cursor.peek().span, f"expected '::', found {shown(p.cursor.peek())}")
    while p.cursor.accept("::"):
        options.append(parse_sequence(p))
    p.cursor.expect("od" if loop is not None else "fi")
    if loop is not None:
        p.loops.pop()
    check_one_else(options)
    return Selection(tuple(options), loop, word.span)


def check_one_else(options: list[tuple[Statement, ...]]) -> None:
    found = [option[0] for option in options if isinstance(option[0], Else)]
    if len(found) > 1:
        raise UserError(found[1].span, "a second else in one selection")


def parse_braced(p: Parser) -> Statement:
    word = p.cursor.next()
    body = parse_block(p)
    return Sequence(word.text, body, word.span)


def parse_break(p: Parser) -> Statement:
    word = p.cursor.next()
    if not p.loops:
        raise UserError(word.span, "break outside a loop")
    return Break(p.loops[-1], word.span)


def parse_goto(p: Parser) -> Statement:
    word = p.cursor.next()
    name = p.cursor.name("a label")
    if p.names.find(name.text) is not None:
        raise UserError(name.span, f"'{name.text}' is a variable and cannot be a label")
    return Goto(name.text, p.names.block, p.inline, word.span.to(name.span))


def parse_else(p: Parser) -> Statement:
    return Else(p.cursor.next().span)


def parse_assert(p: Parser) -> Statement:
    word = p.cursor.next()
    condition = parse_full_expression(p)
    return Assertion(condition, word.span.to(p.cursor.last().span))


def parse_printf(p: Parser) -> Statement:
    word = p.cursor.next()
    p.cursor.open()
    text = p.cursor.next()
    if text.kind != STRING:
        raise UserError(text.span, f"expected a string, found {shown(text)}")
    p.printing = True
    arguments = parse_arguments(p, ")") if p.cursor.accept(",") else ()
    p.printing = False
    return Print(text.text, arguments, word.span.to(p.cursor.close().span))


def parse_printm(p: Parser) -> Statement:
    word = p.cursor.next()
    p.cursor.open()
    value: Expression = primary(p)
    return Print("", (value,), word.span.to(p.cursor.close().span))


def parse_set_priority(p: Parser) -> Statement:
    word = p.cursor.next()
    p.cursor.open()
    process = parse_expression(p)
    p.cursor.expect(",")
    priority = parse_expression(p)
    return SetPriority(process, priority, word.span.to(p.cursor.close().span))


def parse_return(p: Parser) -> Statement:
    word = p.cursor.next()
    target = p.results[-1] if p.results else None
    if target is None:
        raise UserError(word.span, "return outside an inline that is called for its value")
    value = parse_full_expression(p)
    mark_read(p, target.variable)
    return Assignment(target, value, word.span.to(value.span))


def parse_for_loop(p: Parser) -> Statement:
    return parse_for(p, parse_loop_body)


KEYWORDED = {
    "if": parse_selection,
    "do": parse_selection,
    "atomic": parse_braced,
    "d_step": parse_braced,
    "break": parse_break,
    "goto": parse_goto,
    "else": parse_else,
    "assert": parse_assert,
    "printf": parse_printf,
    "printm": parse_printm,
    "set_priority": parse_set_priority,
    "return": parse_return,
    "for": parse_for_loop,
    "select": parse_select,
}
