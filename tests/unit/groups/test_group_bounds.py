"""Bounds on orders: never below the order, since a chain that meets one is taken as complete."""

from __future__ import annotations

from random import Random

import pytest
from sample_groups import chained_swaps, closure, diagonal, group_of, random_permutation, random_product, scrambled

from quorbit.groups.bounds import abelian_bound, follows, simple_bound, structural_bound
from quorbit.groups.chain import build_chain, order
from quorbit.groups.group import Group, alternating, cyclic, hypercube, symmetric, wreath_product


def check_bounds(group: Group) -> None:
    size = len(closure(group))
    assert simple_bound(group) >= size
    assert structural_bound(group, order) >= size
    assert (abelian_bound(group) or size) >= size


@pytest.mark.parametrize("seed", range(40))
def test_bounds_are_bounds(seed: int) -> None:
    rng = Random(seed)
    check_bounds(random_product(rng))
    small = random_product(rng, 6)
    check_bounds(scrambled(wreath_product(small, rng.choice([cyclic(3), symmetric(3)])), rng))
    n = rng.randint(2, 6)
    check_bounds(Group(n, [random_permutation(rng, n) for _ in range(rng.randint(1, 3))]))


def test_bounds_that_are_met() -> None:
    assert simple_bound(group_of("(1 2 3)(4 5)")) == 6
    assert simple_bound(alternating(7)) == 2520
    assert structural_bound(chained_swaps(30), order) == 2**14
    wreath = wreath_product(alternating(5), hypercube(3))
    assert structural_bound(wreath, order) == 60**8 * 48
    tier = group_of("(1 2),(3 4),(5 6),(1 3)(2 4)(7 8),(3 5)(4 6)(8 9)")
    assert structural_bound(tier, order) == 48


def test_what_follows_from_another_orbit() -> None:
    group = group_of("(1 2)(5 6)(7 8),(3 4)(7 8)(9 10),(1 3)(2 4)(5 6)(9 10)")
    assert order(group) == len(closure(group))
    copies = diagonal(symmetric(4), 2)
    assert follows(copies, range(4), range(4, 8))
    apart = group_of("(1 2)(3 4),(3 4)")
    assert not follows(apart, (0, 1), (2, 3))
    tier = group_of("(1 2),(3 4),(1 3)(2 4)(5 6)")
    assert follows(tier, (4, 5), (0, 1, 2, 3))
    assert not follows(tier, (0, 1, 2, 3), (4, 5))


def test_commuting_generators_of_high_degree() -> None:
    assert build_chain(chained_swaps(300)).order == 2**149
    assert abelian_bound(group_of("(1 2 3 4),(1 3)(2 4),(5 6)")) == 16
    assert abelian_bound(symmetric(3)) is None
    assert abelian_bound(group_of("(1 2)(3 4),(1 3)")) is None
