"""What BLISS and igraph get wrong, leave out or changed between versions, and the adapter makes good."""

from __future__ import annotations

import subprocess
import sys
from math import factorial

import pytest

from quorbit.graphs import automorphisms as automorphisms_module
from quorbit.graphs import canonical as canonical_module
from quorbit.graphs import igraph_adapter
from quorbit.graphs.automorphisms import automorphisms, automorphisms_on
from quorbit.graphs.canonical import are_isomorphic, canonical_form, canonical_labelling
from quorbit.graphs.graph import Graph, image, permute_graph
from quorbit.graphs.igraph_adapter import bliss_group, encode, lists_old_vertices
from quorbit.graphs.search import search_group
from quorbit.graphs.simple import simplify
from quorbit.groups.permutation import inverse


def order(graph: Graph) -> int | None:
    return automorphisms(graph).known_order


def test_multiplicity_of_arcs_counts() -> None:
    alike = Graph((0,) * 4, ((0, 1, 0), (2, 3, 0)))
    doubled = Graph((0,) * 4, ((0, 1, 0), (0, 1, 0), (2, 3, 0)))
    assert order(alike) == 2
    assert order(doubled) == 1
    assert not are_isomorphic(doubled, Graph((0,) * 4, ((0, 1, 0), (2, 3, 0), (2, 0, 0))))
    assert are_isomorphic(doubled, Graph((0,) * 4, ((0, 1, 0), (2, 3, 0), (2, 3, 0))))


def test_direction_of_arcs_counts() -> None:
    assert order(Graph((0, 0), ((0, 1, 0),))) == 1
    assert order(Graph((0, 0), ((0, 1, 0), (1, 0, 0)))) == 2
    cycle = Graph((0,) * 5, tuple((v, (v + 1) % 5, 0) for v in range(5)))
    assert order(cycle) == 5
    out_star, in_star = Graph((0,) * 3, ((0, 1, 0), (0, 2, 0))), Graph((0,) * 3, ((1, 0, 0), (2, 0, 0)))
    assert order(out_star) == order(in_star) == 2
    assert not are_isomorphic(out_star, in_star)


def test_parallel_arcs_with_labels_in_any_order() -> None:
    graph = Graph((0,) * 4, ((0, 1, 5), (0, 1, -3), (2, 3, -3), (2, 3, 5)))
    assert order(graph) == 2
    assert order(Graph((0,) * 4, ((0, 1, 5), (0, 1, -3), (2, 3, -3), (2, 3, 4)))) == 1
    assert order(Graph((0,) * 4, ((0, 1, 5), (0, 1, 5), (0, 1, -3), (2, 3, -3), (2, 3, -3), (2, 3, 5)))) == 1


def test_labels_count_where_colours_cannot_tell_them() -> None:
    square = tuple((v, (v + 1) % 4, 0) for v in range(4))
    assert order(Graph((0,) * 4, square)) == 4
    assert order(Graph((0,) * 4, (*square[:3], (3, 0, 1)))) == 1
    assert not are_isomorphic(Graph((0, 0), ((0, 1, 1),)), Graph((0, 0), ((0, 1, 2),)))


def test_loops_count() -> None:
    assert order(Graph((0,) * 3, ((0, 0, 0),))) == 2
    assert order(Graph((0,) * 3, ((0, 0, 0), (1, 1, 1)))) == 1


@pytest.mark.parametrize("far", [2**40, -(2**40), 10**30, -1])
def test_any_integer_is_a_colour_or_a_label(far: int) -> None:
    assert order(Graph((far, far, 0), ())) == 2
    assert order(Graph((far, far - 1, 0), ())) == 1
    assert order(Graph((0, 0, 0), ((0, 1, far), (1, 0, far), (2, 2, far + 1)))) == 2
    assert canonical_form(Graph((far, 0), ())) == canonical_form(Graph((0, far), ()))
    assert canonical_form(Graph((far, 0), ())) != canonical_form(Graph((far - 1, 0), ()))


@pytest.mark.parametrize("graph", [Graph((), ()), Graph((7,), ()), Graph((7,), ((0, 0, 3),))])
def test_trivial_graphs(graph: Graph) -> None:
    group = automorphisms(graph)
    assert (group.degree, group.generators, group.known_order) == (graph.size, (), 1)
    assert canonical_labelling(graph) == tuple(range(graph.size))
    assert automorphisms_on(graph, []).degree == 0
    assert search_group(simplify(graph)) == ([], 1)


def test_graphs_without_arcs_have_symmetric_groups() -> None:
    assert order(Graph((0,) * 9, ())) == factorial(9)
    assert order(Graph((0, 1) * 5, ())) == factorial(5) ** 2


def test_orders_of_more_than_4300_digits() -> None:
    assert order(Graph((0,) * 1800, ())) == factorial(1800) > 10**4300
    assert factorial(igraph_adapter.FEW_VERTICES) < 10**4299


