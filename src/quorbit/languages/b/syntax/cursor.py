"""A place in a list of tokens that moves forward: what all parsing functions share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TypeVar

from quorbit.languages.b.syntax.lex import END, KEYWORD, NAME, SIGN, STRING, Token, lex
from quorbit.source.errors import UserError
from quorbit.source.span import Source, Span

__all__ = ["describe", "open_cursor"]

T = TypeVar("T")
RECURSION = 12_000  # frames: enough for trees as deep as the parser lets brackets and chains of operators become
DEEPEST = 200  # brackets inside brackets; far beyond what people write, far below what recursion can follow


class Cursor:
    """Reads tokens in order; ``depth`` counts the brackets and statements that are open."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.place = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    @property
    def previous(self) -> Token:
        return self.tokens[self.place - 1]

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.place + ahead, len(self.tokens) - 1)]

    def at(self, *texts: str) -> bool:
        return self.token.is_sign(*texts)

    def at_name(self) -> bool:
        return self.token.kind == NAME

    def advance(self) -> Token:
        token = self.token
        if token.kind != END:
            self.place += 1
        return token

    def accept(self, *texts: str) -> Token | None:
        return self.advance() if self.at(*texts) else None

    def expect(self, text: str, why: str = "") -> Token:
        if not self.at(text):
            self.fail(f"{text} expected{why}, found {describe(self.token)}")
        return self.advance()

    def expect_name(self, what: str) -> Token:
        if not self.at_name():
            self.fail(f"{what} expected, found {describe(self.token)}")
        return self.advance()

    def fail(self, message: str) -> NoReturn:
        raise UserError(self.token.span, message)

    def span_from(self, start: Span) -> Span:
        """From a start to the last token read."""
        return start.to(self.previous.span)

    @contextmanager
    def nested(self) -> Iterator[None]:
        if self.depth >= DEEPEST:
            self.fail(f"nested more than {DEEPEST} levels deep")
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1


def open_cursor(source: Source) -> Cursor:
    """The tokens of a text; Python is told how deep the trees made of it may be."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    return Cursor(lex(source))


def describe(token: Token) -> str:
    if token.kind in (NAME, KEYWORD, SIGN):
        return token.text
    return f'"{token.text}"' if token.kind == STRING else token.text or token.kind


def list_of(cursor: Cursor, item: Callable[[Cursor], T], separator: str = ",") -> tuple[T, ...]:
    """One or more items with a separator between them."""
    items = [item(cursor)]
    while cursor.accept(separator):
        items.append(item(cursor))
    return tuple(items)
