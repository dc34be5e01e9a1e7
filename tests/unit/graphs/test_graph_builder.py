"""Graphs from names: what the builder numbers and what it refuses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quorbit.graphs.automorphisms import automorphisms
from quorbit.graphs.canonical import are_isomorphic, canonical_form
from quorbit.graphs.graph import Graph, GraphBuilder, is_automorphism, name_key, permute_graph


def chain(names: list[object], labels: list[object]) -> Graph:
    builder = GraphBuilder()
    vertices = [builder.vertex(name) for name in names]
    for u, v, label in zip(vertices, vertices[1:], labels, strict=False):
        builder.arc(u, v, label)
    return builder.build()


def test_numbers_follow_the_names_not_the_order_of_use() -> None:
    forth = chain(["a", "b", "c"], ["x", "y"])
    builder = GraphBuilder()
    c, b, a = builder.vertex("c"), builder.vertex("b"), builder.vertex("a")
    builder.arc(b, c, "y")
    builder.arc(a, b, "x")
    assert builder.build().colour_names == forth.colour_names == ("a", "b", "c")
    assert are_isomorphic(forth, builder.build())


def test_other_names_are_other_colours() -> None:
    """The numbers alone would agree."""
    assert chain(["a", "b"], ["x"]).colours == chain(["a", "c"], ["x"]).colours
    assert not are_isomorphic(chain(["a", "b"], ["x"]), chain(["a", "c"], ["x"]))
    assert canonical_form(chain(["a", "b"], ["x"])) != canonical_form(chain(["a", "b"], ["y"]))


def test_names_of_many_types() -> None:
    names: list[object] = [("op", "+"), frozenset({"p", "q"}), None, 3, "3", (1, (2, "z")), 2.5, b"3"]
    graph = chain(names, [0] * 7)
    assert [graph.colour_names[c] for c in graph.colours] == names
    assert len(set(graph.colours)) == len(names)


def test_equal_names_are_one_colour() -> None:
    assert len(chain([True, 1, 1.0], [0, 0]).colour_names) == 1


def test_sets_are_sorted_by_content() -> None:
    words = [f"w{i}" for i in range(20)]
    assert name_key(frozenset(words)) == name_key(frozenset(reversed(words)))
    assert name_key(frozenset({"b", "a"})) == "{'a', 'b'}"


def test_names_that_print_alike_are_refused() -> None:
    class Silent:
        def __repr__(self) -> str:
            return "?"

    with pytest.raises(ValueError, match="print alike"):
        chain([Silent(), Silent()], [0])


def test_arcs_stay_within_the_vertices() -> None:
    with pytest.raises(ValueError, match="0 -> 2"):
        Graph((0, 0), ((0, 2, 0),))
    with pytest.raises(ValueError, match="-1 -> 0"):
        Graph((0, 0), ((-1, 0, 0),))


def test_default_label_and_double_arcs() -> None:
    builder = GraphBuilder()
    a, b, c = (builder.vertex("v") for _ in range(3))
    builder.arc(a, b)
    builder.arc(a, b)
    builder.arc(a, c)
    assert builder.build().arcs == ((0, 1, 0), (0, 1, 0), (0, 2, 0))
    assert automorphisms(builder.build()).known_order == 1


def test_graphs_are_values() -> None:
    assert chain(["a"], []) == chain(["a"], [])
    assert len({chain(["a"], []), chain(["a"], [])}) == 1


@given(st.permutations(range(4)))
def test_permuting_moves_colours_and_arcs(g: list[int]) -> None:
    graph = Graph((4, 5, 6, 7), ((0, 1, 8), (1, 2, 9)))
    image = permute_graph(graph, g)
    assert all(image.colours[g[v]] == graph.colours[v] for v in range(4))
    assert set(image.arcs) == {(g[0], g[1], 8), (g[1], g[2], 9)}
    assert is_automorphism(graph, g) == (g == [0, 1, 2, 3])


def test_only_permutations_are_automorphisms() -> None:
    assert not is_automorphism(Graph((0, 0), ()), (0, 0))
    assert is_automorphism(Graph((0, 0), ()), (1, 0))
