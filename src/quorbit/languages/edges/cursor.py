"""A position in the text of an edge diagram: one token at a time, read when it is asked for.

Tokens are not listed beforehand, so a text of ten million brackets costs nothing before the first error in it.
"""

from __future__ import annotations

import re

from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Source, Span

BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
TOKEN = re.compile(
    r"(?P<number>[0-9]+)|(?P<word>[^\W\d]\w*)|(?P<text>\"[^\"\n]*\")"
    r"|(?P<symbol><=>|=>|:=|->|\.\.|<=|>=|!=|==|&&|\|\||[-+*/%(){}\[\],;:=<>!#&|?∀∃∧∨¬≠≤≥→⇒])"
)
SPELLINGS = {  # how the same thing may also be written
    "&&": "and",
    "&": "and",
    "∧": "and",
    "||": "or",
    "|": "or",
    "∨": "or",
    "!": "not",
    "¬": "not",
    "==": "=",
    "≠": "!=",
    "≤": "<=",
    "≥": ">=",
    "→": "->",
    "⇒": "=>",
    "∀": "forall",
    "∃": "exists",
    "mod": "%",
}
LONGEST_NUMBER = 18  # digits


@frozen
class Token:
    """``kind`` is number, word, text, symbol or end; ``text`` is the usual spelling."""

    kind: str
    text: str
    span: Span


@mutable
class Cursor:
    source: Source
    at: int = 0
    end: int | None = None  # where reading stops; None for the end of the text
    depth: int = 0  # of nested expressions
    known: dict[int, Token] = field(default_factory=dict, repr=False)  # the tokens at the last few offsets

    def peek(self, ahead: int = 0) -> Token:
        """The next token, or one of those after it."""
        token = self.token_at(self.at)
        for _ in range(ahead):
            token = self.token_at(token.span.end)
        return token

    def take(self) -> Token:
        token = self.peek()
        self.at = token.span.end
        return token

    def is_next(self, *texts: str) -> bool:
        token = self.peek()
        return token.kind in ("symbol", "word") and token.text in texts

    def accept(self, *texts: str) -> Token | None:
        return self.take() if self.is_next(*texts) else None

    def expect(self, text: str, where: str = "") -> Token:
        if self.is_next(text):
            return self.take()
        raise self.unexpected(f"{text}{where and ' '}{where}")

    def word(self, what: str) -> Token:
        if self.peek().kind == "word":
            return self.take()
        raise self.unexpected(what)

    def unexpected(self, wanted: str) -> UserError:
        token = self.peek()
        found = "the end" if token.kind == "end" else token.span.text
        return UserError(token.span, f"expected {wanted}, found {found}")

    def is_first_on_line(self, token: Token) -> bool:
        start = self.source.text.rfind("\n", 0, token.span.start) + 1
        return not self.source.text[start : token.span.start].strip()

    def token_at(self, offset: int) -> Token:
        if offset not in self.known:
            if len(self.known) > 8:
                self.known.clear()
            self.known[offset] = read_token(
                self.source, offset, len(self.source.text) if self.end is None else self.end
            )
        return self.known[offset]


def read_token(source: Source, offset: int, end: int) -> Token:
    blank = BLANK.match(source.text, offset, end)
    start = blank.end() if blank else offset
    if start >= end:
        return Token("end", "", Span(source, start, start))
    found = TOKEN.match(source.text, start, end)
    if found is None or source.text.startswith("/*", start, end):
        raise UserError(Span(source, start, start + 1), complaint(source.text, start))
    kind, text = found.lastgroup or "symbol", found.group()
    span = Span(source, start, found.end())
    if kind == "number" and len(text) > LONGEST_NUMBER:
        raise UserError(span, "this number is too large")
    return Token(kind, SPELLINGS.get(text, text), span)


def complaint(text: str, start: int) -> str:
    if text.startswith("/*", start):
        return "this comment is not closed"
    return "this text is not closed" if text[start] == '"' else f"unexpected character {text[start]!r}"
