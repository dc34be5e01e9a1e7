"""Colour the atoms by what a state says about them, so that a symmetry of the state can only exchange equal colours.

Colours are numbers 0, 1, ... ordered by the keys they stand for, so they do not depend on what the atoms are called: if
g moves the state, the colours move along.  The refinement is that of [T07, Alg. 3] on any state.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.canon.layout import Layout
from quorbit.canon.references import Key, encode
from quorbit.model.system.system import State
from quorbit.model.system.types import NONE, atoms_in

SELF = -2  # the colour of the atom whose key is being made


def refine(layout: Layout, s: State, colours: Sequence[int]) -> tuple[int, ...]:
    """The coarsest colouring, finer than the given one, in which equal colours mean equal keys."""
    current = tuple(colours)
    while True:
        keys = [(colour, key) for colour, key in zip(current, atom_keys(layout, s, current), strict=True)]
        ranks = {key: k for k, key in enumerate(sorted(set(keys)))}
        following = tuple(ranks[key] for key in keys)
        if len(ranks) == len(set(current)):
            return following
        current = following


def atom_keys(layout: Layout, s: State, colours: Sequence[int]) -> list[Key]:
    """What the state says about each atom, other atoms being known by their colours."""
    said: list[list[Key]] = [[] for _ in range(layout.atoms)]
    for i, place in enumerate(layout.places):
        value = s[i]
        involved = [a for a in place.owners if a != NONE]
        if i in layout.refers:
            involved += atoms_in(place.type, value)
        for a in dict.fromkeys(involved):

            def recolour(x: int, a: int = a) -> int:
                return SELF if x == a else colours[x]

            owners = tuple(x if x == NONE else recolour(x) for x in place.owners)
            said[a].append((place.variable, place.indices, owners, encode(place.type, value, recolour)))
    return [tuple(sorted(keys)) for keys in said]
