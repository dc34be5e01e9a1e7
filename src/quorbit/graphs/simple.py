"""A graph without parallel arcs: what runs from u to v, labels and multiplicities, becomes one *kind* of arc.

Search tools ignore multiplicity and know no labels on arcs; a kind carries both.  Colours and kinds are numbered by
rank, so isomorphic graphs get the same numbers and any Python int, however large or negative, is a colour.
"""

from __future__ import annotations

from collections import defaultdict

from quorbit.graphs.graph import Arc, Graph
from quorbit.source.frozen import frozen

Kind = tuple[tuple[int, int], ...]  # the labels from u to v in order, each with its multiplicity


@frozen
class SimpleGraph:
    """Vertices with colours 0..c-1, at most one arc (from, to, kind) per ordered pair, kinds 0..k-1, arcs sorted."""

    colours: tuple[int, ...]
    arcs: tuple[Arc, ...]

    @property
    def size(self) -> int:
        """The number of vertices."""
        return len(self.colours)


def simplify(graph: Graph) -> SimpleGraph:
    """The same vertices with the same automorphisms; isomorphic graphs become isomorphic simple graphs."""
    kinds = kinds_of(graph)
    number = {kind: i for i, kind in enumerate(sorted(set(kinds.values())))}
    rank = {colour: i for i, colour in enumerate(sorted(set(graph.colours)))}
    arcs = tuple((u, v, number[kind]) for (u, v), kind in sorted(kinds.items()))
    return SimpleGraph(tuple(rank[c] for c in graph.colours), arcs)


def kinds_of(graph: Graph) -> dict[tuple[int, int], Kind]:
    """For each ordered pair that is joined at all, what joins it."""
    labels: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for u, v, label in graph.arcs:
        labels[u, v].append(label)
    return {pair: kind_of(found) for pair, found in labels.items()}


def kind_of(labels: list[int]) -> Kind:
    """Labels with repetition as sorted (label, multiplicity) pairs."""
    if len(labels) == 1:
        return ((labels[0], 1),)
    return tuple((label, labels.count(label)) for label in sorted(set(labels)))
