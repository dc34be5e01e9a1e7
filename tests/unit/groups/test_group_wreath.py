"""Wreath products: found where they are, not found where they are not, and with the order carried between blocks."""

from __future__ import annotations

from itertools import permutations, product
from random import Random

import pytest
from sample_groups import (
    THREE_TIERED,
    closure,
    conjugate,
    diagonal,
    forgetting_order,
    group_of,
    has_wreath_partition,
    is_wreath_on,
    random_permutation,
    random_piece,
    scrambled,
)

from quorbit.groups.chain import build_chain, contains, order, same_group
from quorbit.groups.group import (
    Group,
    alternating,
    cyclic,
    dihedral,
    direct_product,
    hypercube,
    place,
    symmetric,
    wreath_product,
)
from quorbit.groups.permutation import Permutation, act, compose
from quorbit.groups.products import factors
from quorbit.groups.wreath import WreathDecomposition, lift, wreath_decomposition


def check_decomposition(group: Group, found: WreathDecomposition) -> None:
    """What every decomposition promises."""
    degree, d = group.degree, len(found.blocks)
    chain = build_chain(group)
    copies = [place(found.inner, block, degree) for block in found.blocks]
    lifts = found.lifts
    assert all(contains(chain, g) for g in lifts)
    assert all(contains(chain, g) for copy in copies for g in copy.generators)
    assert order(group) == order(found.inner) ** d * order(found.outer)
    together = Group(degree, [*lifts, *(g for copy in copies for g in copy.generators)])
    assert same_group(forgetting_order(together), group)
    for k, g in zip(found.outer.generators, lifts, strict=True):
        for i, block in enumerate(found.blocks):
            assert tuple(g[x] for x in block) == found.blocks[k[i]]
    inside = sorted(x for block in found.blocks for x in block)
    assert sorted([*inside, *(x for orbit in found.free for x in orbit)]) == list(group.moved)


def check_homomorphism(found: WreathDecomposition) -> None:
    outer = sorted(closure(found.outer))[:30]
    for k in outer:
        for m in outer[:5]:
            assert lift(found, compose(k, m)) == compose(lift(found, k), lift(found, m))


def three_tiered(servers: int, clients: int) -> Group:
    """Servers with clients and a channel for each server, as in the papers' models."""
    inner = direct_product(symmetric(clients), Group(2))
    return wreath_product(inner, symmetric(servers))


WREATHS = {
    "S4 wr S3": (wreath_product(symmetric(4), symmetric(3)), 24, 6),
    "S3 wr S5": (wreath_product(symmetric(3), symmetric(5)), 6, 120),
    "D4": (dihedral(4), 2, 2),
    "C3 wr C4": (wreath_product(cyclic(3), cyclic(4)), 3, 4),
    "A4 wr A4": (wreath_product(alternating(4), alternating(4)), 12, 12),
    "cube wr S2": (wreath_product(hypercube(3), symmetric(2)), 48, 2),
    "tier 3x4": (three_tiered(3, 4), 24, 6),
    "tier 5x4": (three_tiered(5, 4), 24, 120),
    "H of two orbits": (wreath_product(direct_product(symmetric(3), cyclic(4)), symmetric(3)), 24, 6),
    "diagonal H": (wreath_product(diagonal(symmetric(3), 2), symmetric(3)), 6, 6),
}


@pytest.mark.parametrize("name", WREATHS)
def test_wreath_products_are_found(name: str) -> None:
    plain, inner, outer = WREATHS[name]
    for group in (plain, scrambled(plain, Random(4))):
        found = wreath_decomposition(group)
        assert found is not None
        assert (order(found.inner), order(found.outer), found.free) == (inner, outer, ())
        check_decomposition(group, found)
        check_homomorphism(found)


@pytest.mark.parametrize(
    "group",
    [
        hypercube(3),
        hypercube(4),
        hypercube(5),
        cyclic(4),
        cyclic(9),
        dihedral(8),
        symmetric(6),
        alternating(4),
        diagonal(symmetric(4), 2),
        group_of("(1 2 3 4)(5 6 7 8),(1 5 3 7)(2 8 4 6)"),
        Group(3),
    ],
)
def test_others_are_not(group: Group) -> None:
    assert wreath_decomposition(group) is None


def test_the_three_tiered_group_of_the_paper() -> None:
    group = factors(group_of(THREE_TIERED))[0]
    found = wreath_decomposition(group)
    assert found is not None
    assert sorted(map(sorted, found.blocks)) == [[0, 1, 2, 11], [3, 4, 5, 12], [6, 7, 8, 13]]
    assert (order(found.inner), order(found.outer)) == (6, 6)
    check_decomposition(group, found)


