"""The automorphism group of a coloured digraph, whole or as it acts on some of the vertices, with its exact order."""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.graphs.graph import Graph
from quorbit.graphs.igraph_adapter import bliss_group, bliss_order, is_available
from quorbit.graphs.reduce import collapse_twins, factors, lift, symmetric_moves
from quorbit.graphs.search import search_group
from quorbit.graphs.simple import SimpleGraph, simplify
from quorbit.groups.group import Group, relabel, with_order

__all__ = ["automorphisms", "automorphisms_on"]

LARGE = 5000  # vertices; below, BLISS is quicker than any preparation
HUGE = 50_000  # vertices; below, BLISS counts with little preparation


def automorphisms(graph: Graph) -> Group:
    """The group of all permutations of the vertices that preserve colours, labels and multiplicities."""
    return group_of(simplify(graph))


def automorphisms_on(graph: Graph, vertices: Sequence[int], faithful: bool = False) -> Group:
    """The automorphism group as it acts on the listed vertices: point i of the result is vertices[i].

    The order is exact: that of the whole group divided by that of the kernel, the automorphisms which fix every listed
    vertex.  Raises ValueError if an automorphism leads out of the list, for then there is no such action; colours that
    the other vertices do not have prevent it.  ``faithful``: the caller knows that the kernel is trivial.
    """
    if len(set(vertices)) < len(vertices):
        raise ValueError("a vertex is listed twice")
    simple = simplify(graph)
    whole = group_of(simple)
    action = relabel(whole, vertices)
    if action.known_order is not None:  # trivial, or nothing but listed vertices moves
        return action
    return with_order(action, exact_order(whole) // (1 if faithful else kernel_order(simple, vertices)))


def kernel_order(graph: SimpleGraph, fixed: Sequence[int]) -> int:
    """The number of automorphisms that fix each of the given vertices: those of the graph that colours each apart."""
    colours = list(graph.colours)
    first = max(colours, default=-1) + 1
    for i, v in enumerate(fixed):
        colours[v] = first + i
    apart = SimpleGraph(tuple(colours), graph.arcs)
    if graph.size >= HUGE or not is_available():
        return exact_order(group_of(apart))
    twinless = collapse_twins(apart)  # colours that fix many vertices leave BLISS little else to do
    return symmetric_moves(twinless.members)[1] * bliss_order(twinless.graph)


def group_of(graph: SimpleGraph) -> Group:
    """The whole group; a large graph is taken apart first."""
    if graph.size < LARGE:
        return searched_group(graph)
    twinless = collapse_twins(graph)
    generators, order = symmetric_moves(twinless.members)
    for factor in factors(twinless.graph):
        group = factor_group(factor.graph, graph.size)
        order *= exact_order(group)
        for moves in group.moves:
            generators.append(lift(lift(moves, factor.members), twinless.members))
    return Group(graph.size, moves=generators, known_order=order)


def factor_group(graph: SimpleGraph, whole_size: int) -> Group:
    """The group of a factor, taken apart again if it is smaller by a tenth than the whole (so the depth is small)."""
    if not graph.arcs and len(set(graph.colours)) == 1:
        generators, order = symmetric_moves([tuple(range(graph.size))])
        return Group(graph.size, moves=generators, known_order=order)
    return group_of(graph) if 10 * graph.size <= 9 * whole_size else searched_group(graph)


def searched_group(graph: SimpleGraph) -> Group:
    """The whole group, by BLISS where it is installed."""
    generators, order = bliss_group(graph) if is_available() else search_group(graph)
    return Group(graph.size, moves=generators, known_order=order)


def exact_order(group: Group) -> int:
    """The order, which every search here tells."""
    assert group.known_order is not None
    return group.known_order
