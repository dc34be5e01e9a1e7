"""Equitable refinement of an ordered partition of a digraph's vertices, with undo.

A partition is equitable when any two vertices of a cell have equally many arcs of each kind to and from every cell.
Refinement splits cells until that holds.  All decisions depend on sizes and counts only, never on vertex numbers, so
isomorphic graphs are refined alike; the list of events, the *trace*, is an invariant (McKay, "Practical graph
isomorphism", 1981; the choice of splitters is Hopcroft's: after a split the largest part need not be used again).
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator

from quorbit.graphs.simple import SimpleGraph
from quorbit.source.frozen import field, mutable

Event = tuple[int, int, int, tuple[tuple[int, int], ...]]  # splitter, side, cell, (count, size of the part) in order
Trace = tuple[Event, ...]
Touching = list[list[tuple[int, int]]]


@mutable
class Partition:
    """Cells are runs in `order`, each named by its start; `trail` remembers the cells split, for undo."""

    order: list[int]
    start: list[int]  # of a vertex: the cell it is in
    length: dict[int, int]  # of a cell
    open: set[int]  # the cells with more than one vertex
    trail: list[tuple[int, int]] = field(default_factory=list)

    def members(self, cell: int) -> list[int]:
        """The vertices of a cell."""
        return self.order[cell : cell + self.length[cell]]

    def cells(self) -> Iterator[list[int]]:
        """All cells in order."""
        cell = 0
        while cell < len(self.order):
            yield self.members(cell)
            cell += self.length[cell]


def colour_partition(graph: SimpleGraph) -> Partition:
    """One cell per colour, in the order of colours."""
    by_colour: defaultdict[int, list[int]] = defaultdict(list)
    for v, colour in enumerate(graph.colours):
        by_colour[colour].append(v)
    partition = Partition(list(range(graph.size)), [0] * graph.size, {0: graph.size}, set())
    split(partition, 0, [by_colour[colour] for colour in sorted(by_colour)])
    partition.trail.clear()
    return partition


def touching_arcs(graph: SimpleGraph) -> Touching:
    """For each vertex v the vertices w joined to it, as (side, w): side 2k for w -> v of kind k, 2k+1 for v -> w."""
    touching: Touching = [[] for _ in graph.colours]
    for u, v, kind in graph.arcs:
        touching[v].append((2 * kind, u))
        touching[u].append((2 * kind + 1, v))
    return touching


def refine_fully(partition: Partition, touching: Touching) -> Trace:
    """Make the partition equitable, starting from any partition."""
    return tuple(refine(partition, touching, sorted(partition.length)))


def individualise(partition: Partition, touching: Touching, v: int) -> Iterator[Event]:
    """Put v before the rest of its cell, then refine; requires an equitable partition and an open cell of v."""
    cell = partition.start[v]
    split(partition, cell, [[v], [w for w in partition.members(cell) if w != v]])
    return refine(partition, touching, [cell])


def refine(partition: Partition, touching: Touching, splitters: Iterable[int]) -> Iterator[Event]:
    """Refine by the given cells and by all that arise, one event at a time, so that a reader may stop early."""
    queue = deque(splitters)
    queued = set(queue)
    while queue:
        splitter = queue.popleft()
        queued.discard(splitter)
        for side, counts in counted(touching, partition.members(splitter)):
            for cell, parts in counted_cells(partition, counts):
                sizes = tuple((count, len(parts[count])) for count in sorted(parts))
                if len(parts) > 1:
                    starts = split(partition, cell, [parts[count] for count in sorted(parts)])
                    if cell not in queued:
                        starts.remove(max(starts, key=lambda s: (partition.length[s], -s)))
                    fresh = [s for s in starts if s not in queued]
                    queue.extend(fresh)
                    queued.update(fresh)
                yield splitter, side, cell, sizes


def counted(touching: Touching, splitter: list[int]) -> list[tuple[int, dict[int, int]]]:
    """For each side, how many arcs join each vertex to the splitter."""
    sides: dict[int, dict[int, int]] = {}
    for v in splitter:
        for side, w in touching[v]:
            counts = sides.setdefault(side, {})
            counts[w] = counts.get(w, 0) + 1
    return sorted(sides.items())


def counted_cells(partition: Partition, counts: dict[int, int]) -> list[tuple[int, dict[int, list[int]]]]:
    """The cells with a counted vertex, in order, each divided by count (0 included)."""
    start = partition.start
    found: dict[int, dict[int, list[int]]] = {}
    for w, count in counts.items():
        found.setdefault(start[w], {}).setdefault(count, []).append(w)
    for cell, parts in found.items():
        if sum(map(len, parts.values())) < partition.length[cell]:
            parts[0] = [w for w in partition.members(cell) if w not in counts]
    return sorted(found.items())


def split(partition: Partition, cell: int, parts: list[list[int]]) -> list[int]:
    """Replace a cell by the given parts of it, in order; their starts."""
    partition.trail.append((cell, partition.length[cell]))
    partition.open.discard(cell)
    starts, at = [], cell
    for part in parts:
        partition.order[at : at + len(part)] = part
        partition.length[at] = len(part)
        for v in part:
            partition.start[v] = at
        if len(part) > 1:
            partition.open.add(at)
        starts.append(at)
        at += len(part)
    return starts


def undo(partition: Partition, mark: int) -> None:
    """Join again what was split since the trail had the length mark."""
    while len(partition.trail) > mark:
        cell, length = partition.trail.pop()
        at = cell + partition.length[cell]
        while at < cell + length:
            partition.open.discard(at)
            for v in partition.members(at):
                partition.start[v] = cell
            at += partition.length.pop(at)
        partition.length[cell] = length
        partition.open.add(cell)
