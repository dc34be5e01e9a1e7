"""Stabiliser chains against plain multiplication and sympy."""

from __future__ import annotations

from math import factorial
from random import Random

import pytest
from sample_groups import (
    SECTION_4_3,
    THREE_TIERED,
    closure,
    forgetting_order,
    group_of,
    random_permutation,
    random_product,
    scrambled,
)
from sympy.combinatorics import Permutation as SympyPermutation
from sympy.combinatorics import PermutationGroup

from quorbit.groups import schreier_sims
from quorbit.groups.chain import (
    build_chain,
    contains,
    coset_representatives,
    coset_transpositions,
    elements,
    group_at,
    is_subgroup,
    make_chain,
    order,
    pointwise_stabiliser,
    random_element,
    same_group,
    stabiliser,
)
from quorbit.groups.giants import giant_order
from quorbit.groups.group import (
    Group,
    alternating,
    cyclic,
    dihedral,
    hypercube,
    restrict,
    symmetric,
    trivial,
    with_order,
    wreath_product,
)
from quorbit.groups.permutation import act, compose, from_cycles, identity
from quorbit.groups.reach import BeyondReach


def random_group(rng: Random) -> Group:
    """A few random permutations, often of a large group, or a product."""
    if rng.random() < 0.5:
        return random_product(rng)
    n = rng.randint(1, 7)
    return Group(n, [random_permutation(rng, n) for _ in range(rng.randint(0, 3))])


def check_chain(group: Group, base: tuple[int, ...], all_elements: set[tuple[int, ...]]) -> None:
    chain = build_chain(group, base)
    assert chain.order == len(all_elements)
    fixing = all_elements
    for i, level in enumerate(chain.levels):
        assert len(closure(group_at(chain, i))) == len(fixing)
        assert set(level.orbit) == {g[level.point] for g in fixing}
        assert all(u in fixing and u[level.point] == x for x, u in level.transversal.items())
        assert all(g in fixing for g in level.generators)
        fixing = {g for g in fixing if g[level.point] == level.point}
    assert fixing == {identity(group.degree)}


@pytest.mark.parametrize("seed", range(25))
def test_chains_by_definition(seed: int) -> None:
    rng = Random(seed)
    group = random_group(rng)
    everything = closure(group)
    base = random_permutation(rng, group.degree)
    check_chain(group, (), everything)
    check_chain(group, base, everything)
    check_chain(with_order(group, len(everything)), base, everything)


@pytest.mark.parametrize("seed", range(15))
def test_sifting_schreier_generators_alone_completes_a_chain(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schreier_sims, "QUIET", 0)  # no random elements
    group = random_group(Random(seed))
    everything = closure(group)
    chain = make_chain(group.degree, group.moves, None, ())
    assert chain.order == len(everything)
    assert all(len(closure(group_at(chain, i))) == group_at(chain, i).known_order for i in range(len(chain.levels)))


@pytest.mark.parametrize("seed", range(15))
def test_membership_and_enumeration(seed: int) -> None:
    rng = Random(seed)
    group = random_group(rng)
    chain, everything = build_chain(group), closure(group)
    listed = list(elements(chain))
    assert listed[0] == identity(group.degree)
    assert len(listed) == len(everything)
    assert set(listed) == everything
    for _ in range(50):
        g = random_permutation(rng, group.degree)
        assert contains(chain, g) == (g in everything)
        assert random_element(chain, rng) in everything


def test_random_elements_reach_everything() -> None:
    chain, rng = build_chain(dihedral(5)), Random(7)
    assert {random_element(chain, rng) for _ in range(300)} == closure(dihedral(5))


@pytest.mark.parametrize("text", [SECTION_4_3, "(1 2 3 4),(5 6)(1 3)"])
def test_coset_representatives_give_every_element_once(text: str) -> None:
    group = group_of(text)
    chain = build_chain(group)
    products = [identity(group.degree)]
    for level in coset_representatives(chain):
        assert level[0] == identity(group.degree)
        products = [compose(g, u) for g in products for u in level]
    assert sorted(products) == sorted(closure(group))


def test_coset_transpositions_move_states_alike() -> None:
    chain = build_chain(group_of(SECTION_4_3))
    s = tuple(range(100, 114))
    for permutations, swaps in zip(coset_representatives(chain), coset_transpositions(chain), strict=True):
        for g, pairs in zip(permutations, swaps, strict=True):
            t = list(s)
            for i, j in pairs:
                t[i], t[j] = t[j], t[i]
            assert tuple(t) == act(g, s)


@pytest.mark.parametrize("seed", range(10))
def test_stabilisers(seed: int) -> None:
    rng = Random(seed)
    group = random_group(rng)
    everything = closure(group)
    points = rng.sample(range(group.degree), rng.randint(1, group.degree))
    expected = {g for g in everything if all(g[x] == x for x in points)}
    found = pointwise_stabiliser(group, points)
    assert closure(found) == expected
    assert found.known_order == len(expected)
    assert closure(stabiliser(group, points[0])) == {g for g in everything if g[points[0]] == points[0]}


