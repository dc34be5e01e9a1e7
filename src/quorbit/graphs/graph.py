"""Coloured digraphs with labelled arcs, and a builder that numbers colours and labels given as names.

A graph has the vertices 0..n-1, each with an integer colour, and a multiset of arcs (from, to, label).  Colours, labels
and multiplicities are what an isomorphism must preserve; loops and arcs in both directions are allowed.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise

from quorbit.source.frozen import field, frozen, mutable

__all__ = ["Graph", "GraphBuilder"]

Arc = tuple[int, int, int]


@frozen
class Graph:
    """A coloured digraph; the names, if present, say what colour c and label k stood for when it was built."""

    colours: tuple[int, ...]
    arcs: tuple[Arc, ...]
    colour_names: tuple[Hashable, ...] = ()
    label_names: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.colours)
        for u, v, _ in self.arcs:
            if not (0 <= u < n and 0 <= v < n):
                raise ValueError(f"the arc {u} -> {v} leaves the vertices 0..{n - 1}")

    @property
    def size(self) -> int:
        """The number of vertices."""
        return len(self.colours)


@mutable
class GraphBuilder:
    """Collects vertices and arcs whose colours and labels are names (any hashable values), then builds the Graph.

    Names are numbered in the order of `name_key`, so two builders that used equal sets of names agree on the numbers
    whatever the order of use; where the sets differ the name tables differ, and with them the canonical forms.
    """

    colours: list[Hashable] = field(default_factory=list)
    arcs: list[tuple[int, int, Hashable]] = field(default_factory=list)

    def vertex(self, colour: Hashable) -> int:
        """Add a vertex; its number."""
        self.colours.append(colour)
        return len(self.colours) - 1

    def arc(self, u: int, v: int, label: Hashable = 0) -> None:
        """Add an arc from u to v; adding it twice is a double arc."""
        self.arcs.append((u, v, label))

    def build(self) -> Graph:
        """The graph of all vertices and arcs added so far."""
        colour_names = ordered_names(self.colours)
        label_names = ordered_names(label for _, _, label in self.arcs)
        colour = {name: i for i, name in enumerate(colour_names)}
        label = {name: i for i, name in enumerate(label_names)}
        return Graph(
            tuple(colour[c] for c in self.colours),
            tuple((u, v, label[k]) for u, v, k in self.arcs),
            colour_names,
            label_names,
        )


def ordered_names(names: Iterable[Hashable]) -> tuple[Hashable, ...]:
    """The different names in the order of their keys; requires that different names have different keys."""
    distinct = sorted(dict.fromkeys(names), key=name_key)
    for a, b in pairwise(distinct):
        if name_key(a) == name_key(b):
            raise ValueError(f"two different names print alike: {a!r}")
    return tuple(distinct)


def name_key(name: Hashable) -> str:
    """A text to sort names by; the same in every run, for which sets are taken apart (their repr follows the hash)."""
    match name:
        case tuple():
            return "(" + ", ".join(name_key(part) for part in name) + ")"
        case frozenset():
            return "{" + ", ".join(sorted(name_key(part) for part in name)) + "}"
        case bool() | int():
            return repr(int(name))  # True and 1 are equal, hence one name
        case _:
            return repr(name)


def permute_graph(graph: Graph, g: Sequence[int]) -> Graph:
    """The image of the graph: vertex v becomes g[v], its arcs go along; arcs come out sorted."""
    return Graph(*image(graph, g), graph.colour_names, graph.label_names)


def image(graph: Graph, g: Sequence[int]) -> tuple[tuple[int, ...], tuple[Arc, ...]]:
    """Colours and sorted arcs of the permuted graph."""
    colours = [0] * graph.size
    for v, colour in enumerate(graph.colours):
        colours[g[v]] = colour
    return tuple(colours), tuple(sorted([(g[u], g[v], label) for u, v, label in graph.arcs]))


def is_automorphism(graph: Graph, g: Sequence[int]) -> bool:
    """Whether g preserves colours and arcs with labels and multiplicities."""
    is_permutation = sorted(g) == list(range(graph.size))
    return is_permutation and image(graph, g) == (graph.colours, tuple(sorted(graph.arcs)))
