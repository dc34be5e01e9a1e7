"""What canonicalisation knows of a model: how many atoms, which places, and how a permutation moves a state."""

from __future__ import annotations

from functools import cached_property

from quorbit.groups.permutation import Permutation
from quorbit.model.system.system import Address, Place, State, System
from quorbit.model.system.types import INTEGER, NONE, mentions_atoms, order_key, permute_value
from quorbit.source.frozen import frozen_distinct

__all__ = ["Layout", "layout_of", "vector_layout"]


@frozen_distinct
class Layout:
    atoms: int
    places: tuple[Place, ...]

    @cached_property
    def index(self) -> dict[Address, int]:
        return {place.address: i for i, place in enumerate(self.places)}

    @cached_property
    def moves(self) -> dict[Permutation, tuple[int, ...]]:
        """Where each place goes, for the permutations asked for so far."""
        return {}

    @cached_property
    def referring(self) -> tuple[int, ...]:
        """The places whose values can hold atoms."""
        return tuple(i for i, place in enumerate(self.places) if mentions_atoms(place.type))

    @cached_property
    def refers(self) -> frozenset[int]:
        return frozenset(self.referring)

    @cached_property
    def owned(self) -> dict[int, tuple[int, ...]]:
        """The places each atom owns (alone or with others)."""
        found: dict[int, list[int]] = {a: [] for a in range(self.atoms)}
        for i, place in enumerate(self.places):
            for a in dict.fromkeys(place.owners):
                if a != NONE:
                    found[a].append(i)
        return {a: tuple(places) for a, places in found.items()}


def layout_of(system: System) -> Layout:
    return Layout(len(system.atoms), system.places)


def vector_layout(n: int) -> Layout:
    """One number for each of n atoms: the states of [DM09, Def. 1]."""
    return Layout(n, tuple(Place("x", (a,), (), INTEGER) for a in range(n)))


def act(layout: Layout, g: Permutation, s: State) -> State:
    """g's image of s.  Requires: g maps places to places."""
    images = layout.moves.get(g)
    if images is None:
        images = layout.moves[g] = place_images(layout, g)
    t = list(s)
    for i, x in enumerate(images):
        t[x] = s[i]
    for i in layout.referring:
        t[images[i]] = permute_value(layout.places[i].type, s[i], g)
    return tuple(t)


def place_images(layout: Layout, g: Permutation) -> tuple[int, ...]:
    def image(place: Place) -> Address:
        return place.variable, tuple(a if a == NONE else g[a] for a in place.owners), place.indices

    return tuple(layout.index[image(place)] for place in layout.places)


def state_key(s: State) -> tuple[object, ...]:
    """The order on states: by places from the first on; numbers by size, sets and tuples by ``order_key``."""
    return tuple(v if isinstance(v, int) else order_key(v) for v in s)
