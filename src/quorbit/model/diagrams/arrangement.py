"""Another order of the variables: words bit by bit.

Words that are compared or added have small diagrams if their bits take turns, and huge ones if one word stands above
the other.  A circuit's places and inputs are bits of words by their names (``count<3>``).  Bits of one significance
stand together, the highest first; what is not part of a word stands where it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorbit.model.diagrams.bits import Item, MemberItem, PlaceItem, ordered
from quorbit.model.system.system import System

__all__ = ["interleaved"]

BIT = re.compile(r"(.*)<(\d+)>(\$\w+)?")  # the rest tells apart what a register holds and what is seen of it
SHORTEST_WORD = 3  # bits


def interleaved(system: System) -> list[Item] | None:
    """The order in which the bits of words take turns; None if there are no two words."""
    items = list(ordered(system))
    bits = {item: found for item in items if (found := bit_of(system, item)) is not None}
    lengths: dict[str, int] = {}
    for word, _ in bits.values():
        lengths[word] = lengths.get(word, 0) + 1
    long = {item: k for item, (word, k) in bits.items() if lengths[word] >= SHORTEST_WORD}
    if sum(1 for length in lengths.values() if length >= SHORTEST_WORD) < 2:
        return None
    return list(in_turn(items, long))


def in_turn(items: list[Item], long: dict[Item, int]) -> Iterator[Item]:
    """The bits of words where the first of them stood."""
    waiting = sorted(long, key=lambda item: -long[item])
    for item in items:
        if item not in long:
            yield item
        elif waiting:
            yield from waiting
            waiting = []


def bit_of(system: System, item: Item) -> tuple[str, int] | None:
    """The word and the number of the bit that a place or an input is."""
    found = None
    match item:
        case PlaceItem(i) if len(system.places[i].owners) == 1:
            found = BIT.fullmatch(system.atoms[system.places[i].owners[0]].name)
        case MemberItem(command, _, int(member)) if command >= 0:
            found = BIT.fullmatch(system.atoms[member].name)
    return None if found is None else (found[1] + (found[3] or ""), int(found[2]))
