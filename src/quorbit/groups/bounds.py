"""Upper bounds on a group's order.  A chain built from random elements gives a lower bound; where the two meet, the
order is proved without sifting all Schreier generators.

Short names: H the action of a block's stabiliser on the block, K the action on the d blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import factorial, lcm, prod

from quorbit.groups.block_systems import Blocks, action_on_blocks, minimal_systems, transport_blocks
from quorbit.groups.group import Group, moved_orbits, relabel
from quorbit.groups.moves import Moves, cycles_of_moves
from quorbit.groups.reach import BeyondReach

MOST_ORBITS = 40  # with more, comparing them by pairs takes longer than it saves
MOST_BLOCK_SYSTEMS = 4


def simple_bound(group: Group) -> int:
    """A single generator's order; else all permutations of every orbit, or all even ones where the group is even."""
    if len(group.moves) == 1:
        return lcm(*map(len, cycles_of_moves(group.moves[0])))
    found = moved_orbits(group)
    orbit_of = {x: k for k, orbit in enumerate(found) for x in orbit}
    odd = {k for moves in group.moves for k in odd_orbits(moves, orbit_of)}
    return prod(factorial(len(orbit)) // (1 if k in odd else 2) for k, orbit in enumerate(found))


def abelian_bound(group: Group) -> int | None:
    """The product of the generators' orders, if they commute."""
    images = [dict(m) for m in group.moves]
    if not all(commute(g, h) for g, h in combinations(images, 2)):
        return None
    return prod(lcm(*map(len, cycles_of_moves(m))) for m in group.moves)


def commute(g: dict[int, int], h: dict[int, int]) -> bool:
    if g.keys().isdisjoint(h):
        return True
    return all(h.get(y, y) == g.get(h.get(x, x), h.get(x, x)) for x, y in g.items()) and all(
        g.get(y, y) == h.get(g.get(x, x), g.get(x, x)) for x, y in h.items()
    )


def odd_orbits(moves: Moves, orbit_of: dict[int, int]) -> tuple[int, ...]:
    """The orbits on which this permutation is odd."""
    parity: dict[int, int] = {}
    for cycle in cycles_of_moves(moves):
        k = orbit_of[cycle[0]]
        parity[k] = parity.get(k, 0) ^ (len(cycle) - 1 & 1)
    return tuple(k for k, bit in parity.items() if bit)


def structural_bound(group: Group, order: Callable[[Group], int]) -> int:
    """The bound for commuting generators; else the product of the bounds of the orbits, without those whose action
    follows from another orbit's.  On an orbit with blocks the group lies in H wr K; `order` is asked for theirs."""
    if (bound := abelian_bound(group)) is not None:
        return bound
    found = sorted(moved_orbits(group), key=len, reverse=True)
    kept: list[tuple[int, ...]] = []
    for orbit in found:
        if len(found) > MOST_ORBITS or not any(follows(group, orbit, other) for other in kept):
            kept.append(orbit)
    return prod(bound_of_orbit(relabel(group, orbit), order) for orbit in kept)


def follows(group: Group, orbit: Sequence[int], other: Sequence[int]) -> bool:
    """Whether some map from the other orbit onto this one commutes with the group: then what fixes the other orbit
    pointwise fixes this one too."""
    if len(other) % len(orbit):
        return False
    images = [dict(m) for m in group.moves]
    return any(extends(images, other[0], y, len(other)) for y in orbit)


def extends(images: Sequence[dict[int, int]], x: int, y: int, size: int) -> bool:
    """Whether x -> y extends to a map that commutes with the generators."""
    found = {x: y}
    todo = [x]
    for x in todo:
        for image in images:
            to, moved = image.get(x, x), image.get(found[x], found[x])
            if found.setdefault(to, moved) != moved:
                return False
            if len(found) > len(todo):
                todo.append(to)
    return len(found) == size


def bound_of_orbit(action: Group, order: Callable[[Group], int]) -> int:
    """Requires a transitive action on 0..degree-1."""
    bounds = [simple_bound(action)]
    for blocks in systems_within_reach(action):
        bounds.append(order(block_action(action, blocks)) ** len(blocks) * order(action_on_blocks(action, blocks)))
    return min(bounds)


def systems_within_reach(action: Group) -> tuple[Blocks, ...]:
    try:
        return tuple(blocks for blocks in minimal_systems(action) if len(blocks) > 1)[:MOST_BLOCK_SYSTEMS]
    except BeyondReach:
        return ()


def block_action(action: Group, blocks: Blocks) -> Group:
    """H: the action on the first block of the elements that map it to itself."""
    transport = transport_blocks(action, blocks)
    domain = transport.domain
    whole = Group(action.degree, moves=map(domain.unpack_moves, transport.stabilising))
    return relabel(whole, blocks[0])
