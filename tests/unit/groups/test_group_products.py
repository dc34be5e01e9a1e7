"""The finest disjoint product, by several ways that must agree."""

from __future__ import annotations

from math import prod
from random import Random

import igraph
import pytest
from sample_groups import (
    SECTION_5_2_2,
    THREE_TIERED,
    chained_swaps,
    closure,
    conjugate,
    diagonal,
    finest_parts,
    group_of,
    random_permutation,
    random_product,
    restricted_orders,
    scrambled,
)

from quorbit.groups.chain import is_subgroup, order
from quorbit.groups.group import Group, cyclic, direct_product, symmetric, trivial
from quorbit.groups.products import (
    dependency_classes,
    factors,
    factors_by_generators,
    factors_by_partition,
    factors_of_graph_group,
)


def moved(parts: tuple[Group, ...]) -> list[tuple[int, ...]]:
    return [part.moved for part in parts]


def check_factors(group: Group) -> None:
    expected = finest_parts(group)
    found = factors(group)
    assert moved(found) == expected
    assert [part.known_order for part in found] == restricted_orders(group, expected)
    assert all(part.degree == group.degree and is_subgroup(part, group) for part in found)
    assert moved(factors_by_partition(group)) == expected


@pytest.mark.parametrize("seed", range(25))
def test_factors_equal_the_definition(seed: int) -> None:
    check_factors(random_product(Random(seed)))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 400))
def test_factors_equal_the_definition_on_many_groups(seed: int) -> None:
    check_factors(random_product(Random(seed)))


def test_the_three_tiered_group() -> None:
    group = group_of(THREE_TIERED)
    assert [order(part) for part in factors(group)] == [1296, 2]
    assert moved(factors(group)) == [(*range(9), 11, 12, 13), (9, 10)]
    assert factors_by_generators(group) == factors(group)


def test_an_extra_generator_hides_the_factors_from_the_generators_only_way() -> None:
    group = group_of(THREE_TIERED + ",(1 2)(10 11)")
    assert len(factors_by_generators(group)) == 1
    assert [order(part) for part in factors(group)] == [1296, 2]
    assert moved(factors_by_partition(group)) == moved(factors(group))


def test_section_5_2_2() -> None:
    group = group_of(SECTION_5_2_2)
    assert len(factors_by_generators(group)) == 1
    assert moved(factors(group)) == [tuple(range(12)), tuple(range(12, 21))]
    assert [order(part) for part in factors(group)] == [6, 6]
    assert dependency_classes(group) == (tuple(range(12)), tuple(range(12, 21)))
    assert moved(factors_by_partition(group)) == moved(factors(group))


def test_chained_swaps_do_not_split() -> None:
    assert len(factors(chained_swaps(40))) == 1
    assert factors(chained_swaps(40))[0].known_order == 2**19
    assert len(dependency_classes(chained_swaps(12))) == 6  # no two orbits depend on each other, and yet ...
    assert len(factors_by_partition(chained_swaps(12))) == 1


def test_powers_of_one_element_split_by_coprime_lengths() -> None:
    group = group_of("(1 2 3 4 5 6)(7 8 9 10)(11 12 13 14 15)(16 17 18)(19 20 21 22 23 24 25)")
    assert moved(factors(group)) == [(*range(10), 15, 16, 17), tuple(range(10, 15)), tuple(range(18, 25))]
    assert [part.known_order for part in factors(group)] == [12, 5, 7]
    small = group_of("(1 2 3)(4 5)(6 7 8 9)")
    assert moved(factors(small)) == finest_parts(small)


def test_the_trivial_group_has_no_factors() -> None:
    assert factors(trivial(4)) == factors_by_generators(trivial(4)) == factors_by_partition(trivial(4)) == ()


def test_many_scrambled_factors() -> None:
    group = scrambled(direct_product(*[symmetric(5)] * 8), Random(5))
    assert len(factors_by_generators(group)) == 1
    assert [part.known_order for part in factors(group)] == [120] * 8


def random_graph(rng: Random) -> tuple[int, list[int], list[tuple[int, int, int]]]:
    """A coloured digraph with labelled arcs between kinds of vertices: none, all, or those of equal remainder."""
    n, kinds = rng.randint(4, 12), rng.randint(2, 4)
    kind = [rng.randrange(kinds) for _ in range(n)]
    rule = {(a, b, k): rng.randrange(3) for a in range(kinds) for b in range(kinds) for k in range(2)}
    arcs = [
        (a, b, k)
        for a in range(n)
        for b in range(n)
        for k in range(2)
        if a != b and (rule[kind[a], kind[b], k] == 1 or (rule[kind[a], kind[b], k] == 2 and (a + b) % 3 == 0))
    ]
    return n, kind, arcs


def automorphisms(n: int, colours: list[int], arcs: list[tuple[int, int, int]]) -> Group:
    """All automorphisms, with a vertex for every arc that carries its label."""
    edges = [edge for i, (a, b, _) in enumerate(arcs) for edge in ((a, n + i), (n + i, b))]
    graph = igraph.Graph(n=n + len(arcs), edges=edges, directed=True)
    labels = colours + [10 + label for _, _, label in arcs]
    found = graph.automorphism_group(color=labels)
    return Group(n, [tuple(g[:n]) for g in found])


def check_graph(rng: Random) -> int:
    n, colours, arcs = random_graph(rng)
    group = automorphisms(n, colours, arcs)
    found = factors_of_graph_group(group, arcs)
    assert moved(found) == moved(factors(group))
    assert prod(order(part) for part in found) == order(group)
    return len(found)


def test_the_graph_version_agrees() -> None:
    rng = Random(11)
    counts = [check_graph(rng) for _ in range(60)]
    assert sum(count > 1 for count in counts) > 10


@pytest.mark.soak
def test_the_graph_version_agrees_on_many_graphs() -> None:
    rng = Random(12)
    assert sum(check_graph(rng) > 1 for _ in range(1500)) > 300


def test_labels_tell_arcs_apart() -> None:
    # All pairs are joined by some arc, but equal indices by another kind of it: the two orbits move together.
    arcs = [(a, 3 + b, int(a == b)) for a in range(3) for b in range(3)]
    group = diagonal(symmetric(3), 2)
    assert len(factors_of_graph_group(group, arcs)) == 1
    apart = direct_product(symmetric(3), symmetric(3))
    assert len(factors_of_graph_group(apart, [(a, 3 + b) for a in range(3) for b in range(3)])) == 2


def test_names_of_points_do_not_matter() -> None:
    rng = Random(2)
    group = direct_product(diagonal(cyclic(4), 2), symmetric(3), diagonal(symmetric(2), 3))
    h = random_permutation(rng, group.degree)
    expected = sorted(tuple(sorted(h[x] for x in part.moved)) for part in factors(group))
    assert sorted(moved(factors(conjugate(group, h)))) == expected
    assert len(closure(group)) == prod(order(part) for part in factors(group))
