"""Block systems against all partitions, and stabilisers of blocks."""

from __future__ import annotations

from random import Random

import pytest
from sample_groups import closure, conjugate, equal_partitions, group_of, random_permutation

from quorbit.groups.block_systems import action_on_blocks, block_systems, minimal_blocks
from quorbit.groups.blocks import block_stabiliser, kernel
from quorbit.groups.group import (
    Group,
    alternating,
    cyclic,
    dihedral,
    hypercube,
    symmetric,
    wreath_product,
)

TRANSITIVE = {
    "C8": cyclic(8),
    "D8": dihedral(8),
    "D6": dihedral(6),
    "S5": symmetric(5),
    "cube": hypercube(3),
    "S2 wr S2 wr S2": wreath_product(wreath_product(symmetric(2), symmetric(2)), symmetric(2)),
    "S4 wr C2": wreath_product(symmetric(4), cyclic(2)),
    "A4 wr C2": wreath_product(alternating(4), cyclic(2)),
    "quaternions": group_of("(1 2 3 4)(5 6 7 8),(1 5 3 7)(2 8 4 6)"),
    "translations": group_of("(1 2)(3 4)(5 6)(7 8),(1 3)(2 4)(5 7)(6 8),(1 5)(2 6)(3 7)(4 8)"),
}


@pytest.mark.parametrize("name", TRANSITIVE)
def test_block_systems_equal_all_invariant_partitions(name: str) -> None:
    group = conjugate(TRANSITIVE[name], random_permutation(Random(1), TRANSITIVE[name].degree))
    n = group.degree
    elements = closure(group)
    expected = {
        blocks
        for size in range(2, n)
        if n % size == 0
        for blocks in equal_partitions(tuple(range(n)), size)
        if all({tuple(sorted(g[x] for x in block)) for block in blocks} == set(blocks) for g in elements)
    }
    found = block_systems(group, range(n))
    assert len(found) == len(expected)
    assert set(found) == expected
    assert [len(system) for system in found] == sorted(len(system) for system in found)


def test_systems_of_one_orbit_among_others() -> None:
    group = group_of("(2 4 6 8)(1 3),(2 6)")
    assert block_systems(group, (1, 3, 5, 7)) == (((1, 5), (3, 7)),)
    assert minimal_blocks(group, (1, 3, 5, 7), 1, 5) == ((1, 5), (3, 7))
    assert minimal_blocks(group, (1, 3, 5, 7), 1, 3) == ((1, 3, 5, 7),)


def test_stabiliser_kernel_and_action() -> None:
    group = wreath_product(symmetric(3), symmetric(3))
    blocks = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
    elements = closure(group)
    fixing_first = {g for g in elements if {g[x] for x in blocks[0]} == set(blocks[0])}
    fixing_all = {g for g in elements if all({g[x] for x in block} == set(block) for block in blocks)}
    assert closure(block_stabiliser(group, blocks, 0)) == fixing_first
    assert block_stabiliser(group, blocks, 0).known_order == len(fixing_first)
    assert closure(kernel(group, blocks)) == fixing_all
    assert len(closure(action_on_blocks(group, blocks))) == 6


def test_the_second_block_has_its_own_stabiliser() -> None:
    group = Group(4, [(1, 0, 2, 3), (2, 3, 0, 1)])
    found = block_stabiliser(group, ((0, 1), (2, 3)), 1)
    assert closure(found) == closure(group_of("(1 2),(3 4)"))


def test_joins_of_several_minimal_systems() -> None:
    translations = Group(16, [tuple(x ^ 1 << i for x in range(16)) for i in range(4)])
    found = block_systems(translations, range(16))
    assert [sum(len(system) == d for system in found) for d in (2, 4, 8)] == [15, 35, 15]