def canonical(found: WreathDecomposition, s: tuple[int, ...]) -> tuple[int, ...]:
    """Least contents of every block in the order of its listing, then the least arrangement of the blocks."""
    t = list(s)
    inner = sorted(closure(found.inner))
    for block in found.blocks:
        contents = min(act(g, [t[x] for x in block]) for g in inner)
        for x, value in zip(block, contents, strict=True):
            t[x] = value
    listing = [x for block in found.blocks for x in block] + [x for orbit in found.free for x in orbit]
    images = [act(lift(found, k), t) for k in sorted(closure(found.outer))]
    return min(images, key=lambda image: [image[x] for x in listing])


def check_canonical(group: Group, values: int) -> None:
    found = wreath_decomposition(group)
    assert found is not None
    elements = closure(group)
    for s in product(range(values), repeat=group.degree):
        expected = canonical(found, s)
        assert expected in {act(g, s) for g in elements}
        assert all(canonical(found, act(g, s)) == expected for g in group.generators)


def test_the_order_is_carried_between_blocks() -> None:
    # The swap of the blocks reverses the numbers inside them; minimising by number would give two representatives.
    group = group_of("(1 2),(3 4),(1 4)(2 3)")
    check_canonical(group, 3)
    check_canonical(group_of("(1 2 3),(1 6)(2 5)(3 4)"), 2)


def test_orbits_that_do_not_fit_the_blocks_are_free() -> None:
    # Three pairs permuted by S3, which also turns over two extra points 7 and 8 by its sign.
    group = group_of("(1 2),(1 3)(2 4)(7 8),(3 5)(4 6)(7 8)")
    found = wreath_decomposition(group)
    assert found is not None
    assert found.free == ((6, 7),)
    check_decomposition(group, found)
    check_homomorphism(found)
    check_canonical(group, 2)


def test_free_orbits_must_belong_to_the_outer_group() -> None:
    # The sign of the inner group turns over 7 and 8: this is no wreath product on the pairs.
    group = group_of("(1 2)(7 8),(1 3)(2 4),(3 5)(4 6)")
    found = wreath_decomposition(group)
    assert found is None or found.free == ()
    if found is not None:
        check_decomposition(group, found)
    assert (found is not None) == has_wreath_partition(group)


def test_the_kernel_ties_the_right_share() -> None:
    # Two blocks of three, and a second orbit that the kernel moves together with the *other* numbering.
    group = group_of("(1 2 3)(10 11 12),(4 5 6)(7 8 9),(1 4)(2 5)(3 6)(7 10)(8 11)(9 12)")
    found = wreath_decomposition(group)
    assert found is not None
    assert sorted(map(sorted, found.blocks)) == [[0, 1, 2, 9, 10, 11], [3, 4, 5, 6, 7, 8]]
    assert order(found.inner) == 3
    check_decomposition(group, found)


def test_untied_shares_serve_as_well() -> None:
    group = group_of("(1 2),(3 4),(5 6),(7 8),(1 3)(2 4)(5 7)(6 8)")
    found = wreath_decomposition(group)
    assert found is not None
    assert (order(found.inner), order(found.outer)) == (4, 2)
    check_decomposition(group, found)


def random_small(rng: Random) -> Group:
    """A group on at most eight points: a wreath product, a part of one, or a piece of something else."""
    while True:
        n = rng.choice([4, 6, 8])
        d = rng.choice([d for d in range(2, n) if n % d == 0])
        big = wreath_product(symmetric(n // d), symmetric(d))
        chosen: list[Permutation] = rng.sample(sorted(closure(big)) if n < 8 else list(big.generators), 3)
        group = rng.choice([Group(n, chosen), random_piece(rng), wreath_product(random_piece(rng), cyclic(2))])
        if group.degree <= 8 and not group.is_trivial:
            return conjugate(group, random_permutation(rng, group.degree))


def check_against_all_partitions(group: Group) -> None:
    found = wreath_decomposition(group)
    expected = has_wreath_partition(group)
    if found is None:
        assert not expected
    else:
        check_decomposition(group, found)
        elements = closure(group)
        assert is_wreath_on(elements, found.blocks)
        assert found.free or expected


@pytest.mark.parametrize("seed", range(20))
def test_decompositions_equal_brute_force(seed: int) -> None:
    check_against_all_partitions(random_small(Random(seed)))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 400))
def test_decompositions_equal_brute_force_on_many_groups(seed: int) -> None:
    check_against_all_partitions(random_small(Random(seed)))


def test_all_subgroups_of_s4_generated_by_two() -> None:
    for g in permutations(range(4)):
        for h in permutations(range(4)):
            check_against_all_partitions(Group(4, [g, h]))