def sympy_order(group: Group) -> int:
    generators = [SympyPermutation(list(g)) for g in group.generators]
    return int(PermutationGroup(generators).order()) if generators else 1


@pytest.mark.parametrize("seed", range(20))
def test_orders_equal_sympys(seed: int) -> None:
    rng = Random(seed)
    n = rng.randint(8, 20)
    group = Group(n, [random_permutation(rng, n) for _ in range(2)])
    wreath = scrambled(wreath_product(random_product(rng), group_of("(1 2),(1 3)")), rng)
    for g in (group, random_product(rng), wreath):
        assert build_chain(g).order == order(g) == sympy_order(g)


LARGE = {
    "S20 wr S3": (wreath_product(symmetric(20), symmetric(3)), factorial(20) ** 3 * 6),
    "S5 wr S20": (wreath_product(symmetric(5), symmetric(20)), factorial(5) ** 20 * factorial(20)),
    "S170": (symmetric(170), factorial(170)),
    "A30": (alternating(30), factorial(30) // 2),
    "C7 wr D9": (wreath_product(cyclic(7), dihedral(9)), 7**9 * 18),
    "cube 7": (hypercube(7), 2**7 * factorial(7)),
    "cube 9": (hypercube(9), 2**9 * factorial(9)),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_groups_whose_order_is_not_given(name: str) -> None:
    group, size = LARGE[name]
    unknown = forgetting_order(group)
    assert order(unknown) == size
    assert build_chain(unknown).order == size


def test_a_tree_of_large_order_needs_no_given_order() -> None:
    # Ten servers with ten clients each: the servers' action follows from the clients'.
    clients = wreath_product(symmetric(10), symmetric(10))
    moves = [m for m in clients.moves if len(m) == 2]
    for s in range(9):
        swap = [(100 + s, 101 + s), *((10 * s + i, 10 * s + 10 + i) for i in range(10))]
        moves.append(tuple(sorted([*swap, *((y, x) for x, y in swap)])))
    group = Group(110, moves=moves)
    assert build_chain(group).order == factorial(10) ** 11


def test_subgroups() -> None:
    three_tiered = group_of(THREE_TIERED)
    H = group_of("(12 13)(1 4)(2 5)(3 6),(13 14)(4 7)(5 8)(6 9)")
    assert order(three_tiered) == 2592
    assert order(H) == 6
    assert is_subgroup(H, three_tiered)
    assert not is_subgroup(three_tiered, H)
    assert not is_subgroup(restrict(three_tiered, range(9)), three_tiered)
    assert same_group(group_of("(1 2),(2 3)"), group_of("(1 2 3),(1 3)"))
    assert not same_group(group_of("(1 2 3)"), group_of("(1 2 3),(1 3)"))
    assert not same_group(symmetric(3), symmetric(4))


def test_elements_outside_the_moved_points_are_no_members() -> None:
    chain = build_chain(group_of("(1 2)", 4))
    assert not contains(chain, from_cycles(4, (0, 1), (2, 3)))
    assert contains(chain, from_cycles(4, (0, 1)))
    assert list(elements(build_chain(trivial(2)))) == [(0, 1)]


def test_a_wrong_order_is_noticed() -> None:
    for wrong in (12, 48):
        with pytest.raises(ValueError, match="but has 24"):
            build_chain(Group(4, symmetric(4).generators, wrong))


def test_chains_do_not_differ_from_run_to_run() -> None:
    first = build_chain(hypercube(4)).levels
    again = build_chain(Group(16, [*hypercube(4).generators])).levels
    assert [level.orbit for level in first] == [level.orbit for level in again]


def test_giants() -> None:
    rng = Random(3)
    assert giant_order(symmetric(50)) == factorial(50)
    assert giant_order(scrambled(alternating(40), rng)) == factorial(40) // 2
    two = Group(1000, [random_permutation(rng, 1000) for _ in range(2)])
    assert giant_order(two) in (factorial(1000), factorial(1000) // 2)
    for other in (hypercube(5), wreath_product(symmetric(4), symmetric(5)), dihedral(40), symmetric(7)):
        assert giant_order(other) is None
    mathieu = group_of("(1 2 3 4 5 6 7 8 9 10 11),(3 7 11 8)(4 10 5 6)")
    assert giant_order(mathieu) is None
    projective = group_of("(1 2 3 4 5 6 7),(1 8)(2 7)(3 4)(5 6)")  # a cycle of seven among eight points is too long
    assert giant_order(projective) is None
    assert order(projective) == 168
    assert order(mathieu) == 7920


def test_what_is_too_large_is_refused() -> None:
    with pytest.raises(BeyondReach):
        build_chain(Group(20000, moves=dihedral(20000).moves))
