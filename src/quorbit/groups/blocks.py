"""Stabilisers of blocks: a block becomes a point of an extended action, and points have stabilisers in polynomial time.

Short names: n the group's degree; block i is the point n + i of the extended action.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.groups.block_systems import image_of_blocks, number_of_block
from quorbit.groups.chain import pointwise_stabiliser, stabiliser
from quorbit.groups.group import Group, shift
from quorbit.groups.moves import restrict_moves


def extended_by_blocks(group: Group, blocks: Sequence[Sequence[int]]) -> Group:
    """The group acting on its points and, after them, on the blocks."""
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
