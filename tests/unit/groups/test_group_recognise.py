"""Groups with a name, and groups that only look like them."""

from __future__ import annotations

from itertools import combinations, permutations
from math import factorial
from random import Random

import pytest
from sample_groups import (
    SECTION_4_3,
    chained_swaps,
    closure,
    conjugate,
    diagonal,
    forgetting_order,
    group_of,
    random_permutation,
    scrambled,
)

from quorbit.groups.chain import order, same_group
from quorbit.groups.columns import columns_by_generators
from quorbit.groups.group import (
    Group,
    alternating,
    cyclic,
    dihedral,
    direct_product,
    hypercube,
    moved_orbits,
    place,
    symmetric,
    trivial,
)
from quorbit.groups.permutation import Permutation
from quorbit.groups.recognise import alternating_columns, as_cyclic, as_dihedral, columns, element_order


def check_columns(group: Group, found: tuple[tuple[int, ...], ...] | None, size: int) -> None:
    """One point of every orbit in each column, columns by first point, and permuted as whole things."""
    assert found is not None
    assert len(found) == size
    orbits = moved_orbits(group)
    assert all(x in orbit for column in found for x, orbit in zip(column, orbits, strict=True))
    assert sorted(x for column in found for x in column) == list(group.moved)
    assert [column[0] for column in found] == sorted(column[0] for column in found)
    for g in group.generators:
        assert {tuple(g[x] for x in column) for column in found} == set(found)


@pytest.mark.parametrize("m", [2, 3, 4, 5, 6, 7, 12])
@pytest.mark.parametrize("copies", [1, 2, 4])
def test_symmetric_groups_on_columns(m: int, copies: int) -> None:
    plain = diagonal(symmetric(m), copies)
    check_columns(plain, columns_by_generators(plain), m)
    for seed in range(3):
        hidden = scrambled(plain, Random(seed))
        check_columns(hidden, columns(hidden), m)


def test_columns_of_the_swap_stand_in_the_same_order() -> None:
    assert columns(group_of("(1 5)(4 2)(3 6)")) == ((0, 1, 2), (4, 3, 5))


def test_columns_need_not_stand_in_the_same_order() -> None:
    # The columns of this group are (1,5), (3,2), (4,6): a trap for minimising by swaps.
    assert columns(group_of("(1 3)(5 2),(3 4)(2 6)")) == ((0, 4), (2, 1), (3, 5))


def outer_automorphism(g: Permutation) -> Permutation:
    """The image of g on the six ways to colour the edges of the complete graph with five colours."""
    edges = [frozenset(pair) for pair in combinations(range(6), 2)]
    matchings = [m for m in combinations(edges, 3) if len(frozenset().union(*m)) == 6]
    totals = [frozenset(t) for t in combinations(matchings, 5) if len({e for m in t for e in m}) == 15]
    assert len(totals) == 6

    def image(total: frozenset[tuple[frozenset[int], ...]]) -> set[frozenset[frozenset[int]]]:
        return {frozenset(frozenset(g[x] for x in e) for e in m) for m in total}

    as_sets = [{frozenset(m) for m in total} for total in totals]
    return tuple(as_sets.index(image(total)) for total in totals)


def test_six_points_related_by_the_outer_automorphism_are_no_columns() -> None:
    generators = [(1, 0, 2, 3, 4, 5), (1, 2, 3, 4, 5, 0)]
    group = Group(12, [(*g, *(6 + x for x in outer_automorphism(g))) for g in generators])
    assert order(group) == factorial(6)
    assert [len(orbit) for orbit in moved_orbits(group)] == [6, 6]
    assert columns(group) is None


