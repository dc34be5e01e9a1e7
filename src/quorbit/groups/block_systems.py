"""Block systems of a transitive action: partitions of an orbit that the group permutes. [DM09, Definition 16]"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.groups.compact import Compact, Domain, domain_of
from quorbit.groups.group import Group, orbits, relabel
from quorbit.groups.moves import Moves, moves_from
from quorbit.groups.reach import check_room, check_steps
from quorbit.groups.unionfind import UnionFind
from quorbit.source.frozen import frozen

Blocks = tuple[tuple[int, ...], ...]
Moving = Sequence[Sequence[dict[int, int]]]  # for every point the generators that move it, by their images
MOST_JOIN_STEPS = 10**6  # groups with more are close to elementary abelian ones, whose many systems are of no use


def block_systems(group: Group, orbit: Sequence[int]) -> tuple[Blocks, ...]:
    """The block systems of the action on one orbit, without the two trivial ones; fewest blocks first.

    Every system is a join of minimal ones, each of which comes from a pair of points.  Raises BeyondReach on very long
    orbits.
    """
    action = relabel(group, orbit)
    return proper_systems(closed_under_joins(action, minimal_systems(action)), orbit)


def minimal_block_systems(group: Group, orbit: Sequence[int]) -> tuple[Blocks, ...]:
    """Those that come from a pair of points."""
    return proper_systems(minimal_systems(relabel(group, orbit)), orbit)


def proper_systems(systems: Sequence[Blocks], orbit: Sequence[int]) -> tuple[Blocks, ...]:
    proper = sorted((s for s in systems if 1 < len(s) < len(orbit)), key=lambda s: (len(s), s))
    return tuple(tuple(tuple(orbit[i] for i in block) for block in system) for system in proper)


def minimal_systems(action: Group) -> tuple[Blocks, ...]:
    """The finest block systems that join two points of a transitive action on 0..degree-1; among these may be the
    trivial system of one block."""
    partners = partners_of_first(action)
    check_steps(len(partners) * sum(map(len, action.moves)))
    moving = moving_generators(action)
    return tuple(dict.fromkeys(join_pairs(moving, [(0, x)]) for x in partners))


def partners_of_first(action: Group) -> tuple[int, ...]:
    """Points to pair with the first one: what fixes it maps partners to partners with the same minimal blocks."""
    fixing = [m for m in action.moves if m[0][0] != 0]
    return tuple(orbit[0] for orbit in orbits(Group(action.degree, moves=fixing)) if orbit[0] != 0)


def closed_under_joins(action: Group, minimal: Sequence[Blocks]) -> tuple[Blocks, ...]:
    """All joins, or many of them where there are very many."""
    moving = moving_generators(action)
    found = dict.fromkeys(minimal)
    joins = MOST_JOIN_STEPS // max(1, sum(map(len, action.moves)))
    for system in (todo := list(minimal)):
        for other in minimal:
            if (joins := joins - 1) < 0:
                return tuple(found)
            joined = join_pairs(moving, [*pairs_of(system), *pairs_of(other)])
            if joined not in found:
                found[joined] = None
                todo.append(joined)
    return tuple(found)


def minimal_blocks(group: Group, orbit: Sequence[int], x: int, y: int) -> Blocks:
    """The finest block system of the orbit that has x and y in one block."""
    names = {point: i for i, point in enumerate(orbit)}
    system = join_pairs(moving_generators(relabel(group, orbit)), [(names[x], names[y])])
    return tuple(tuple(orbit[i] for i in block) for block in system)


def moving_generators(group: Group) -> Moving:
    moving: list[list[dict[int, int]]] = [[] for _ in range(group.degree)]
    for image in map(dict, group.moves):
        for x in image:
            moving[x].append(image)
    return moving


def join_pairs(moving: Moving, pairs: Sequence[tuple[int, int]]) -> Blocks:
    """The finest partition that the generators permute and that keeps each pair together (Atkinson)."""
    together = UnionFind(len(moving))
    todo = list(pairs)
    while todo:
        x, y = map(together.find, todo.pop())
        if together.unite(x, y):
            # Images of the two representatives suffice: other members were united with them by earlier pairs.
            todo += [(image[x], image.get(y, y)) for image in moving[x]]
            todo += [(x, image[y]) for image in moving[y] if x not in image]
    return together.classes()


@frozen
class Transport:
    """For a system of blocks that the group permutes transitively: elements that carry the first block to each, and
    generators of the first block's stabiliser (Schreier's); all in the names of the domain."""

    domain: Domain
    to: tuple[Compact, ...]
    stabilising: tuple[Compact, ...]


def transport_blocks(group: Group, blocks: Sequence[Sequence[int]]) -> Transport:
    domain = domain_of(group.degree, group.moved)
    multiply, invert, names = domain.multiply, domain.invert, domain.names
    check_room(len(domain.points) * len(group.moves) * len(blocks))
    number = {names[x]: i for i, block in enumerate(blocks) for x in block}
    first = names[blocks[0][0]]
    generators = [domain.pack_moves(m) for m in group.moves]
    to, back = {0: domain.one}, {0: domain.one}
    found: dict[Compact, None] = {}
    for i in (reached := [0]):
        for p in generators:
            there = multiply(to[i], p)
            j = number[there[first]]
            if j in to:
                found[multiply(there, back[j])] = None
            else:
                to[j], back[j] = there, invert(there)
                reached.append(j)
    return Transport(domain, tuple(to[i] for i in range(len(blocks))), tuple(p for p in found if p != domain.one))


def pairs_of(blocks: Blocks) -> list[tuple[int, int]]:
    return [(block[0], x) for block in blocks for x in block[1:]]


def number_of_block(blocks: Sequence[Sequence[int]]) -> dict[int, int]:
    return {x: i for i, block in enumerate(blocks) for x in block}


def image_of_blocks(moves: Moves, blocks: Sequence[Sequence[int]], number: dict[int, int]) -> Moves:
    """How a permutation moves the blocks, by their numbers."""
    images = dict(moves)
    return moves_from({i: number[images.get(block[0], block[0])] for i, block in enumerate(blocks)})


def action_on_blocks(group: Group, blocks: Sequence[Sequence[int]]) -> Group:
    """The block permuter: the group acting on the numbers of the blocks. [DM09, Definition 18]"""
    number = number_of_block(blocks)
    return Group(len(blocks), moves=[image_of_blocks(m, blocks, number) for m in group.moves])
