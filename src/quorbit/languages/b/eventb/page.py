"""A component written out as text, one line for each label, so that a message can point at it.

A package has no text that a person reads. So a component is read twice: the first time every line is written, the
second time every formula gets the span of its line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from quorbit.languages.b.syntax.formulas import Formula
from quorbit.languages.b.syntax.show import show, show_substitution
from quorbit.languages.b.syntax.substitutions import Substitution
from quorbit.source.frozen import field, mutable
from quorbit.source.span import NOWHERE, Source, Span

T = TypeVar("T")
N = TypeVar("N", bound="Formula | Substitution")


@mutable
class Page:
    """The lines so far and where the formulas stand in them; with a source, the same lines are met again."""

    source: Source | None = None
    spans: list[tuple[int, int]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    length: int = 0
    met: int = 0

    def write(self, head: str, text: str = "") -> Span:
        """A line; the span of the text after its head, or of the whole line if there is none."""
        if self.source is None:
            line = head + text
            start = self.length + (len(head) if text else len(head) - len(head.lstrip()))
            self.spans.append((start, self.length + len(line)))
            self.lines.append(line)
            self.length += len(line) + 1
            return NOWHERE
        return self.next_span()

    def place(self, head: str, make: Callable[[Span], N]) -> N:
        """What is made at the place of its line."""
        if self.source is not None:
            return make(self.next_span())
        made = make(NOWHERE)
        self.write(head, show(made) if isinstance(made, Formula) else show_substitution(made))
        return made

    def next_span(self) -> Span:
        assert self.source is not None
        start, end = self.spans[self.met]
        self.met += 1
        return Span(self.source, start, end)


def read_twice(name: str, read: Callable[[Page], T]) -> T:
    draft = Page()
    read(draft)
    return read(Page(Source(name, "\n".join(draft.lines)), draft.spans))
