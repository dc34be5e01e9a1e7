"""B text to tokens: comments dropped, Unicode signs in their ASCII spelling, every token with its span."""

from __future__ import annotations

import re

from quorbit.languages.b.syntax.spelling import KEYWORDS, SAME_WORD, SIGNS, UNICODE
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Source, Span

__all__ = ["END"]

NAME, NUMBER, STRING, SIGN, KEYWORD, END = "name", "number", "string", "sign", "keyword", "end of text"


@frozen
class Token:
    """A word of the text; ``text`` is its ASCII spelling, of a string its content."""

    kind: str
    text: str
    span: Span

    def is_sign(self, *texts: str) -> bool:
        return self.kind in (SIGN, KEYWORD) and self.text in texts


SPECIAL = tuple(sorted(UNICODE, key=lambda s: (-len(s), s)))
SIGN_PATTERN = "|".join(re.escape(s) for s in SIGNS)
WORD = re.compile(
    r"(?P<space>[\s\ufeff]+|//[^\n]*|/\*.*?\*/|\#!(?=[^\n]*/)[^\n]*)"
    r"|(?P<text>'''.*?'''|\"(?:[^\"\\\n]|\\.)*\")"
    r"|(?P<plain>[A-Za-z]\w*[′‘’]*)"
    rf"|(?P<special>(?=[^\x00-\x7f]|:[^\x00-\x7f])(?:{'|'.join(re.escape(s) for s in SPECIAL)}))"
    r"|(?P<real>\d+\.\d+)|(?P<hex>0[xX][0-9a-fA-F]+)|(?P<number>\d+)"
    r"|(?P<name>[^\W\d_][\wλ]*[′‘’]*)|(?P<quoted>`[^`\n]+`)"
    r"|(?P<open>/\*|''')"
    rf"|(?P<sign>{SIGN_PATTERN})",
    re.DOTALL,
)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
LARGEST_DIGITS = 4000  # what Python converts at once; a longer literal is not a bound of a finite model


def lex(source: Source) -> list[Token]:
    """All tokens of the text, an END token last."""
    tokens: list[Token] = []
    position = 0
    while position < len(source.text):
        found = WORD.match(source.text, position)
        if found is None or found.lastgroup == "open":
            raise complaint(source, position)
        position = found.end()
        if found.lastgroup != "space":
            tokens.extend(tokens_of(found, Span(source, found.start(), found.end())))
    return [*tokens, Token(END, "", Span(source, len(source.text), len(source.text)))]


def tokens_of(found: re.Match[str], span: Span) -> list[Token]:
    text = found.group()
    match found.lastgroup:
        case "special" if UNICODE[text] == "{}":
            return [Token(SIGN, "{", span), Token(SIGN, "}", span)]
        case "special":
            return [Token(KEYWORD if UNICODE[text] in KEYWORDS else SIGN, UNICODE[text], span)]
        case "text":
            return [Token(STRING, unquote(text), span)]
        case "real":
            return [number_token(text, span)]
        case "hex":
            return [Token(NUMBER, str(int(text, 16)), span)]
        case "number":
            return [number_token(text, span)]
        case "quoted":
            return [Token(NAME, text[1:-1], span)]
        case "name" | "plain":
            return [name_token(text, span)]
    return [Token(SIGN, text, span)]


def number_token(text: str, span: Span) -> Token:
    if len(text) > LARGEST_DIGITS:
        raise UserError(span, f"a number of more than {LARGEST_DIGITS} digits")
    return Token(NUMBER, text, span)


def name_token(text: str, span: Span) -> Token:
    word = SAME_WORD.get(text, text)
    return Token(KEYWORD if word in KEYWORDS else NAME, word, span)


def unquote(text: str) -> str:
    if text.startswith("'''"):
        return text[3:-3]
    return re.sub(r"\\(.)", lambda m: ESCAPES.get(m.group(1), m.group(1)), text[1:-1], flags=re.DOTALL)


def complaint(source: Source, position: int) -> UserError:
    span = Span(source, position, position + 1)
    match source.text[position : position + 2]:
        case "/*":
            return UserError(span, "this comment is never closed")
        case text if text.startswith('"'):
            return UserError(span, "this string is not closed on its line")
        case "''":
            return UserError(span, "this string is never closed")
    return UserError(span, f"unexpected character {source.text[position]!r}")
