"""Equitable refinement, its undo, and the reductions of large graphs that rest on it."""

from __future__ import annotations

from collections import Counter
from math import factorial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorbit.graphs import automorphisms as automorphisms_module
from quorbit.graphs.automorphisms import automorphisms
from quorbit.graphs.graph import Graph, is_automorphism, permute_graph
from quorbit.graphs.reduce import collapse_twins, factors
from quorbit.graphs.refine import (
    Partition,
    colour_partition,
    individualise,
    refine_fully,
    touching_arcs,
    undo,
)
from quorbit.graphs.search import search_group
from quorbit.graphs.simple import SimpleGraph, simplify
from quorbit.groups.group import Group, orbits


@st.composite
def patterned(draw: st.DrawFn) -> Graph:
    """Copies of a small graph, with arcs between the copies in a few patterns: matchings, all, stars, chance."""
    size, copies = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    n = size * copies
    part = draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1), st.integers(0, 1)), max_size=4))
    arcs = [(u + c * size, v + c * size, k) for c in range(copies) for u, v, k in part]
    if draw(st.booleans()):
        arcs += [(c * size, ((c + 1) % copies) * size, 2) for c in range(copies)]
    if draw(st.booleans()):
        arcs += [(u, v, 3) for u in range(0, n, size) for v in range(0, n, size) if u != v]
    leaves = draw(st.integers(0, 2))
    for v in range(n):
        arcs += [(v, n + v * leaves + i, 4) for i in range(leaves)]
    arcs += draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.just(0)), max_size=1))
    colours = [draw(st.integers(0, 1)) for _ in range(size)] * copies + [2] * (n * leaves)
    return Graph(tuple(colours), tuple(arcs))


def refined(graph: SimpleGraph) -> Partition:
    partition = colour_partition(graph)
    refine_fully(partition, touching_arcs(graph))
    return partition


def is_equitable(graph: SimpleGraph, partition: Partition) -> bool:
    seen: dict[int, Counter[tuple[int, int]]] = {v: Counter() for v in range(graph.size)}
    for v, touched in enumerate(touching_arcs(graph)):
        seen[v].update((side, partition.start[w]) for side, w in touched)
    return all(seen[v] == seen[cell[0]] for cell in partition.cells() for v in cell)


def is_consistent(partition: Partition) -> bool:
    cells = list(partition.cells())
    starts = [partition.start[cell[0]] for cell in cells]
    return (
        sorted(partition.order) == list(range(len(partition.order)))
        and all(partition.start[v] == s for s, cell in zip(starts, cells, strict=True) for v in cell)
        and partition.length == {s: len(cell) for s, cell in zip(starts, cells, strict=True)}
        and partition.open == {s for s, cell in zip(starts, cells, strict=True) if len(cell) > 1}
    )


@settings(max_examples=100)
@given(patterned())
def test_refinement_is_equitable_and_keeps_orbits_together(graph: Graph) -> None:
    simple = simplify(graph)
    partition = refined(simple)
    assert is_equitable(simple, partition)
    assert is_consistent(partition)
    for orbit in orbits(Group(simple.size, moves=search_group(simple)[0])):
        assert len({partition.start[v] for v in orbit}) == 1


@settings(max_examples=60)
@given(patterned(), st.randoms(use_true_random=False))
def test_traces_do_not_depend_on_numbering(graph: Graph, random: object) -> None:
    g = list(range(graph.size))
    random.shuffle(g)  # type: ignore[attr-defined]
    here, there = simplify(graph), simplify(permute_graph(graph, g))
    p, q = colour_partition(here), colour_partition(there)
    assert refine_fully(p, touching_arcs(here)) == refine_fully(q, touching_arcs(there))
    assert [p.start[v] for v in range(graph.size)] == [q.start[g[v]] for v in range(graph.size)]


@settings(max_examples=60)
@given(patterned())
def test_undo_restores_the_cells(graph: Graph) -> None:
    simple = simplify(graph)
    partition, touching = refined(simple), touching_arcs(simple)
    start, length, mark = list(partition.start), dict(partition.length), len(partition.trail)
    while partition.open:
        tuple(individualise(partition, touching, partition.order[max(partition.open)]))
        assert is_equitable(simple, partition)
        assert is_consistent(partition)
    undo(partition, mark)
    assert (partition.start, partition.length) == (start, length)
    assert is_consistent(partition)


@pytest.mark.parametrize("seed", range(40))
def test_refinement_of_coloured_sparse_graphs_is_equitable(seed: int) -> None:
    """Several colours: cells are split while they wait to be used, and then all their parts must be used."""
    rng = Random(seed)
    colours = tuple(rng.randrange(4) for _ in range(30))
    arcs = {(rng.randrange(30), rng.randrange(30)): 0 for _ in range(25)}
    graph = SimpleGraph(colours, tuple(sorted((u, v, kind) for (u, v), kind in arcs.items())))
    assert is_equitable(graph, refined(graph))


