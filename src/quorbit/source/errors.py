"""How to say that the user's text is wrong: file, line, column, the line and a caret."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE, Span

__all__ = ["Diagnostic", "Refused", "UserError", "place_object", "raise_all", "raise_refused"]

SHOWN_WIDTH = 110  # a longer line is cut around the caret, so that a message stays on one screen
SHOWN_ERRORS = 10
Parts = tuple[tuple[Span | None, str], ...]


@frozen
class Diagnostic:
    """One thing that is wrong, and where."""

    span: Span
    message: str

    @property
    def is_located(self) -> bool:
        return self.span.source is not NOWHERE.source

    def render(self) -> str:
        if not self.is_located:
            return f"error: {self.message}"
        line, caret = excerpt(self.span)
        return f"{self.span}: error: {self.message}\n  {line}\n  {caret}"


class UserError(Exception):
    """A mistake of the user's, with all the places found in one run; the first one counts for the machine interface."""

    def __init__(self, span: Span | None, message: str, *, more: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = (Diagnostic(span or NOWHERE, message), *more)

    def __reduce__(self) -> tuple[Callable[[Parts], UserError], tuple[Parts]]:
        """It may be raised in a process of its own, which has a NOWHERE of its own."""
        return from_parts, (tuple((d.span if d.is_located else None, d.message) for d in self.diagnostics),)

    @property
    def span(self) -> Span:
        return self.diagnostics[0].span

    @property
    def message(self) -> str:
        return self.diagnostics[0].message

    def render(self) -> str:
        shown = [d.render() for d in self.diagnostics[:SHOWN_ERRORS]]
        if (hidden := len(self.diagnostics) - SHOWN_ERRORS) > 0:
            shown.append(f"... and {hidden} more")
        return "\n".join(shown)

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: the mistake in the model, not the way through this program."""
        return self.render().splitlines()


@frozen
class Refused:
    """A part of a file that is wrong, by the name it has in answers; the other parts are read all the same."""

    name: str
    error: UserError


def raise_refused(refused: Iterable[Refused]) -> None:
    """What is wrong with all of them, for whoever needs them all."""
    raise_all([diagnostic for each in refused for diagnostic in each.error.diagnostics])


def place_object(diagnostic: Diagnostic) -> dict[str, Any]:
    """What is wrong and where, for JSON."""
    span = diagnostic.span
    if not diagnostic.is_located:
        return {"file": None, "line": None, "column": None, "message": diagnostic.message}
    return {"file": span.file, "line": span.line, "column": span.column, "message": diagnostic.message}


def raise_all(diagnostics: list[Diagnostic]) -> None:
    """Raise one UserError for all diagnostics, if there are any."""
    if diagnostics:
        first, *rest = diagnostics
        raise UserError(first.span, first.message, more=tuple(rest))


def from_parts(parts: Parts) -> UserError:
    (span, message), *rest = parts
    return UserError(span, message, more=tuple(Diagnostic(other or NOWHERE, text) for other, text in rest))


def excerpt(span: Span) -> tuple[str, str]:
    """The line a span starts on, cut to a readable width, and the carets under it."""
    line, column = span.line, span.column - 1
    text = "".join(c if c.isprintable() else " " for c in span.source.line_text(line))
    start = max(0, min(column - SHOWN_WIDTH // 2, len(text) - SHOWN_WIDTH))
    shown = text[start : start + SHOWN_WIDTH]
    length = max(1, min(span.end - span.start, len(text) - column, start + SHOWN_WIDTH - column))
    return shown, " " * (column - start) + "^" * length
