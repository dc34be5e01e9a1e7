"""The automorphism group of a coloured digraph, whole or as it acts on some of the vertices, with its exact order."""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.graphs.graph import Graph
from quorbit.graphs.igraph_adapter import bliss_group, bliss_order, is_available
from quorbit.graphs.search import search_group
from quorbit.graphs.simple import SimpleGraph, simplify
from quorbit.groups.group import Group, relabel, with_order


def automorphisms(graph: Graph) -> Group:
    """The group of all permutations of the vertices that preserve colours, labels and multiplicities."""
    return group_of(simplify(graph))


def automorphisms_on(graph: Graph, vertices: Sequence[int]) -> Group:
    """The automorphism group as it acts on the listed vertices: point i of the result is vertices[i].

    The order is exact: that of the whole group divided by that of the kernel, the automorphisms which fix every listed
    vertex.  Raises ValueError if an automorphism leads out of the list, for then there is no such action; colours that
    the other vertices do not have prevent it.
    """
    if len(set(vertices)) < len(vertices):
        raise ValueError("a vertex is listed twice")
    simple = simplify(graph)
    whole = group_of(simple)
    action = relabel(whole, vertices)
    if action.is_trivial or whole.known_order is None:
        return action
    return with_order(action, whole.known_order // kernel_order(simple, vertices))


def kernel_order(graph: SimpleGraph, fixed: Sequence[int]) -> int:
    """The number of automorphisms that fix each of the given vertices: those of the graph that colours each apart."""
    colours = list(graph.colours)
    first = max(colours, default=-1) + 1
    for i, v in enumerate(fixed):
        colours[v] = first + i
    return order_of(SimpleGraph(tuple(colours), graph.arcs))


def group_of(graph: SimpleGraph) -> Group:
    """The whole group, by BLISS where it is installed."""
    generators, order = bliss_group(graph) if is_available() else search_group(graph)
    return Group(graph.size, moves=generators, known_order=order)


def order_of(graph: SimpleGraph) -> int:
    """The order alone."""
    return bliss_order(graph) if is_available() else search_group(graph)[1]
