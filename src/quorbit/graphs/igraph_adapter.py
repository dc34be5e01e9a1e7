"""The one place that speaks to igraph, whose BLISS finds automorphisms and canonical labellings of coloured digraphs.

What BLISS does not know is encoded: arcs of a kind other than the usual one between their end colours pass through a
vertex of their own, coloured by the kind.  igraph is loaded on first use, and of it only the compiled part: drawing,
clustering and the rest of the package would take more time than all else in a short run.

Traps covered: multiplicity is ignored by BLISS (see simple.py); colours must be small ints (ranks are); the meaning of
a permutation in `permute_vertices` and `canonical_permutation` differs between igraph 0.11 and 1.0 (read off once);
`count_automorphisms` goes through decimal text and meets Python's limit of 4300 digits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any

from quorbit.graphs.graph import Arc
from quorbit.graphs.simple import SimpleGraph
from quorbit.groups.moves import Moves
from quorbit.groups.permutation import Permutation, inverse
from quorbit.source.compiled_part import load_compiled

# n! has fewer than 4300 digits below this number of vertices, so the limit on int conversion cannot be met.
FEW_VERTICES = 1400


@cache
def is_available() -> bool:
    """Whether igraph is installed."""
    return find_spec("igraph") is not None


@cache
def graph_base() -> Any:
    """The class ``igraph.GraphBase``, thirty times quicker to make than ``igraph.Graph``."""
    if (compiled := load_compiled("igraph", "_igraph")) is not None:
        return compiled.GraphBase
    from igraph import GraphBase

    return GraphBase


def bliss_group(graph: SimpleGraph) -> tuple[list[Moves], int]:
    """Generators of the automorphism group and its exact order."""
    if graph.size == 0:
        return [], 1
    encoded, colours = encode(graph)
    dense = encoded.automorphism_group(color=colours)
    generators = []
    while dense:  # each dense list is freed as soon as its moves are known
        generators.append(moves_below(dense.pop(), graph.size))
    generators.reverse()
    return generators, count_exactly(encoded, colours) if generators else 1


def bliss_order(graph: SimpleGraph) -> int:
    """The exact order of the automorphism group, without its generators."""
    return count_exactly(*encode(graph)) if graph.size else 1


def count_exactly(encoded: Any, colours: list[int]) -> int:
    """The number of automorphisms, of any number of digits."""
    if len(colours) < FEW_VERTICES:
        return int(encoded.count_automorphisms(color=colours))
    with unlimited_digits():
        return int(encoded.count_automorphisms(color=colours))


def bliss_labelling(graph: SimpleGraph) -> Permutation:
    """A permutation that takes the graph to a form equal for all isomorphic graphs; vertex v goes to the v-th entry."""
    if graph.size == 0:
        return ()
    encoded, colours = encode(graph)
    found = tuple(encoded.canonical_permutation(color=colours))
    position = inverse(found) if lists_old_vertices() else found
    # Vertices of arcs drop out; the order among the others is as canonical as the whole.
    order = sorted(range(graph.size), key=position.__getitem__)
    return inverse(tuple(order))


def encode(graph: SimpleGraph) -> tuple[Any, list[int]]:
    """The igraph digraph and its colours: the graph's vertices first, then one per arc of an unusual kind."""
    plain = usual_kinds(graph)
    colour = graph.colours
    first = max(colour, default=-1) + 1
    colours = list(colour)
    edges: list[tuple[int, int]] = []
    for u, v, kind in graph.arcs:
        if plain[colour[u], colour[v]] == kind:
            edges.append((u, v))
        else:
            middle = len(colours)
            colours.append(first + kind)
            edges += [(u, middle), (middle, v)]
    return graph_base()(n=len(colours), edges=edges, directed=True), colours


def usual_kinds(graph: SimpleGraph) -> dict[tuple[int, int], int]:
    """For each pair of colours the most frequent kind of arc between them, the least if several are.

    A plain arc then means the usual kind of its end colours, which every isomorphism preserves.
    """
    counts: dict[Arc, int] = {}
    for u, v, kind in graph.arcs:
        key = graph.colours[u], graph.colours[v], kind
        counts[key] = counts.get(key, 0) + 1
    usual: dict[tuple[int, int], tuple[int, int]] = {}
    for (c, d, kind), count in counts.items():
        usual[c, d] = min(usual.get((c, d), (0, 0)), (-count, kind))
    return {pair: kind for pair, (_, kind) in usual.items()}


@cache
def lists_old_vertices() -> bool:
    """Whether a permutation handed to `permute_vertices` lists old vertices by new place (1.0) or the reverse (0.11).

    `canonical_permutation` is made for `permute_vertices` in both, so the meaning of the one settles the other.  Three
    vertices are needed: on two every permutation is its own inverse.
    """
    path = graph_base()(n=3, edges=[(0, 1), (1, 2)], directed=True)
    moved = set(path.permute_vertices([1, 2, 0]).get_edgelist())
    return moved == {(2, 0), (0, 1)}


def moves_below(dense: Sequence[int], size: int) -> Moves:
    """The points below size that a dense permutation moves, with their images."""
    return tuple((v, dense[v]) for v in range(size) if dense[v] != v)


@contextmanager
def unlimited_digits() -> Iterator[None]:
    """Lift Python's limit on int-to-text conversion, where this Python has one, for the time of one call."""
    if not hasattr(sys, "set_int_max_str_digits"):
        yield
        return
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)
