"""Where in the user's text something stands: a source text and spans of it."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from quorbit.source.frozen import field, frozen, frozen_distinct

__all__ = ["NOWHERE", "Source", "Span"]


@frozen_distinct
class Source:
    """A named text, as the user wrote it."""

    name: str
    text: str = field(repr=False)

    @cached_property
    def line_starts(self) -> list[int]:
        starts = [0]
        for i, c in enumerate(self.text):
            if c == "\n":
                starts.append(i + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        start = self.line_starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end].rstrip("\r")


@frozen
class Span:
    """The characters start..end of a source."""

    source: Source
    start: int
    end: int

    @property
    def file(self) -> str:
        return self.source.name

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def to(self, last: Span) -> Span:
        """From the start of this span to the end of last; this span alone if they are in different sources."""
        if last.source is not self.source:
            return self
        return Span(self.source, self.start, max(self.end, last.end))

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Span(Source("<built>", ""), 0, 0)  # for systems that are built by hand
