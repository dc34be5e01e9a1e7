"""A graph with marks on its edges: where good cycles are looked for.

For every node three lists of equal length tell its edges: their targets, their marks (bit masks) and their names
(numbers that mean something to the caller).
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.source.frozen import field, frozen

Edge = tuple[int, int, int]  # target, marks, name


@frozen
class MarkedGraph:
    targets: list[list[int]] = field(default_factory=list)
    marks: list[list[int]] = field(default_factory=list)
    names: list[list[int]] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.targets)

    def edges(self, node: int) -> Iterator[Edge]:
        return zip(self.targets[node], self.marks[node], self.names[node], strict=True)

    def add(self, edges: list[Edge]) -> None:
        """A further node with its edges."""
        self.targets.append([t for t, _, _ in edges])
        self.marks.append([m for _, m, _ in edges])
        self.names.append([n for _, _, n in edges])
