"""On random small coloured labelled digraphs the adapter, the own search and brute force agree."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorbit.graphs.automorphisms import automorphisms, automorphisms_on
from quorbit.graphs.canonical import are_isomorphic, canonical_form, canonical_labelling
from quorbit.graphs.graph import Graph, is_automorphism, permute_graph
from quorbit.graphs.igraph_adapter import bliss_group
from quorbit.graphs.search import search_group, search_labelling
from quorbit.graphs.simple import simplify
from quorbit.groups.group import Group, orbits


@st.composite
def graphs(draw: st.DrawFn, most: int = 6) -> Graph:
    """Few colours and labels, so that symmetry is common; loops, parallel and doubled arcs included."""
    n = draw(st.integers(0, most))
    colours = draw(st.lists(st.sampled_from([0, 0, 0, -5]), min_size=n, max_size=n))
    arc = st.tuples(st.integers(0, max(n - 1, 0)), st.integers(0, max(n - 1, 0)), st.sampled_from([0, 0, 7]))
    return Graph(tuple(colours), tuple(draw(st.lists(arc, max_size=2 * n))) if n else ())


@st.composite
def symmetric_graphs(draw: st.DrawFn) -> Graph:
    """Copies of a small graph, all joined to one hub in some way: large groups."""
    part, copies = draw(graphs(3)), draw(st.integers(1, 3))
    size = part.size
    colours = part.colours * copies + (9,)
    arcs = [(u + c * size, v + c * size, k) for c in range(copies) for u, v, k in part.arcs]
    if size and draw(st.booleans()):
        arcs += [(c * size, len(colours) - 1, 3) for c in range(copies)]
    return Graph(colours, tuple(arcs))


def brute_force(graph: Graph) -> set[tuple[int, ...]]:
    return {g for g in permutations(range(graph.size)) if is_automorphism(graph, g)}


def elements(group: Group) -> set[tuple[int, ...]]:
    """The closure of the generators."""
    found = {tuple(range(group.degree))}
    fresh = list(found)
    while fresh:
        g = fresh.pop()
        for h in group.generators:
            image = tuple(h[x] for x in g)
            if image not in found:
                found.add(image)
                fresh.append(image)
    return found


def check_groups(graph: Graph) -> None:
    expected = brute_force(graph)
    simple = simplify(graph)
    for generators, order in (bliss_group(simple), search_group(simple)):
        assert order == len(expected)
        assert elements(Group(graph.size, moves=generators)) == expected


def check_forms(graph: Graph, g: tuple[int, ...]) -> None:
    image = permute_graph(graph, g)
    for label in (canonical_labelling, lambda x: search_labelling(simplify(x))):
        p, q = label(graph), label(image)
        assert sorted(p) == list(range(graph.size))
        assert permute_graph(graph, p) == permute_graph(image, q)


@settings(max_examples=60)
@given(graphs() | symmetric_graphs().filter(lambda g: g.size <= 7))
def test_groups_agree_with_brute_force(graph: Graph) -> None:
    check_groups(graph)


@settings(max_examples=100)
@given((graphs(9) | symmetric_graphs()).flatmap(lambda g: st.tuples(st.just(g), st.permutations(range(g.size)))))
def test_forms_do_not_depend_on_numbering(case: tuple[Graph, list[int]]) -> None:
    check_forms(case[0], tuple(case[1]))


@pytest.mark.soak
@settings(max_examples=3000)
@given((graphs() | symmetric_graphs()).flatmap(lambda g: st.tuples(st.just(g), st.permutations(range(g.size)))))
def test_all_of_it_on_many_graphs(case: tuple[Graph, list[int]]) -> None:
    graph, g = case
    check_forms(graph, tuple(g))
    assert bliss_group(simplify(graph))[1] == search_group(simplify(graph))[1]
    if graph.size <= 7:
        check_groups(graph)


def test_forms_tell_all_digraphs_on_three_vertices_apart() -> None:
    """Every digraph with loops on three vertices: as many forms as isomorphism classes (104), by both searches."""
    pairs = list(product(range(3), repeat=2))
    all_graphs = [
        Graph((0, 0, 0), tuple((u, v, 0) for (u, v), on in zip(pairs, bits, strict=True) if on))
        for bits in product((0, 1), repeat=9)
    ]
    own = {permute_graph(g, search_labelling(simplify(g))) for g in all_graphs}
    assert len({canonical_form(g) for g in all_graphs}) == len(own) == 104


@settings(max_examples=100)
@given(graphs(4), graphs(4))
def test_equal_forms_mean_isomorphic(graph: Graph, other: Graph) -> None:
    def shape(g: Graph) -> tuple[object, object]:
        return g.colours, sorted(g.arcs)

    images = [permute_graph(graph, g) for g in permutations(range(graph.size))]
    expected = any(shape(image) == shape(other) for image in images)
    assert are_isomorphic(graph, other) == expected
    assert (canonical_form(graph) == canonical_form(other)) == expected


@settings(max_examples=60)
@given(graphs())
def test_restriction_to_a_colour_is_the_brute_force_action(graph: Graph) -> None:
    listed = [v for v in reversed(range(graph.size)) if graph.colours[v] == 0]
    group = automorphisms_on(graph, listed)
    expected = {tuple(listed.index(g[v]) for v in listed) for g in brute_force(graph)}
    assert elements(group) == expected
    assert group.known_order == len(expected)
    assert tuple(range(len(listed))) not in group.generators


@settings(max_examples=100)
@given(symmetric_graphs())
def test_both_searches_give_the_same_group_of_symmetric_graphs(graph: Graph) -> None:
    group = automorphisms(graph)
    generators, order = search_group(simplify(graph))
    own = Group(graph.size, moves=generators)
    assert group.known_order == order
    assert all(is_automorphism(graph, g) for g in group.generators + own.generators)
    assert {frozenset(orbit) for orbit in orbits(group)} == {frozenset(orbit) for orbit in orbits(own)}
