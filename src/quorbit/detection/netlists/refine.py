"""How far refinement splits the vertices of a graph: the statistics of [M97, Table 7.1].

c colours at first; c1 after in- and out-degrees; c2 after the in-degrees of the fan-in and the out-degrees of the
fan-out (the text has fan-out for both, but the table's numbers arise from this); cf after neighbours' colours until
nothing splits, which takes ``iterations`` rounds that split something.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from quorbit.graphs.graph import Graph
from quorbit.source.frozen import frozen

__all__ = ["Refinement", "refine"]


@frozen
class Refinement:
    vertices: int
    edges: int
    c: int
    c1: int
    c2: int
    cf: int
    iterations: int
    classes: tuple[int, ...]  # the final colour of every vertex

    @property
    def row(self) -> tuple[int, ...]:
        """As in Table 7.1: n, m, c, c1, c2, cf, iter."""
        return (self.vertices, self.edges, self.c, self.c1, self.c2, self.cf, self.iterations)


def refine(graph: Graph) -> Refinement:
    before: list[list[int]] = [[] for _ in graph.colours]
    after: list[list[int]] = [[] for _ in graph.colours]
    for u, v, _ in graph.arcs:
        after[u].append(v)
        before[v].append(u)
    points = range(graph.size)
    colours = number(graph.colours)
    first = count(colours)
    colours = number([(colours[v], len(before[v]), len(after[v])) for v in points])
    second = count(colours)
    fan_in = [tuple(sorted(len(before[u]) for u in before[v])) for v in points]
    fan_out = [tuple(sorted(len(after[u]) for u in after[v])) for v in points]
    colours = number(list(zip(colours, fan_in, fan_out, strict=True)))
    third = count(colours)
    colours, rounds = stabilise(colours, before, after)
    return Refinement(graph.size, len(graph.arcs), first, second, third, count(colours), rounds, tuple(colours))


def stabilise(colours: list[int], before: list[list[int]], after: list[list[int]]) -> tuple[list[int], int]:
    """Colour by the colours of the neighbours, both ways, as long as that splits a class."""
    rounds = 0
    while True:
        keys = [
            (colours[v], tuple(sorted(colours[u] for u in before[v])), tuple(sorted(colours[u] for u in after[v])))
            for v in range(len(colours))
        ]
        finer = number(keys)
        if count(finer) == count(colours):
            return colours, rounds
        colours, rounds = finer, rounds + 1


def number(keys: Sequence[Hashable]) -> list[int]:
    """Equal keys get equal numbers, in the order of first occurrence."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys]


def count(colours: Sequence[int]) -> int:
    return max(colours, default=-1) + 1
