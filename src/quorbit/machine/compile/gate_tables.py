"""The step of a circuit as tables for the runtime (runtime/vm/gates.h)."""

from __future__ import annotations

from quorbit.source.frozen import field, frozen, mutable

__all__ = ["ChoiceSet", "GateTables", "Spared"]


class ChoiceSet(int):
    """A set of choices, one bit each.  A checkpoint is known by what is written of these tables: in hexadecimal, since
    Python refuses to write long numbers in decimal, and takes long where it does not."""

    __slots__ = ()

    def __repr__(self) -> str:
        return hex(self)


@frozen
class Spared:
    """Where all these pairs of bits are equal in a state, these choices need not be taken."""

    pairs: tuple[tuple[int, int], ...]
    choices: ChoiceSet


@mutable
class GateTables:
    """Edges are twice a number, plus 1 where negated; the numbers: 0 is false, then bits, nodes of the state, columns,
    mixed nodes."""

    places: list[int] = field(default_factory=list)  # of each bit: word * 64 + shift
    state_edges: list[int] = field(default_factory=list)
    columns: list[ChoiceSet] = field(default_factory=list)  # those for which the column is true
    mixed_edges: list[int] = field(default_factory=list)
    next: list[int] = field(default_factory=list)
    conditions: list[int] = field(default_factory=list)
    guard: int = 1
    choices: int = 1
    spared: list[Spared] = field(default_factory=list)

    @property
    def numbers(self) -> int:
        return 1 + len(self.places) + len(self.state_edges) // 2 + len(self.columns) + len(self.mixed_edges) // 2
