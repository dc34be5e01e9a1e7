"""What the first reading of a model finds out about its types and variables.

Ranges that flow into each other (by assignment, comparison, indexing, passing) form a *class*.  A class whose values
are merely copied and compared is a sort of atoms: its numbers are names.  It stays a class of numbers where a stored
value is put in order or computed with, or where nearly every value is mentioned in the text by its number.
"""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.languages.murphi.types import Range
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span

__all__ = ["Facts", "RangeClass"]

LARGEST_SORT = 64  # values of a range that may be names


@frozen
class Ordered:
    """Why the numbers of a range are more than names, and where."""

    span: Span
    reason: str


@mutable
class RangeClass:
    """Ranges whose values flow into each other."""

    members: list[Range]
    mentioned: dict[int, Span] = field(default_factory=dict)
    ordered: Ordered | None = None

    @property
    def low(self) -> int:
        return min(range.low for range in self.members)

    @property
    def high(self) -> int:
        return max(range.high for range in self.members)

    @property
    def name(self) -> str:
        return next((range.name for range in self.members if range.name), f"{self.low}..{self.high}")

    def is_sort(self) -> bool:
        """Whether the values are names, and two of them at least are not told apart by the text."""
        free = self.high - self.low + 1 - len(self.mentioned)
        return self.ordered is None and free > 1 and self.high - self.low < LARGEST_SORT


@mutable
class Facts:
    """Recorded while a model is lowered for the first time."""

    classes: dict[Range, RangeClass] = field(default_factory=dict)
    undefined: set[str] = field(default_factory=set)  # the parts of variables that a statement undefines
    copies: set[tuple[str, str]] = field(default_factory=set)  # from part to part, undefined values included

    def class_of(self, range: Range) -> RangeClass:
        if range not in self.classes:
            self.classes[range] = RangeClass([range])
        return self.classes[range]

    def join(self, a: Range, b: Range) -> None:
        one, other = self.class_of(a), self.class_of(b)
        if one is other:
            return
        one.members += other.members
        one.mentioned = {**other.mentioned, **one.mentioned}
        one.ordered = one.ordered or other.ordered
        for member in other.members:
            self.classes[member] = one

    def mention(self, range: Range, value: int, span: Span) -> None:
        found = self.class_of(range)
        if found.low <= value <= found.high:
            found.mentioned.setdefault(value, span)

    def order(self, range: Range, span: Span, reason: str) -> None:
        found = self.class_of(range)
        if found.ordered is None:
            found.ordered = Ordered(span, reason)

    def all_classes(self) -> list[RangeClass]:
        return list({id(c): c for c in self.classes.values()}.values())

    def may_be_undefined(self, start: Iterable[str]) -> frozenset[str]:
        """The parts of variables that may be undefined, given those that are so at the start."""
        found = {*start, *self.undefined}
        waiting = list(found)
        targets: dict[str, list[str]] = {}
        for source, target in self.copies:
            targets.setdefault(source, []).append(target)
        while waiting:
            for target in targets.get(waiting.pop(), ()):
                if target not in found:
                    found.add(target)
                    waiting.append(target)
        return frozenset(found)
