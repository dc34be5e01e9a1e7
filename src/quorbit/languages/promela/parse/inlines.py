"""Inlines: their definitions, and their calls as SPIN does them, by replacing names in the text."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.promela.parse.names import KEYWORDS, Inline
from quorbit.languages.promela.parse.parser import Parser
from quorbit.languages.promela.parse.program import Reference, Sequence, Statement
from quorbit.languages.promela.parse.tokens import END, NAME, SIGN, Token
from quorbit.source.errors import UserError

DEEPEST_INLINE = 16


def parse_inline(p: Parser) -> None:
    """inline name(parameters) { body }: the body is kept as tokens."""
    p.cursor.expect("inline")
    name = p.cursor.name("a name")
    if name.text in KEYWORDS or name.text in p.names.proctypes or name.text in p.names.members:
        raise UserError(name.span, f"'{name.text}' is already declared")
    p.cursor.open()
    parameters: list[str] = []
    while not p.cursor.sees(")"):
        parameter = p.cursor.name("a parameter")
        if parameter.text in parameters:
            raise UserError(parameter.span, f"'{parameter.text}' is listed twice as a parameter")
        parameters.append(parameter.text)
        if not p.cursor.accept(","):
            break
    p.cursor.close()
    if name.text in p.names.inlines:
        raise UserError(name.span, f"the inline '{name.text}' is already defined")
    body = take_braced(p, name)
    number = len(p.names.inlines) + 1
    p.names.inlines[name.text] = Inline(name.text, number, tuple(parameters), tuple(body), name.span)


def take_braced(p: Parser, name: Token) -> list[Token]:
    opening = p.cursor.expect("{")
    tokens = [opening]
    depth = 1
    while depth:
        token = p.cursor.next()
        if token.kind == END:
            raise UserError(name.span, f"the body of the inline '{name.text}' is not closed")
        depth += (token.text == "{" and token.kind == SIGN) - (token.text == "}" and token.kind == SIGN)
        tokens.append(token)
    return tokens


def call_inline(p: Parser, result: Reference | None, block: Callable[[Parser], tuple[Statement, ...]]) -> Statement:
    """A call: the body's text with the arguments' texts in place of the parameters, read as a block."""
    name = p.cursor.next()
    inline = p.names.inlines[name.text]
    arguments = take_arguments(p)
    if len(arguments) != len(inline.parameters):
        wanted = len(inline.parameters)
        raise UserError(name.span, f"the inline '{name.text}' takes {wanted} arguments, not {len(arguments)}")
    if name.text in p.active_inlines:
        raise UserError(name.span, f"the inline '{name.text}' calls itself")
    if len(p.active_inlines) >= DEEPEST_INLINE:
        raise UserError(name.span, f"inlines are nested more than {DEEPEST_INLINE} deep")
    p.before_statements = False
    held, p.inline = p.inline, inline.number
    p.active_inlines.append(name.text)
    p.results.append(result)
    p.cursor.enter(substituted(inline, arguments))
    body = block(p)
    p.cursor.leave()
    p.results.pop()
    p.active_inlines.pop()
    p.inline = held
    return Sequence("", body, name.span)


def take_arguments(p: Parser) -> list[list[Token]]:
    opening = p.cursor.open()
    arguments: list[list[Token]] = [[]]
    depth = 0
    while depth or not p.cursor.sees(")"):
        token = p.cursor.next()
        if token.kind == END:
            raise UserError(opening.span, "this bracket is not closed")
        if token.text == "," and depth == 0 and token.kind == SIGN:
            arguments.append([])
            continue
        if token.kind == SIGN:
            depth += (token.text == "(") - (token.text == ")")
        arguments[-1].append(token)
    p.cursor.close()
    if arguments == [[]]:
        return []
    for argument in arguments:
        if not argument:
            raise UserError(opening.span, "an argument is missing")
    return arguments


def substituted(inline: Inline, arguments: list[list[Token]]) -> list[Token]:
    place = dict(zip(inline.parameters, arguments, strict=True))
    out: list[Token] = []
    for token in inline.body:
        argument = place.get(token.text) if token.kind == NAME else None
        if argument is None:
            out.append(token)
        else:
            here = token.place or token.span
            out.extend(t._replace(first=token.first and i == 0, place=here) for i, t in enumerate(argument))
    return out
