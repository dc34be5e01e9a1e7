"""Block systems of a transitive action: partitions of an orbit that the group permutes. [DM09, section 6.1]

Short names: n the group's degree; d the number of blocks; block i is the point n + i of the extended action.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.groups.chain import pointwise_stabiliser, stabiliser
from quorbit.groups.group import Group, relabel, shift
from quorbit.groups.moves import Moves, moves_from, restrict_moves
from quorbit.groups.permutation import Permutation
from quorbit.groups.unionfind import UnionFind

Blocks = tuple[tuple[int, ...], ...]
MOST_SYSTEMS = 1000  # regular elementary abelian groups have very many; none of them is needed for a wreath product


def block_systems(group: Group, orbit: Sequence[int]) -> tuple[Blocks, ...]:
    """The block systems of the action on one orbit, without the two trivial ones; fewest blocks first.

    Every system is a join of minimal ones, each of which comes from a pair of points.
    """
    action = relabel(group, orbit)
    minimal = tuple(dict.fromkeys(join_pairs(action.generators, len(orbit), [(0, x)]) for x in range(1, len(orbit))))
    found = dict.fromkeys(minimal)
    for system in (todo := list(minimal)):
        for other in minimal:
            joined = join_pairs(action.generators, len(orbit), [*pairs_of(system), *pairs_of(other)])
            if joined not in found and len(found) < MOST_SYSTEMS:
                found[joined] = None
                todo.append(joined)
    proper = sorted((s for s in found if 1 < len(s) < len(orbit)), key=lambda s: (len(s), s))
    return tuple(tuple(tuple(orbit[i] for i in block) for block in system) for system in proper)


def minimal_blocks(group: Group, orbit: Sequence[int], x: int, y: int) -> Blocks:
    """The finest block system of the orbit that has x and y in one block."""
    action = relabel(group, orbit)
    names = {point: i for i, point in enumerate(orbit)}
    system = join_pairs(action.generators, len(orbit), [(names[x], names[y])])
    return tuple(tuple(orbit[i] for i in block) for block in system)


def join_pairs(generators: Sequence[Permutation], n: int, pairs: list[tuple[int, int]]) -> Blocks:
    """The finest partition of 0..n-1 that the generators permute and that keeps each pair together (Atkinson)."""
    together = UnionFind(n)
    todo = list(pairs)
    while todo:
        x, y = todo.pop()
        x, y = together.find(x), together.find(y)
        if together.unite(x, y):
            # Images of the two representatives suffice: other members were united with them by earlier pairs.
            todo += [(g[x], g[y]) for g in generators]
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


def extended_by_blocks(group: Group, blocks: Sequence[Sequence[int]]) -> Group:
    """The group acting on its points and, after them, on the blocks, so that a block has a point stabiliser."""
    number = number_of_block(blocks)
    moves = [m + shift(image_of_blocks(m, blocks, number), group.degree) for m in group.moves]
    return Group(group.degree + len(blocks), moves=moves, known_order=group.known_order)


def without_blocks(extended: Group, n: int) -> Group:
    """From the extended action back to the points."""
    points = frozenset(range(n))
    moves = [restrict_moves(m, points) for m in extended.moves]
    return Group(n, moves=moves, known_order=extended.known_order)


def block_stabiliser(group: Group, blocks: Sequence[Sequence[int]], i: int) -> Group:
    """The elements that map block i to itself. [DM09, Definition 17]"""
    return without_blocks(stabiliser(extended_by_blocks(group, blocks), group.degree + i), group.degree)


def kernel(group: Group, blocks: Sequence[Sequence[int]]) -> Group:
    """The elements that map every block to itself."""
    n = group.degree
    return without_blocks(pointwise_stabiliser(extended_by_blocks(group, blocks), range(n, n + len(blocks))), n)