@pytest.mark.parametrize(
    "group",
    [
        trivial(3),
        cyclic(3),
        alternating(5),
        dihedral(4),
        direct_product(symmetric(3), symmetric(3)),
        direct_product(symmetric(2), symmetric(2)),
        chained_swaps(6),
        hypercube(3),
        group_of(SECTION_4_3),
        group_of("(1 2 3)(4 5 6),(1 2)(4 5),(4 5)"),
        group_of("(1 2)(3 4)(5 6),(1 3)(2 6)(4 5)"),  # S3 acting on its own six elements
    ],
)
def test_others_have_no_columns(group: Group) -> None:
    assert columns(group) is None


@pytest.mark.parametrize("m", [4, 5, 6, 7, 9])
def test_alternating_groups(m: int) -> None:
    for group in (alternating(m), scrambled(diagonal(alternating(m), 2), Random(1))):
        check_columns(group, alternating_columns(group), m)
        assert columns(group) is None
    assert alternating_columns(symmetric(m)) is None


def test_cyclic_groups() -> None:
    for group in (cyclic(12), group_of("(1 2 3)(4 5)"), group_of("(1 2)(3 4),(5 6 7),(8 9 10 11 12)")):
        hidden = scrambled(group, Random(2))
        found = as_cyclic(hidden)
        assert found is not None
        assert len(found.moves) == 1
        assert same_group(found, hidden)
        assert element_order(found.generators[0]) == found.known_order == len(closure(group))
    for other in (trivial(2), symmetric(3), dihedral(4), group_of("(1 2),(3 4)"), group_of("(1 2 3 4),(5 6)")):
        assert as_cyclic(other) is None


@pytest.mark.parametrize("n", [3, 4, 5, 6, 9, 12])
def test_dihedral_groups(n: int) -> None:
    two_mirrors = Group(n, [tuple((k - x) % n for x in range(n)) for k in (0, 1)])
    for plain in (dihedral(n), diagonal(dihedral(n), 2), two_mirrors, place(dihedral(n), range(5, 5 + n), n + 9)):
        for group in (plain, scrambled(plain, Random(n))):
            found = as_dihedral(forgetting_order(group))
            assert found is not None
            assert found.known_order == 2 * n
            assert same_group(forgetting_order(found), group)
            rotation, mirror = found.generators
            assert (element_order(rotation), element_order(mirror)) == (n, 2)


def test_a_generator_may_be_half_a_rotation() -> None:
    hexagon = [
        tuple((x + 2) % 6 for x in range(6)),
        tuple(-x % 6 for x in range(6)),
        tuple((1 - x) % 6 for x in range(6)),
    ]
    found = as_dihedral(Group(6, hexagon))
    assert found is not None
    assert found.known_order == 12


def test_groups_of_the_same_order_are_not_dihedral() -> None:
    quaternions = group_of("(1 2 3 4)(5 6 7 8),(1 5 3 7)(2 8 4 6)")
    assert as_dihedral(quaternions) is None
    assert as_dihedral(cyclic(8)) is None
    assert as_dihedral(hypercube(3)) is None
    assert as_dihedral(group_of("(1 2 3 4 5),(2 3 5 4)")) is None
    assert as_dihedral(group_of("(1 2 3 4 5)(6 7)")) is None


def test_small_groups_against_their_element_orders() -> None:
    """Cyclic exactly if some element has the group's order; symmetric on four points exactly if all 24 are there."""
    for g in permutations(range(4)):
        for h in permutations(range(4)):
            group = Group(4, [g, h])
            elements = closure(group)
            is_cyclic = len(elements) > 1 and any(element_order(x) == len(elements) for x in elements)
            assert (as_cyclic(group) is not None) == is_cyclic
            if len(group.moved) == 4 and len(moved_orbits(group)) == 1:
                assert (columns(group) is not None) == (len(elements) == 24)


def test_names_of_points_do_not_matter() -> None:
    group = diagonal(symmetric(5), 3)
    h = random_permutation(Random(8), 15)
    expected = {frozenset(h[x] for x in column) for column in columns(group) or ()}
    assert {frozenset(column) for column in columns(conjugate(group, h)) or ()} == expected
