"""The structure of groups, as it is printed: [DM09] Figure 5 and others."""

from __future__ import annotations

from dataclasses import replace
from math import factorial
from random import Random

import pytest
from sample_groups import (
    SECTION_5_2_2,
    THREE_TIERED,
    chained_swaps,
    closure,
    conjugate,
    diagonal,
    forgetting_order,
    group_of,
    random_permutation,
    random_product,
    scrambled,
)

from quorbit.groups.chain import order, same_group
from quorbit.groups.group import (
    Group,
    alternating,
    cyclic,
    dihedral,
    direct_product,
    hypercube,
    orbits,
    place,
    shift,
    symmetric,
    trivial,
    wreath_product,
)
from quorbit.groups.products import factors
from quorbit.groups.structure import (
    Cyclic,
    Dihedral,
    Product,
    Structure,
    Symmetric,
    Trivial,
    Unclassified,
    Wreath,
    describe,
    structure,
    structure_order,
)


def name(group: Group) -> str:
    return describe(structure(group))


def tiers(*clients: int) -> Group:
    """A database with a server for each number, that has so many clients; clients and servers own a channel each."""
    inner = direct_product(diagonal(symmetric(clients[0]), 2), Group(2))
    return direct_product(Group(2), wreath_product(inner, symmetric(len(clients))))


def allocator(*clients: int) -> Group:
    """Clients of several priorities, each with a channel, and a resource."""
    return direct_product(Group(2), *(diagonal(symmetric(n), 2) for n in clients))


FIGURE_5 = {
    **{f"mutex {n}": (symmetric(n), f"S{n}", factorial(n)) for n in (5, 10, 15, 20)},
    **{f"Peterson {n}": (diagonal(symmetric(n), 3), f"S{n}", factorial(n)) for n in range(2, 10)},
    "allocator 3-3": (allocator(3, 3), "S3 x S3", 36),
    "allocator 4-4": (allocator(4, 4), "S4 x S4", 576),
    "allocator 5-5": (allocator(5, 5), "S5 x S5", 14400),
    "allocator 4-4-4": (allocator(4, 4, 4), "S4 x S4 x S4", 13824),
    "allocator 5-5-5": (allocator(5, 5, 5), "S5 x S5 x S5", 1728000),
    "tiers 3-3": (tiers(3, 3), "S3 wr S2", 72),
    "tiers 4-4": (tiers(4, 4), "S4 wr S2", 1152),
    "tiers 3-3-3": (tiers(3, 3, 3), "S3 wr S3", 1296),
    "tiers 4-4-4": (tiers(4, 4, 4), "S4 wr S3", 82944),
    **{f"email {n}": (direct_product(Group(3), diagonal(symmetric(n), 2)), f"S{n}", factorial(n)) for n in range(3, 8)},
    "hypercube 3d": (hypercube(3), "order 48, degree 8", 48),
    "hypercube 4d": (hypercube(4), "order 384, degree 16", 384),
    "hypercube 5d": (hypercube(5), "order 3840, degree 32", 3840),
    "hypercube 6d": (hypercube(6), "order 46080, degree 64", 46080),
}


@pytest.mark.parametrize("case", FIGURE_5)
def test_figure_5(case: str) -> None:
    group, expected, size = FIGURE_5[case]
    for given in (group, forgetting_order(group), scrambled(group, Random(9))):
        found = structure(given)
        assert describe(found) == expected
        assert structure_order(found) == order(given) == size


NAMED = {
    "trivial": trivial(4),
    "S2": cyclic(2),
    "C3": alternating(3),
    "S3": dihedral(3),
    "S2 wr S2": dihedral(4),
    "C20": cyclic(20),
    "C4": group_of("(1 2 3 4)(5 6)"),
    "C3 x S2": group_of("(1 2 3)(4 5)"),
    "D5": dihedral(5),
    "D6": dihedral(6),
    "A5": alternating(5),
    "A4": alternating(4),
    "A5 x C7 x S3 x S2": direct_product(symmetric(2), cyclic(7), alternating(5), symmetric(3)),
    "S3 wr S3 x S2": group_of(THREE_TIERED),
    "S3 x S3": group_of(SECTION_5_2_2),
    "order 524288, degree 40": chained_swaps(40),
    "S2 wr S3 wr S4": wreath_product(wreath_product(symmetric(2), symmetric(3)), symmetric(4)),
    "(S3 x S2) wr A5": wreath_product(direct_product(symmetric(2), symmetric(3)), alternating(5)),
    "(order 48, degree 8) wr C3": wreath_product(hypercube(3), cyclic(3)),
    "(order 48, degree 8) x S3": direct_product(symmetric(3), hypercube(3)),
    "C5 wr D5 x S4 wr S2": direct_product(
        wreath_product(symmetric(4), symmetric(2)), wreath_product(cyclic(5), dihedral(5))
    ),
    "S4^12": direct_product(*[symmetric(4)] * 12),
    "order 7920, degree 11": group_of("(1 2 3 4 5 6 7 8 9 10 11),(3 7 11 8)(4 10 5 6)"),
}


