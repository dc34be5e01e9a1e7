"""A field: bits of a circuit that together hold the number of something, and the atoms that stand for its values.

An arbiter that stores the index of its choice, a pointer into a queue, the address of a memory: the bits say which
requester, slot or word is meant.  Renaming these changes the number as a whole, which no permutation of its bits does.
"""

from __future__ import annotations

from quorbit.model.system.system import System
from quorbit.source.frozen import frozen, replace

__all__ = ["Field", "without_fields"]


@frozen
class Field:
    """The atoms whose places or inputs hold the number: bits, the least first, or one atom of many values; and the
    values it may have."""

    name: str
    atoms: tuple[int, ...]
    values: tuple[int, ...]

    @property
    def is_bits(self) -> bool:
        return len(self.atoms) > 1

    def held(self, value: int) -> tuple[int, ...]:
        """What the places of the atoms hold when the field has this value."""
        return tuple(value >> i & 1 for i in range(len(self.atoms))) if self.is_bits else (value,)

    def value(self, held: tuple[int, ...]) -> int:
        return sum(bit << i for i, bit in enumerate(held)) if self.is_bits else held[0]


def without_fields(system: System) -> System:
    """The same System for whom states are to stay as they are stored: no field of it is decoded."""
    return replace(system, telling=replace(system.telling, fields=()))
