"""Block systems of a transitive action: partitions of an orbit that the group permutes. [DM09, Definition 16]"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.groups.group import Group, relabel
from quorbit.groups.moves import Moves, moves_from
from quorbit.groups.unionfind import UnionFind

Blocks = tuple[tuple[int, ...], ...]
MOST_SYSTEMS = 1000  # regular elementary abelian groups have very many; none of them is needed for a wreath product


def block_systems(group: Group, orbit: Sequence[int]) -> tuple[Blocks, ...]:
    """The block systems of the action on one orbit, without the two trivial ones; fewest blocks first.

    Every system is a join of minimal ones, each of which comes from a pair of points.
    """
    size = len(orbit)
    moving = moving_generators(relabel(group, orbit))
    minimal = tuple(dict.fromkeys(join_pairs(moving, [(0, x)]) for x in range(1, size)))
    found = dict.fromkeys(minimal)
    for system in (todo := list(minimal)):
        for other in minimal:
            joined = join_pairs(moving, [*pairs_of(system), *pairs_of(other)])
            if joined not in found and len(found) < MOST_SYSTEMS:
                found[joined] = None
                todo.append(joined)
    proper = sorted((s for s in found if 1 < len(s) < size), key=lambda s: (len(s), s))
    return tuple(tuple(tuple(orbit[i] for i in block) for block in system) for system in proper)


def minimal_blocks(group: Group, orbit: Sequence[int], x: int, y: int) -> Blocks:
    """The finest block system of the orbit that has x and y in one block."""
    names = {point: i for i, point in enumerate(orbit)}
    system = join_pairs(moving_generators(relabel(group, orbit)), [(names[x], names[y])])
    return tuple(tuple(orbit[i] for i in block) for block in system)


def moving_generators(group: Group) -> list[list[dict[int, int]]]:
    """For every point the generators that move it, as their images of moved points."""
    moving: list[list[dict[int, int]]] = [[] for _ in range(group.degree)]
    for image in map(dict, group.moves):
        for x in image:
            moving[x].append(image)
    return moving


def join_pairs(moving: Sequence[Sequence[dict[int, int]]], pairs: Sequence[tuple[int, int]]) -> Blocks:
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
