"""How many orbits a set of states has: the mean number of states that the elements of the group fix (Burnside)."""

from __future__ import annotations

from quorbit.engines.symbolic.model import Model
from quorbit.engines.symbolic.quotients.canonical import bit_images
from quorbit.groups.chain import build_chain, elements, order
from quorbit.groups.group import Group
from quorbit.model.diagrams.cases import Bdd, Unsupported

__all__ = ["count_orbits"]

MOST_ELEMENTS = 64


def count_orbits(model: Model, states: Bdd, group: Group | None) -> int | None:
    """None if the group is large or trivial, or does not map the set to itself."""
    if group is None or group.is_trivial or order(group) > MOST_ELEMENTS:
        return None
    m = model.m
    try:
        moved = [m.rename(bit_images(model, g)) for g in group.generators]
        if any(m.substitute(states, move) != states for move in moved):
            return None
        total = 0
        for g in elements(build_chain(group)):
            first = first_of_cycles(bit_images(model, g))
            other = {b: m.variable(c) for b, c in first.items() if b != c}
            folded = m.substitute(states, m.substitution(other)) if other else states
            total += m.count(folded, len(set(first.values())))
    except (Unsupported, ValueError):
        return None
    return total // order(group)


def first_of_cycles(images: dict[int, int]) -> dict[int, int]:
    """For each bit the first one of its cycle: in a state that is fixed all of them are equal."""
    found: dict[int, int] = {}
    for b in images:
        c = b
        while c not in found:
            found[c] = b
            c = images[c]
    return found
