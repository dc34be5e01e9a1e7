"""Groups: the ones with names, and what is done with them."""

from __future__ import annotations

from math import factorial

import pytest
from sample_groups import closure, group_of

from quorbit.groups.chain import order, same_group
from quorbit.groups.group import (
    Group,
    alternating,
    components,
    cyclic,
    dihedral,
    direct_product,
    hypercube,
    moved_orbits,
    orbits,
    place,
    relabel,
    restrict,
    split,
    symmetric,
    trivial,
    wreath_product,
)


@pytest.mark.parametrize("n", range(1, 7))
def test_named_groups_have_the_orders_they_claim(n: int) -> None:
    for group in (trivial(n), symmetric(n), alternating(n), cyclic(n), dihedral(n)):
        assert group.degree == n
        assert len(closure(group)) == group.known_order
    assert symmetric(n).known_order == factorial(n)


@pytest.mark.parametrize(("d", "size"), [(0, 1), (1, 2), (2, 8), (3, 48), (4, 384)])
def test_hypercubes(d: int, size: int) -> None:
    assert len(closure(hypercube(d))) == size == hypercube(d).known_order


def test_products_of_groups() -> None:
    product = direct_product(symmetric(3), cyclic(4))
    assert (product.degree, product.known_order, len(closure(product))) == (7, 24, 24)
    wreath = wreath_product(symmetric(3), cyclic(2))
    assert (wreath.degree, wreath.known_order, len(closure(wreath))) == (6, 72, 72)


def test_a_wreath_product_over_an_intransitive_group_has_its_inner_group_in_every_block() -> None:
    wreath = wreath_product(cyclic(3), Group(3, [(1, 0, 2)], known_order=2))
    assert len(closure(wreath)) == wreath.known_order == 54


def test_identities_and_repetitions_are_dropped() -> None:
    group = Group(3, [(0, 1, 2), (1, 0, 2), (1, 0, 2)])
    assert group.generators == ((1, 0, 2),)
    assert Group(3, [(0, 1, 2)]).is_trivial
    assert Group(3).known_order == 1


def test_groups_are_values() -> None:
    assert Group(3, [(1, 0, 2)]) == Group(3, moves=[((0, 1), (1, 0))], known_order=2)
    assert hash(Group(3, [(1, 0, 2)])) == hash(Group(3, [(1, 0, 2)], 2))
    assert Group(3, [(1, 0, 2)]) != Group(4, [(1, 0, 2, 3)])


def test_a_permutation_of_another_degree_is_refused() -> None:
    with pytest.raises(ValueError, match="2 points in a group of degree 3"):
        Group(3, [(1, 0)])


def test_orbits() -> None:
    group = group_of("(5 2)(3 6)", 7)
    assert orbits(group) == ((0,), (1, 4), (2, 5), (3,), (6,))
    assert moved_orbits(group) == ((1, 4), (2, 5))
    assert group.moved == (1, 2, 4, 5)


def test_restriction_and_relabelling() -> None:
    group = group_of("(1 2)(3 4),(5 6 7)")
    assert restrict(group, (2, 3)) == group_of("(3 4)", 7)
    assert relabel(group, (6, 5, 4)) == Group(3, [(2, 0, 1)])
    assert place(relabel(group, (6, 5, 4)), (6, 5, 4), 7) == restrict(group, (4, 5, 6))
    with pytest.raises(ValueError, match="union of orbits"):
        restrict(group, (0, 2))


def test_split_acts_as_restrict() -> None:
    group = group_of("(1 2)(3 4),(5 6 7)(3 4),(8 9)")
    parts = [(0, 1), (2, 3), (4, 5, 6)]
    assert split(group, parts) == tuple(restrict(group, part) for part in parts)


def test_components_hang_together() -> None:
    group = group_of("(5 6),(1 2),(6 7)(3 4),(8 9)(2 1)")
    assert components(group) == (group_of("(1 2),(8 9)(2 1)", 9), group_of("(5 6),(6 7)(3 4)", 9))
    assert order(group) == 4 * order(components(group)[1])


def test_high_degrees_cost_only_what_is_moved() -> None:
    group = Group(10**6, moves=[((x, x + 1), (x + 1, x)) for x in range(0, 2000, 2)])
    assert len(moved_orbits(group)) == 1000
    assert same_group(relabel(group, range(4)), group_of("(1 2),(3 4)"))
