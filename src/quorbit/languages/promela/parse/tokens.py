"""What a Promela text is made of: tokens with their place, and how to cut a text into them.

A token knows whether it is the first one on its line, since SPIN lets a line's end stand for a semicolon.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from quorbit.source.errors import UserError
from quorbit.source.span import Source, Span

__all__ = ["Token"]

NAME, NUMBER, STRING, CHARACTER, SIGN, DIRECTIVE, END = "name", "number", "string", "character", "sign", "#", "end"
BAD = "bad"  # raised only where the text is read: a condition may leave it out


class Token(NamedTuple):
    """A word of the text; ``first`` if it opens a line, ``fixed`` if no macro may replace it.  ``place``: where what it
    stands for is written, the call of a macro or the parameter of an inline."""

    kind: str
    text: str
    span: Span
    first: bool = False
    fixed: bool = False
    place: Span | None = None


PATTERN = re.compile(
    r"""(?P<space>(?:[ \t\f\v\r]|\\[ \t]*\n)+)
      |(?P<newline>\n)
      |(?P<comment>//(?:\\\n|[^\n])*|/\*)
      |(?P<stray>\*/)
      |(?P<number>\.?[0-9](?:[eEpP][+-]|[0-9a-zA-Z_.])*)
      |(?P<name>(?:[A-Za-z_$]|[^\W\d])[\w$]*)
      |(?P<string>"(?:\\.|[^"\\\n])*")
      |(?P<character>'(?:\\.|[^'\\\n])')
      |(?P<sign><->|->|::|\.\.\.|\.\.|\+\+|--|<<|>>|<=|>=|==|!=|!!|\?\?|&&|\|\||\#\#|/\\|\\/
           |[-+*/%&|^~!?<>=(){}\[\];:,.@\#\\])
      |(?P<bad>.)""",
    re.VERBOSE | re.DOTALL,
)
PIECES = re.compile(r"[0-9]+|\.\.|\.|(?:[A-Za-z_$]|[^\W\d])[\w$]*|[+-]")


def scan(source: Source) -> list[Token]:
    """All tokens of a text, comments left out; directives are ordinary tokens that start with a first '#'."""
    return scan_part(Span(source, 0, len(source.text)))


def scan_part(part: Span) -> list[Token]:
    """Those of a part of a text."""
    tokens: list[Token] = []
    source, at, end, first = part.source, part.start, part.end, True
    text = source.text
    match_at = PATTERN.match
    while at < end:
        found = match_at(text, at, end)
        assert found is not None
        kind, start, at = found.lastgroup, at, found.end()
        if kind in {"space", "stray"}:  # SPIN passes over the end of a comment that never began
            continue
        if kind == "newline":
            first = True
            continue
        if kind == "comment":
            if text.startswith("/*", start):
                at = end_of_comment(source, start)
                first = first or "\n" in text[start:at]
            continue
        if kind == "number":
            tokens.extend(number_pieces(source, start, found.group(), first))
        else:
            assert kind is not None
            tokens.append(Token(kind, found.group(), Span(source, start, at), first))
        first = False
    return tokens


def end_of_comment(source: Source, start: int) -> int:
    end = source.text.find("*/", start + 2)
    if end < 0:
        raise UserError(Span(source, start, start + 2), "this comment is not closed")
    return end + 2


def bad_character(token: Token) -> UserError:
    if token.text == '"':
        return UserError(token.span, "this string is not closed on its line")
    if token.text == "'":
        return UserError(token.span, "this character constant is not closed")
    return UserError(token.span, f"unexpected character {token.text!r}")


def number_pieces(source: Source, start: int, text: str, first: bool) -> list[Token]:
    """A preprocessing number such as ``0..N`` is one word for macros, several for Promela."""
    if text.isdigit():
        return [Token(NUMBER, text, Span(source, start, start + len(text)), first)]
    pieces: list[Token] = []
    for found in PIECES.finditer(text):
        piece, here = found.group(), Span(source, start + found.start(), start + found.end())
        kind = NUMBER if piece[0].isdigit() else SIGN if piece[0] in ".+-" else NAME
        pieces.append(Token(kind, piece, here, first and not pieces, fixed=True))
    return pieces
