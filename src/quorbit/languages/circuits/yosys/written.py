"""The text that Yosys reads, written from tokens, with the places of the user's files that its lines come from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from quorbit.languages.circuits.verilog.tokens import Token
from quorbit.source.frozen import frozen
from quorbit.source.span import Span


@frozen
class Written:
    """``places``: for every line the columns (from 0) where tokens begin, and where these stand for the user."""

    text: str
    places: tuple[tuple[tuple[int, Span], ...], ...]

    @property
    def first(self) -> Span:
        return next(line[0][1] for line in self.places if line)

    def span(self, line: int, column: int = 1) -> Span:
        """What stands at a place of the text, both from 1."""
        if not 1 <= line <= len(self.places) or not self.places[line - 1]:
            return self.first
        found = self.places[line - 1]
        return found[max(0, bisect_right([c for c, _ in found], column - 1) - 1)][1]


def write_tokens(tokens: Sequence[Token]) -> Written:
    """One line for each of the user's, in their order; tokens that touch each other still do."""
    lines: list[str] = []
    places: list[tuple[tuple[int, Span], ...]] = []
    parts: list[str] = []
    marks: list[tuple[int, Span]] = []
    column, last = 0, None
    for token in tokens:
        if token.kind == "end":
            continue
        place = (token.span.source, token.span.line)
        if last is not None and (place != last[0] or token.kind == "nettype"):
            lines.append("".join(parts))
            places.append(tuple(marks))
            parts, marks, column = [], [], 0
        elif last is not None and not (last[1].end == token.span.start and last[1].start < token.span.start):
            parts.append(" ")
            column += 1
        marks.append((column, token.span))
        text = token.text.replace("\n", " ") + (" " if token.text.startswith("\\") else "")
        parts.append(text)
        column += len(text)
        last = ((token.span.source, -1) if token.kind == "nettype" else place, token.span)
    lines.append("".join(parts))
    places.append(tuple(marks))
    return Written("\n".join(lines) + "\n", tuple(places))
