"""The search of [M97, Figure 6.1]: partial mappings are extended or refuted as the automorphism group says."""

from __future__ import annotations

import random

import pytest

from quorbit.detection.netlists.search import search_automorphism
from quorbit.graphs.automorphisms import automorphisms
from quorbit.graphs.graph import Graph, is_automorphism
from quorbit.groups.chain import build_chain, elements


def cycle(n: int) -> Graph:
    return Graph((0,) * n, tuple((i, (i + 1) % n, 0) for i in range(n)))


def test_a_directed_cycle_is_turned_without_a_choice() -> None:
    found = search_automorphism(cycle(6), {0: 4})
    assert found.automorphism == (4, 5, 0, 1, 2, 3)
    assert (found.backtracks, found.choices) == (0, 0)
    assert search_automorphism(cycle(6), {0: 1, 1: 0}).automorphism is None


def test_the_first_automorphism_of_free_vertices_needs_choices_but_no_way_back() -> None:
    found = search_automorphism(Graph((0,) * 4, ()), {0: 2})
    assert found.automorphism is not None
    assert found.automorphism[0] == 2
    assert (found.backtracks, found.largest) == (0, 3)


@pytest.mark.parametrize("seed", range(40))
def test_mappings_are_extended_exactly_if_the_group_has_such_an_element(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randint(2, 6)
    colours = tuple(rng.randrange(2) for _ in range(n))
    arcs = tuple((u, v, rng.randrange(2)) for u in range(n) for v in range(n) for _ in range(2) if rng.random() < 0.2)
    graph = Graph(colours, arcs)
    group = set(elements(build_chain(automorphisms(graph))))
    for v in range(n):
        for w in range(n):
            found = search_automorphism(graph, {v: w}).automorphism
            assert (found is not None) == any(g[v] == w for g in group)
            assert found is None or (is_automorphism(graph, found) and found[v] == w)
