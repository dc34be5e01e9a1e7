"""The step of a circuit as tables for the runtime (runtime/vm/gates.h)."""

from __future__ import annotations

from quorbit.source.frozen import field, frozen, mutable

__all__ = ["GateTables"]


@frozen
class Spared:
    """Where all these pairs of bits are equal in a state, these choices (one bit each) need not be taken."""

    pairs: tuple[tuple[int, int], ...]
    choices: int


@mutable
class GateTables:
    """Edges are twice a number, plus 1 where negated; the numbers: 0 is false, then bits, nodes of the state, columns,
    mixed nodes."""

    places: list[int] = field(default_factory=list)  # of each bit: word * 64 + shift
    state_edges: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)  # the value for every choice, one bit each
    mixed_edges: list[int] = field(default_factory=list)
    next: list[int] = field(default_factory=list)
    conditions: list[int] = field(default_factory=list)
    guard: int = 1
    choices: int = 1
    spared: list[Spared] = field(default_factory=list)

    @property
    def numbers(self) -> int:
        return 1 + len(self.places) + len(self.state_edges) // 2 + len(self.columns) + len(self.mixed_edges) // 2
