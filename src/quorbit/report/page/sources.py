"""The texts that a model is written in, for pages that show them.

Only files of the model's own folder are shown: a page is sent to others, and a model may include any file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quorbit.model.system.system import System
from quorbit.source.span import NOWHERE, Source, Span

LONGEST = 2_000_000  # characters of a text that is shown


class Sources:
    """The sources of a System, numbered; a span is told as a number and a line."""

    def __init__(self, system: System, path: Path) -> None:
        self.folder = path.resolve().parent
        self.found: dict[str, tuple[int, Source]] = {}
        for span in spans_of(system):
            if is_known(span):
                self.found.setdefault(span.source.name, (len(self.found), span.source))

    def place(self, span: Span) -> list[int] | None:
        """The number of the source, and the line."""
        known = self.found.get(span.source.name) if is_known(span) else None
        return None if known is None else [known[0], span.line]

    def to_json(self) -> list[dict[str, Any]]:
        return [{"name": name, "text": self.text(source)} for name, (_, source) in self.found.items()]

    def text(self, source: Source) -> str | None:
        """None if it is not to be shown."""
        try:
            inside = Path(source.name).resolve().is_relative_to(self.folder)
        except (OSError, ValueError):
            inside = False
        return source.text if inside and len(source.text) <= LONGEST else None


def is_known(span: Span) -> bool:
    return span.source is not NOWHERE.source


def spans_of(system: System) -> Iterator[Span]:
    for command in (*system.commands, *system.start):
        yield command.span
        yield from (p.span for p in command.performs)
    yield from (p.span for p in system.statements)
    yield from (p.span for p in system.properties)
    yield from (atom.span for atom in system.atoms)
    yield from (variable.span for variable in system.variables)
