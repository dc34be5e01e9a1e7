"""Lines of BLIF and BLIF-MV: comments gone, continuations joined, words with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorbit.netlists.program import Word
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Source, Span

WORD = re.compile(r"\S+")
ARROW = "->"
OPENING, CLOSING = "({", ")}"


@frozen
class Line:
    """A logical line: its words, and its pieces of text with their offsets (more than one after a continuation)."""

    source: Source
    pieces: tuple[tuple[int, str], ...]

    @property
    def words(self) -> list[Word]:
        return [self.word(start + m.start(), m.group()) for start, text in self.pieces for m in WORD.finditer(text)]

    @property
    def span(self) -> Span:
        start, (last, text) = self.pieces[0][0], self.pieces[-1]
        return Span(self.source, start + leading(self.pieces[0][1]), last + len(text.rstrip()))

    def word(self, start: int, text: str) -> Word:
        return Word(text, Span(self.source, start, start + len(text)))


def leading(text: str) -> int:
    return len(text) - len(text.lstrip())


def read_lines(source: Source) -> Iterator[Line]:
    """The logical lines that are not blank."""
    pieces: list[tuple[int, str]] = []
    offset = 0
    for raw in source.text.split("\n"):
        text = raw.split("#", 1)[0]
        more = text.rstrip().endswith("\\")
        pieces.append((offset, text.rstrip()[:-1] if more else text))
        offset += len(raw) + 1
        if not more:
            yield from whole_line(source, pieces)
            pieces = []
    yield from whole_line(source, pieces)


def whole_line(source: Source, pieces: list[tuple[int, str]]) -> Iterator[Line]:
    kept = tuple((start, text) for start, text in pieces if text.strip())
    if kept:
        yield Line(source, kept)


def split_words(words: list[Word], mark: str) -> list[Word]:
    """Words with every occurrence of a mark made a word of its own."""
    out: list[Word] = []
    for word in words:
        start = word.span.start
        for part in re.split(f"({re.escape(mark)})", word.text):
            if part:
                out.append(Word(part, Span(word.span.source, start, start + len(part))))
            start += len(part)
    return out


def entries(words: list[Word]) -> list[Word]:
    """Table entries: a bracketed set is one entry even when written with blanks inside."""
    out: list[Word] = []
    depth = 0
    for word in words:
        if depth:
            out[-1] = Word(out[-1].text + word.text, out[-1].span.to(word.span))
        else:
            out.append(word)
        depth += sum(c in OPENING for c in word.text) - sum(c in CLOSING for c in word.text)
    if depth > 0:
        raise UserError(out[-1].span, "this set is not closed")
    return [part for word in out for part in split_entry(word)]


def split_entry(word: Word) -> Iterator[Word]:
    """``(a,b)1`` written without a blank is two entries; everything else is one."""
    start = depth = 0
    base = word.span.start
    compact = len(word.text) == word.span.end - word.span.start
    for i, c in enumerate(word.text):
        if c in OPENING and depth == 0 and i > start and word.text[start] != "!":
            yield cut(word, start, i, base, compact)
            start = i
        depth += (c in OPENING) - (c in CLOSING)
        if c in CLOSING and depth == 0:
            yield cut(word, start, i + 1, base, compact)
            start = i + 1
    if start < len(word.text):
        yield cut(word, start, len(word.text), base, compact)


def cut(word: Word, start: int, end: int, base: int, compact: bool) -> Word:
    span = Span(word.span.source, base + start, base + end) if compact else word.span
    return Word(word.text[start:end], span)