def test_the_count_of_bliss_is_read_whatever_the_limit_on_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of 4300 digits in little: igraph passes the count on as decimal text."""
    graph = simplify(Graph((0,) * 400, ()))
    before = sys.get_int_max_str_digits()
    monkeypatch.setattr(igraph_adapter, "FEW_VERTICES", 0)
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(ValueError, match="limit"):
            encode(graph)[0].count_automorphisms()
        assert bliss_group(graph)[1] == factorial(400)
        assert sys.get_int_max_str_digits() == 640
    finally:
        sys.set_int_max_str_digits(before)


@pytest.mark.soak
def test_the_count_of_bliss_beyond_4300_digits() -> None:
    assert bliss_group(simplify(Graph((0,) * 1800, ())))[1] == factorial(1800)


def test_canonical_permutation_is_read_in_igraphs_own_convention() -> None:
    """All 24 numberings of a rigid graph have one form; applied the wrong way round the permutations give several."""
    rigid = Graph((0,) * 4, ((0, 1, 0), (1, 2, 0), (2, 3, 0), (0, 2, 0)))
    numberings = [(a, b, c, 6 - a - b - c) for a in range(4) for b in range(4) for c in range(4) if len({a, b, c}) == 3]
    forms = {canonical_form(permute_graph(rigid, g)) for g in numberings}
    wrong = {
        image(graph, inverse(canonical_labelling(graph))) for graph in (permute_graph(rigid, g) for g in numberings)
    }
    assert len(numberings) == 24
    assert len(forms) == 1
    assert len(wrong) > 1


@pytest.mark.parametrize("modern", [False, True])
def test_either_convention_would_do(monkeypatch: pytest.MonkeyPatch, modern: bool) -> None:
    """An igraph with the other meaning of permutations, simulated by inverting what it returns."""
    real, rigid = igraph_adapter.encode, Graph((0,) * 4, ((0, 1, 0), (1, 2, 0), (2, 3, 0), (0, 2, 0)))
    native = lists_old_vertices()

    class Other:
        def __init__(self, graph: object) -> None:
            self.graph = graph

        def canonical_permutation(self, color: list[int]) -> list[int]:
            found = self.graph.canonical_permutation(color=color)  # type: ignore[attr-defined]
            return found if modern == native else sorted(range(len(found)), key=found.__getitem__)

    monkeypatch.setattr(igraph_adapter, "encode", lambda graph: (Other(real(graph)[0]), real(graph)[1]))
    monkeypatch.setattr(igraph_adapter, "lists_old_vertices", lambda: modern)
    forms = {canonical_form(permute_graph(rigid, g)) for g in [(0, 1, 2, 3), (1, 2, 3, 0), (2, 0, 1, 3), (3, 0, 1, 2)]}
    assert len(forms) == 1


def test_one_vertex_per_arc_only_where_needed() -> None:
    plain = Graph((0,) * 3, ((0, 1, 4), (1, 2, 4)))
    by_colour = Graph((0, 1, 2), ((0, 1, 4), (1, 2, 5)))
    mixed = Graph((0,) * 3, ((0, 1, 4), (1, 2, 4), (2, 0, 5)))
    assert [encode(simplify(g))[0].vcount() for g in (plain, by_colour, mixed)] == [3, 3, 4]


def test_three_tier_diagram_is_quick_and_right() -> None:
    """Database, servers, clients: S4 wr S3, as a digraph all arcs of which point one way."""
    arcs, colours = [], [0]
    for _ in range(3):
        server = len(colours)
        colours.append(1)
        arcs.append((server, 0, 0))
        for _ in range(4):
            arcs.append((len(colours), server, 0))
            colours.append(2)
    graph = Graph(tuple(colours), tuple(arcs))
    assert order(graph) == factorial(4) ** 3 * factorial(3)
    assert search_group(simplify(graph))[1] == order(graph)
    servers = automorphisms_on(graph, [v for v, c in enumerate(colours) if c == 1])
    assert (servers.degree, servers.known_order) == (3, 6)


@pytest.mark.parametrize(("dimension", "expected"), [(3, 48), (4, 384), (5, 3840), (6, 46080)])
def test_hypercubes(dimension: int, expected: int) -> None:
    """The two-layer encoding of digraphs gives 23040 for the fifth."""
    n = 2**dimension
    graph = Graph((0,) * n, tuple((v, v ^ (1 << i), 0) for v in range(n) for i in range(dimension)))
    assert order(graph) == search_group(simplify(graph))[1] == expected


def test_the_action_must_stay_in_the_list() -> None:
    graph = Graph((0,) * 3, ())
    with pytest.raises(ValueError, match="union of orbits"):
        automorphisms_on(graph, [0, 1])
    with pytest.raises(ValueError, match="twice"):
        automorphisms_on(graph, [0, 0])


def test_own_search_stands_in_for_a_missing_igraph(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph((0, 0, 0, 1), ((0, 3, 0), (1, 3, 0), (2, 3, 1)))
    expected = automorphisms(graph)
    for module in (automorphisms_module, canonical_module):
        monkeypatch.setattr(module, "is_available", lambda: False)
    monkeypatch.delattr(igraph_adapter, "encode")
    assert automorphisms(graph) == expected
    assert automorphisms(graph).known_order == 2
    assert canonical_form(graph) == canonical_form(permute_graph(graph, (3, 0, 2, 1)))


def test_igraph_is_imported_on_first_use_only() -> None:
    code = "import sys, quorbit.graphs.automorphisms, quorbit.graphs.canonical; sys.exit('igraph' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_only_the_compiled_part_of_igraph_is_loaded_and_the_package_can_follow() -> None:
    code = """
import sys
from quorbit.graphs.automorphisms import automorphisms
from quorbit.graphs.graph import Graph
from quorbit.graphs.igraph_adapter import graph_base
assert automorphisms(Graph((0, 0, 1), ((0, 2, 0), (1, 2, 0)))).known_order == 2
assert "igraph" not in sys.modules, "the whole package was loaded"
import igraph
assert igraph.GraphBase is graph_base()
assert igraph.Graph.Ring(5).count_automorphisms() == 10
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
