"""Canonical labellings and forms of coloured digraphs.

Forms are for comparing within one run: they depend on the version of the search behind them and are not to be stored.
"""

from __future__ import annotations

from collections.abc import Hashable

from quorbit.graphs.graph import Graph, image
from quorbit.graphs.igraph_adapter import bliss_labelling, is_available
from quorbit.graphs.search import search_labelling
from quorbit.graphs.simple import simplify
from quorbit.groups.permutation import Permutation

__all__ = ["canonical_form", "canonical_labelling"]


def canonical_form(graph: Graph) -> tuple[Hashable, ...]:
    """A value equal for two graphs iff they are isomorphic with colours, labels, multiplicities and names respected."""
    colours, arcs = image(graph, canonical_labelling(graph))
    return colours, arcs, graph.colour_names, graph.label_names


def canonical_labelling(graph: Graph) -> Permutation:
    """A permutation p (vertex v goes to p[v]) whose image of the graph is the same for all isomorphic graphs."""
    simple = simplify(graph)
    return bliss_labelling(simple) if is_available() else search_labelling(simple)


def are_isomorphic(graph: Graph, other: Graph) -> bool:
    """Whether some bijection of the vertices takes one graph to the other."""
    return tally(graph) == tally(other) and canonical_form(graph) == canonical_form(other)


def tally(graph: Graph) -> tuple[list[int], list[int]]:
    """Colours and labels in order: what tells most graphs apart at once."""
    return sorted(graph.colours), sorted(label for _, _, label in graph.arcs)
