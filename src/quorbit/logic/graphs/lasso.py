"""A good infinite path as a lasso: a shortest way to a component with a good cycle, and such a cycle."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from quorbit.logic.formulas.fairness import Acceptance
from quorbit.logic.graphs.emptiness import Core, find_cores
from quorbit.logic.graphs.marked import Edge, MarkedGraph
from quorbit.logic.graphs.threads import Recurrence, Threads
from quorbit.source.frozen import frozen

__all__ = ["Lasso"]

Node = TypeVar("Node")
Came = dict[Node, tuple[Node, Edge] | None]
Inside = dict[int, list[Edge]]  # the edges of a core


@frozen
class Lasso:
    """A path that leads into a cycle, as names of edges; without a cycle, whatever follows is accepted."""

    start: int
    stem: tuple[int, ...]
    loop: tuple[int, ...]


def find_lasso(graph: MarkedGraph, roots: Iterable[int], acceptance: Acceptance) -> Lasso | None:
    """A good path from a root with a shortest stem, None if there is none."""
    goals = {s: core for core in find_cores(graph, acceptance) for s in core.nodes}
    if not goals:
        return None
    reached = shortest(graph.edges, roots, goals.__contains__)
    if reached is None:
        return None
    start, stem, entry = reached
    return Lasso(start, names(stem), names(close_loop(graph, entry, goals[entry], acceptance.threads)))


def names(path: list[Edge]) -> tuple[int, ...]:
    return tuple(name for _, _, name in path)


def close_loop(graph: MarkedGraph, entry: int, core: Core, threads: Threads | None) -> list[Edge]:
    """A cycle through the entry that collects all needed marks and gives every thread what it asks for."""
    inside = edges_inside(graph, core)
    loop: list[Edge] = []
    missing = core.needed
    while missing or not loop:
        at = loop[-1][0] if loop else entry
        part = next_wanted(inside, at, missing & -missing)
        loop.extend(part)
        for _, marks, _ in part:
            missing &= ~marks
    if threads:
        for condition in threads.conditions:
            for index in condition.indices:
                loop.extend(serve(inside, loop, index, condition, threads))
    return loop + way(inside, loop[-1][0], lambda s: s == entry)[0]


def edges_inside(graph: MarkedGraph, core: Core) -> Inside:
    nodes = set(core.nodes)
    return {s: [e for e in graph.edges(s) if e[0] in nodes and not e[1] & core.without] for s in core.nodes}


def next_wanted(inside: Inside, at: int, wanted: int) -> list[Edge]:
    """A shortest path whose last edge has the wanted mark (any edge if none is wanted)."""

    def is_wanted(edge: Edge) -> bool:
        return bool(edge[1] & wanted) or not wanted

    path, source = way(inside, at, lambda s: any(map(is_wanted, inside[s])))
    return [*path, next(filter(is_wanted, inside[source]))]


def serve(inside: Inside, loop: list[Edge], index: int, condition: Recurrence, threads: Threads) -> list[Edge]:
    """How to prolong the path so that the thread that begins with an index has a good edge; nothing if it need not."""
    for _, _, name in loop:
        if condition.good[name] >> index & 1:
            return []
        index = threads.permutations[name][index]
    return next_good(inside, loop[-1][0], index, condition, threads)


def next_good(inside: Inside, at: int, index: int, condition: Recurrence, threads: Threads) -> list[Edge]:
    """A shortest path whose last edge is good for the thread; nothing if the condition does not concern it."""
    came: Came[tuple[int, int]] = {(at, index): None}
    waiting = [(at, index)]
    for s, i in waiting:
        for edge in inside[s]:
            if condition.good[edge[2]] >> i & 1:
                return [*trace_back(came, (s, i))[1], edge]
            target = (edge[0], threads.permutations[edge[2]][i])
            if target not in came:
                came[target] = ((s, i), edge)
                waiting.append(target)
    return []


def way(inside: Inside, start: int, is_goal: Callable[[int], bool]) -> tuple[list[Edge], int]:
    """A shortest path inside a core, where everything can be reached from everywhere, and the goal."""
    reached = shortest(inside.__getitem__, [start], is_goal)
    assert reached is not None
    return reached[1:]


def shortest(
    edges: Callable[[int], Iterable[Edge]], roots: Iterable[int], is_goal: Callable[[int], bool]
) -> tuple[int, list[Edge], int] | None:
    """A root, the edges of a shortest path from it to a goal, and the goal."""
    came: Came[int] = dict.fromkeys(roots)
    waiting = list(came)
    for s in waiting:
        if is_goal(s):
            return (*trace_back(came, s), s)
        for edge in edges(s):
            if edge[0] not in came:
                came[edge[0]] = (s, edge)
                waiting.append(edge[0])
    return None


def trace_back(came: Came[Node], s: Node) -> tuple[Node, list[Edge]]:
    path = []
    while step := came[s]:
        s, edge = step
        path.append(edge)
    return s, path[::-1]
