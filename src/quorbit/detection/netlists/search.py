"""Extend a partial mapping of vertices to an automorphism, or refute it: SEARCH_AUTOMORPHISM of [M97, Figure 6.1].

A *bipartition* is a list of pairs (V_i, W_i) of equally large sets: V_i must be mapped onto W_i.  A pair of single
vertices is propagated to the neighbours (bounding); when nothing is left to propagate and some pair is larger, one
vertex of the smallest is mapped to each candidate in turn (branching).  The counts are those of Table 7.2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from quorbit.detection.netlists.refine import refine
from quorbit.graphs.graph import Graph
from quorbit.groups.permutation import Permutation
from quorbit.source.frozen import field, mutable

__all__ = ["Search", "search_automorphism"]

Neighbours = list[dict[object, Counter[int]]]  # for each vertex: by direction and label, how often which neighbour


@mutable
class Search:
    """The automorphism, if there is one, and how much work it was."""

    automorphism: Permutation | None = None
    backtracks: int = 0
    largest: int = 0  # the largest set that a branching step chose from
    choices: int = 0


@mutable
class Bipartition:
    left: list[int]  # the number of the pair each vertex belongs to as an argument
    right: list[int]  # and as an image
    sets: dict[int, tuple[set[int], set[int]]] = field(default_factory=dict)

    def copy(self) -> Bipartition:
        sets = {i: (set(v), set(w)) for i, (v, w) in self.sets.items()}
        return Bipartition(list(self.left), list(self.right), sets)

    def split(self, i: int, some: set[int], images: set[int]) -> bool:
        """Map these members of pair i onto these; whether the sizes allow it."""
        v, w = self.sets[i]
        if len(some) != len(images):
            return False
        if 0 < len(some) < len(v):
            new = len(self.sets)
            self.sets[new] = (some, images)
            self.sets[i] = (v - some, w - images)
            for x in some:
                self.left[x] = new
            for y in images:
                self.right[y] = new
        return True


def search_automorphism(graph: Graph, mapping: Mapping[int, int]) -> Search:
    """An automorphism that maps as asked, or the proof by search that there is none."""
    search = Search()
    classes = refine(graph).classes
    start = Bipartition(list(classes), list(classes))
    for v, c in enumerate(classes):
        pair = start.sets.setdefault(c, (set(), set()))
        pair[0].add(v)
        pair[1].add(v)
    for v, w in mapping.items():
        if start.left[v] != start.right[w] or not start.split(start.left[v], {v}, {w}):
            return search
    branch(graph, neighbours(graph), start, set(), search)
    return search


def neighbours(graph: Graph) -> Neighbours:
    found: Neighbours = [{} for _ in graph.colours]
    for u, v, label in graph.arcs:
        found[u].setdefault(("to", label), Counter())[v] += 1
        found[v].setdefault(("from", label), Counter())[u] += 1
    return found


def branch(graph: Graph, near: Neighbours, p: Bipartition, done: set[int], search: Search) -> bool:
    """BRANCH_AND_BOUND; depth first with a stack of its own, so that large graphs need no deep recursion."""
    stack = [(p, done)]
    while stack:
        p, done = stack.pop()
        if not propagate(near, p, done):
            search.backtracks += 1
            continue
        open_pairs = [(len(v), i) for i, (v, _) in p.sets.items() if len(v) > 1]
        if not open_pairs:
            search.automorphism = tuple(next(iter(p.sets[p.left[x]][1])) for x in range(graph.size))
            return True
        size, i = min(open_pairs)
        search.choices += 1
        search.largest = max(search.largest, size)
        v = min(p.sets[i][0])
        for w in sorted(p.sets[i][1], reverse=True):
            child = p.copy()
            child.split(i, {v}, {w})
            stack.append((child, set(done)))
    return False


def propagate(near: Neighbours, p: Bipartition, done: set[int]) -> bool:
    """Map the neighbours of vertices whose image is known onto the neighbours of the image (Lemmas 6.4 and 6.5)."""
    waiting = [i for i, (v, _) in p.sets.items() if len(v) == 1 and i not in done]
    while waiting:
        i = waiting.pop()
        if i in done:
            continue
        done.add(i)
        (u,), (image,) = p.sets[i]
        if near[u].keys() != near[image].keys():
            return False
        before = len(p.sets)
        for key, around in near[u].items():
            if not match_neighbours(p, around, near[image][key]):
                return False
        touched = {p.left[x] for around in near[u].values() for x in around} | set(range(before, len(p.sets)))
        waiting += sorted(j for j in touched if len(p.sets[j][0]) == 1 and j not in done)
    return True


def match_neighbours(p: Bipartition, around: Counter[int], images: Counter[int]) -> bool:
    """Neighbours of one pair and one multiplicity go to such neighbours of the image."""
    groups: dict[tuple[int, int], tuple[set[int], set[int]]] = {}
    for x, times in around.items():
        groups.setdefault((p.left[x], times), (set(), set()))[0].add(x)
    for y, times in images.items():
        groups.setdefault((p.right[y], times), (set(), set()))[1].add(y)
    for (i, _), (some, those) in sorted(groups.items()):
        v, w = p.sets[i]
        if len(some) != len(those) or not some <= v or not those <= w or not p.split(i, some, those):
            return False
    return True
