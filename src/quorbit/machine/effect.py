"""What symmetry did to the stored states: whether any of its generators moves any of them."""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.groups.group import Group
from quorbit.model.meaning.permute import permute_places
from quorbit.model.system.system import State, System
from quorbit.model.system.types import mentions_atoms, permute_value

MOST_LOOKED_AT = 2_000  # states; one that is moved is mostly among the first


def is_idle(system: System, group: Group, states: Iterable[State], complete: bool) -> bool | None:
    """Whether every generator fixes every state; None if no state given is moved and these are not all."""
    moves = []
    for g in group.generators:
        images = permute_places(system, g)
        assert images is not None
        moves.append((g, images))
    types = [place.type for place in system.places]
    holds_atoms = [mentions_atoms(type) for type in types]
    for s in states:
        for g, images in moves:
            for i, value in enumerate(s):
                if s[images[i]] != (permute_value(types[i], value, g) if holds_atoms[i] else value):
                    return False
    return True if complete else None
