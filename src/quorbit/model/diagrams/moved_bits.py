"""Where a permutation of the atoms moves the bits of places and of parameters."""

from __future__ import annotations

from quorbit.groups.permutation import Permutation
from quorbit.model.diagrams.bits import BitLayout
from quorbit.model.diagrams.cases import Unsupported
from quorbit.model.meaning.permute import permute_places
from quorbit.model.system.system import System
from quorbit.model.system.types import mentions_atoms

__all__ = ["all_bits", "place_bits"]


def place_bits(system: System, layout: BitLayout, g: Permutation) -> dict[int, int]:
    """Where g moves every bit of the state."""
    if any(mentions_atoms(place.type) for place in system.places):
        raise Unsupported("the canonical-state function of states that hold references to atoms")
    places = permute_places(system, g)
    if places is None:
        raise ValueError("the permutation does not map places to places")
    coded = layout.places
    return {b: c for i, j in enumerate(places) for b, c in zip(coded[i].bits, coded[j].bits, strict=True)}


def all_bits(system: System, layout: BitLayout, g: Permutation, with_start: bool = False) -> dict[int, int] | None:
    """Where g moves the bits of places and of parameters, those of the start if they are wanted; None if it does not
    map them to each other."""
    try:
        images = place_bits(system, layout, g)
    except (Unsupported, ValueError):
        return None
    for (command, _), coded in layout.parameters.items():
        if command < 0 and not with_start:
            continue
        if coded.members is None:
            return None
        bits = dict(zip(coded.members, coded.bits, strict=True))
        for member, bit in bits.items():
            target = bits.get(g[member]) if isinstance(member, int) else None
            if target is None:
                return None
            images[bit] = target
    return images