def test_counts_in_both_directions_split() -> None:
    """0 -> 1 -> 2: each vertex is alone, although the middle and the last look alike by arcs that come in."""
    path = SimpleGraph((0, 0, 0), ((0, 1, 0), (1, 2, 0)))
    assert sorted(map(len, refined(path).cells())) == [1, 1, 1]


def check_reduction(graph: Graph) -> None:
    """With the threshold at 0 every graph is taken apart."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(automorphisms_module, "LARGE", 0)
        group = automorphisms(graph)
    generators, order = search_group(simplify(graph))
    assert group.known_order == order
    assert all(is_automorphism(graph, g) for g in group.generators)
    assert orbits(group) == orbits(Group(graph.size, moves=generators))
    assert closed_order(group) == closed_order(Group(graph.size, moves=generators))


def closed_order(group: Group, most: int = 2000) -> int:
    """The number of elements the generators produce, counted up to a bound."""
    found = {tuple(range(group.degree))}
    fresh = list(found)
    while fresh and len(found) < most:
        g = fresh.pop()
        images = {tuple(h[x] for x in g) for h in group.generators} - found
        found |= images
        fresh += images
    return min(len(found), most)


@settings(max_examples=150)
@given(patterned())
def test_taking_apart_changes_no_group(graph: Graph) -> None:
    check_reduction(graph)


@pytest.mark.soak
@settings(max_examples=3000)
@given(patterned())
def test_taking_apart_changes_no_group_on_many_graphs(graph: Graph) -> None:
    check_reduction(graph)


def test_twins_become_one_coloured_by_their_number() -> None:
    star = SimpleGraph((0, 1, 1, 1, 0, 1, 1), ((0, 1, 0), (0, 2, 0), (0, 3, 0), (4, 5, 0), (4, 6, 0)))
    reduced = collapse_twins(star)
    assert reduced.members == ((0,), (1, 2, 3), (4,), (5, 6))
    assert reduced.graph.arcs == ((0, 1, 0), (2, 3, 0))
    assert reduced.graph.colours[1] != reduced.graph.colours[3]


def test_matched_cells_are_contracted_and_independent_ones_parted() -> None:
    """Three arcs of colours 0 -> 1 and a directed square of colour 2: S3 on pairs, and C4."""
    pairs = tuple((v, v + 3, 0) for v in range(3))
    square = tuple((6 + i, 6 + (i + 1) % 4, 0) for i in range(4))
    found = factors(SimpleGraph((0, 0, 0, 1, 1, 1, 2, 2, 2, 2), pairs + square))
    assert [factor.members for factor in found] == [((0, 3), (1, 4), (2, 5)), ((6,), (7,), (8,), (9,))]
    assert [len(factor.graph.arcs) for factor in found] == [0, 4]


def test_complete_blocks_say_nothing() -> None:
    pairs = [(u, v) for u in range(4) for v in range(4)]
    apart, loops, every = (
        tuple((u, v, 0) for u, v in pairs if (u != v) in kept) for kept in ((True,), (False,), (True, False))
    )
    for arcs in (apart, loops, every):
        (factor,) = factors(SimpleGraph((0,) * 4, arcs))
        assert factor.graph.arcs == ()
    (mixed,) = factors(SimpleGraph((0,) * 4, tuple((u, v, int(u == v)) for u, v in pairs)))
    assert len(mixed.graph.arcs) == 12  # the loops are dropped, the other kind is not taken for complete


def test_a_map_of_two_to_one_is_no_matching() -> None:
    """Three couples, both of each pointing at a third: swapping a couple moves nothing else."""
    arcs = [(2 * i, 2 * i + 1, 0) for i in range(3)] + [(2 * i + 1, 2 * i, 0) for i in range(3)]
    arcs += [(v, 6 + v // 2, 0) for v in range(6)]
    graph = Graph((0,) * 6 + (1,) * 3, tuple(arcs))
    check_reduction(graph)
    assert automorphisms(graph).known_order == 2**3 * factorial(3)


def test_matchings_that_close_to_a_twist_are_kept() -> None:
    """Cells A -> B -> C -> A of three vertices each, the last matching turned by one: a directed 9-cycle, order 3."""
    arcs = [(i, i + 3, 0) for i in range(3)] + [(i + 3, i + 6, 0) for i in range(3)]
    arcs += [(i + 6, (i + 1) % 3, 0) for i in range(3)]
    graph = Graph((0,) * 3 + (1,) * 3 + (2,) * 3, tuple(arcs))
    check_reduction(graph)
    assert automorphisms(graph).known_order == 3


def test_large_tree_and_large_empty_graph_stay_small() -> None:
    """10^4 leaves in twos, and 2 * 10^4 vertices without arcs: dense generators would take gigabytes."""
    n = 5000
    twos = Graph((0,) * n + (1,) * 2 * n, tuple((v, n + 2 * v + i, 0) for v in range(n) for i in range(2)))
    assert automorphisms(twos).known_order == 2**n * factorial(n)
    empty = automorphisms(Graph((0,) * 20_000, ()))
    assert empty.known_order == factorial(20_000)
    assert len(empty.moves) == 19_999