@pytest.mark.parametrize("expected", NAMED)
def test_names(expected: str) -> None:
    group = NAMED[expected]
    for given in (group, scrambled(group, Random(1)), conjugate(group, random_permutation(Random(2), group.degree))):
        assert name(given) == expected


def test_an_extra_generator_changes_nothing() -> None:
    assert name(group_of(THREE_TIERED + ",(1 2)(10 11)")) == "S3 wr S3 x S2"


def test_large_orders_are_written_short() -> None:
    assert name(chained_swaps(220)) == "order about 10^32, degree 220"
    assert name(chained_swaps(130)) == f"order {2**64}, degree 130"


def generated(node: Structure) -> Group:
    """A group built from what the node says, and nothing else."""
    match node:
        case Trivial(group):
            return trivial(group.degree)
        case Symmetric(group, columns):
            first = columns[0]
            swaps = [dict([*zip(first, c, strict=True), *zip(c, first, strict=True)]) for c in columns[1:]]
            return Group(group.degree, [tuple(s.get(x, x) for x in range(group.degree)) for s in swaps])
        case Cyclic():
            return Group(node.group.degree, [node.rotation])
        case Dihedral():
            return Group(node.group.degree, [node.rotation, node.reflection])
        case Product(group, parts):
            return Group(group.degree, [g for part in parts for g in generated(part).generators])
        case Wreath(group, wreath, inner, outer):
            assert same_group(generated(outer), wreath.outer)
            copies = [place(generated(inner), block, group.degree) for block in wreath.blocks]
            return Group(group.degree, [*wreath.lifts, *(g for copy in copies for g in copy.generators)])
        case _:
            return forgetting_order(node.group)


@pytest.mark.parametrize("seed", range(20))
def test_the_tree_says_all_about_the_group(seed: int) -> None:
    rng = Random(seed)
    group = random_product(rng, 200)
    if rng.random() < 0.5:
        group = scrambled(wreath_product(group, rng.choice([symmetric(3), cyclic(3), dihedral(4)])), rng)
    found = structure(group)
    assert same_group(generated(found), group)
    assert structure_order(found) == order(group)
    assert found.group.degree == group.degree


def test_nodes_speak_of_points_of_the_whole_group() -> None:
    group = place(
        direct_product(wreath_product(symmetric(3), symmetric(2)), symmetric(2)), (9, 3, 7, 8, 2, 6, 1, 5), 12
    )
    found = structure(group)
    assert isinstance(found, Product)
    swap, wreath = found.parts
    assert isinstance(swap, Symmetric)
    assert swap.columns == ((1,), (5,))
    assert isinstance(wreath, Wreath)
    assert sorted(map(sorted, wreath.decomposition.blocks)) == [[2, 6, 8], [3, 7, 9]]
    assert wreath.group.degree == 12


def check_high_degree(n: int) -> None:
    swaps = Group(n, moves=[((x, x + 1), (x + 1, x)) for x in range(0, n, 2)])
    assert name(swaps) == f"S2^{n // 2}"
    assert len(factors(swaps)) == len(orbits(swaps)) == n // 2
    assert name(Group(n, moves=[((x, x + 1), (x + 1, x)) for x in range(n - 1)])) == f"S{n}"
    assert name(Group(n, moves=dihedral(n).moves)) == f"D{n}"
    base, copies = group_of(THREE_TIERED), n // 14
    many = Group(14 * copies, moves=[shift(m, 14 * i) for i in range(copies) for m in base.moves])
    assert name(many) == f"(S3 wr S3)^{copies} x S2^{copies}"


def test_high_degrees() -> None:
    check_high_degree(10000)


@pytest.mark.soak
def test_higher_degrees() -> None:
    check_high_degree(100000)


def test_beyond_reach_the_answer_is_unknown() -> None:
    n = 4000
    moves = [((x, x + 1), (x + 1, x + 2), (x + 2, x)) for x in range(n - 2)]
    hard = Group(3 * n, moves=[m + shift(m, n) + shift(m, 2 * n) for m in moves])
    found = structure(hard)
    assert isinstance(found, Unclassified)
    assert structure_order(found) is None
    assert describe(found) == f"unknown order, degree {3 * n}"


def test_structures_are_values() -> None:
    assert structure(symmetric(4)) == structure(forgetting_order(symmetric(4)))
    assert replace(structure(cyclic(5)), group=cyclic(5)) == structure(cyclic(5))


def test_small_groups_have_the_order_their_names_say() -> None:
    for text in ("(1 2 3 4 5),(2 3 5 4)", "(1 2)(3 4),(1 3)(2 4)", "(1 2 3),(4 5 6),(1 4)(2 5)(3 6)"):
        group = group_of(text)
        assert structure_order(structure(group)) == len(closure(group))
    assert name(group_of("(1 2 3 4 5),(2 3 5 4)")) == "order 20, degree 5"
    assert name(group_of("(1 2)(3 4),(1 3)(2 4)")) == "order 4, degree 4"
    assert name(group_of("(1 2 3),(4 5 6),(1 4)(2 5)(3 6)")) == "C3 wr S2"
