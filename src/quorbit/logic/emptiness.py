"""Is there an infinite path with good acceptance in a marked graph, from which nodes, and what does it look like?

A marked graph is a list: for every node its edges (target, marks, name of the edge).  Good cycles lie inside strongly
connected components; a component in which a pair (first, second) has its first mark but not its second is searched
again without the edges that have the first (Emerson and Lei 1987).  On quotient graphs, conditions on threads come on
top (`threads`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from quorbit.logic.components import strong_components
from quorbit.logic.fairness import Acceptance
from quorbit.logic.threads import Inner, Recurrence, Threads, judge

Edge = tuple[int, int, int]
Node = TypeVar("Node")
Graph = list[list[Edge]]


@dataclass(frozen=True)
class Lasso:
    """A path that leads into a cycle, as names of edges; the cycle is not empty."""

    start: int
    stem: tuple[int, ...]
    loop: tuple[int, ...]


@dataclass(frozen=True)
class Core:
    """Nodes of a component with a good cycle: the edges it may use and the marks it has to collect."""

    nodes: tuple[int, ...]
    without: int
    needed: int


def good_nodes(graph: Graph, acceptance: Acceptance) -> bytearray:
    """From which nodes a good infinite path begins."""
    component = strong_components(len(graph), lambda s: [t for t, _, _ in graph[s]])
    good = {component[core.nodes[0]] for core in all_cores(graph, component, acceptance)}
    for s in sorted(range(len(graph)), key=component.__getitem__):  # successors' components come first
        if any(component[t] in good for t, _, _ in graph[s]):
            good.add(component[s])
    return bytearray(c in good for c in component)


def all_cores(graph: Graph, component: list[int], acceptance: Acceptance) -> list[Core]:
    found = []
    for nodes in grouped(component):
        core = find_core(graph, nodes, acceptance)
        if core:
            found.append(core)
    return found


def grouped(component: list[int]) -> list[list[int]]:
    groups: list[list[int]] = [[] for _ in range(max(component, default=-1) + 1)]
    for s, c in enumerate(component):
        groups[c].append(s)
    return groups


def find_core(graph: Graph, nodes: list[int], acceptance: Acceptance, without: int = 0) -> Core | None:
    """A part of a strongly connected set of nodes with a good cycle; edges with a mark of `without` do not count."""
    places = {s: i for i, s in enumerate(nodes)}
    inner: Inner = []
    marks = 0
    for i, s in enumerate(nodes):
        for t, m, name in graph[s]:
            if t in places and not m & without:
                inner.append((i, places[t], name))
                marks |= m
    if not inner or acceptance.every & ~marks:
        return None
    blocked = sum(first for first, second in acceptance.pairs if marks & first and not marks & second)
    if blocked:
        return search_parts(graph, nodes, acceptance, without | blocked)
    if acceptance.threads:
        judgement = judge(acceptance.threads, len(nodes), inner)
        if not judgement.satisfied:
            kept = [s for i, s in enumerate(nodes) if i not in judgement.blocked] if judgement.blocked else []
            return search_parts(graph, kept, acceptance, without)
    needed = acceptance.every | sum(second for first, second in acceptance.pairs if marks & first)
    return Core(tuple(nodes), without, needed)


def search_parts(graph: Graph, nodes: list[int], acceptance: Acceptance, without: int) -> Core | None:
    """The same in the components that are left when more edges do not count."""
    places = {s: i for i, s in enumerate(nodes)}
    component = strong_components(
        len(nodes), lambda i: [places[t] for t, m, _ in graph[nodes[i]] if t in places and not m & without]
    )
    for part in grouped(component):
        core = find_core(graph, [nodes[i] for i in part], acceptance, without)
        if core:
            return core
    return None


def find_lasso(graph: Graph, start: int, acceptance: Acceptance) -> Lasso | None:
    """A good path from the start with a short stem, None if there is none."""
    component = strong_components(len(graph), lambda s: [t for t, _, _ in graph[s]])
    cores = all_cores(graph, component, acceptance)
    goals = {s: core for core in cores for s in core.nodes}
    reached = shortest(graph, start, goals.__contains__)
    if reached is None:
        return None
    stem, entry = reached
    return Lasso(start, names(stem), names(close_loop(graph, entry, goals[entry], acceptance.threads)))


def names(path: list[Edge]) -> tuple[int, ...]:
    return tuple(name for _, _, name in path)


def close_loop(graph: Graph, entry: int, core: Core, threads: Threads | None) -> list[Edge]:
    """A cycle through the entry that collects all needed marks and gives every thread what it asks for."""
    inner = inner_graph(graph, core)
    loop: list[Edge] = []
    missing = core.needed
    while missing or not loop:
        at = loop[-1][0] if loop else entry
        step = next_wanted(inner, at, missing & -missing)
        loop.extend(step)
        for _, marks, _ in step:
            missing &= ~marks
    if threads:
        for condition in threads.conditions:
            for index in condition.indices:
                loop.extend(serve(inner, loop, index, condition, threads))
    path, _ = existing(shortest(inner, loop[-1][0], lambda s: s == entry))
    return loop + path


def serve(
    inner: dict[int, list[Edge]], loop: list[Edge], index: int, condition: Recurrence, threads: Threads
) -> list[Edge]:
    """How to prolong the path so that the thread that begins with an index has a good edge; nothing if it need not."""
    for _, _, name in loop:
        if condition.good[name] >> index & 1:
            return []
        index = threads.permutations[name][index]
    return next_good(inner, loop[-1][0], index, condition, threads) or []


def next_good(
    inner: dict[int, list[Edge]], at: int, index: int, condition: Recurrence, threads: Threads
) -> list[Edge] | None:
    """A shortest path whose last edge is good for the thread, None if there is none (and the condition is not met)."""
    came: dict[tuple[int, int], tuple[tuple[int, int], Edge] | None] = {(at, index): None}
    waiting = [(at, index)]
    for s, i in waiting:
        for edge in inner[s]:
            target = (edge[0], threads.permutations[edge[2]][i])
            if condition.good[edge[2]] >> i & 1:
                return [*trace_back(came, (s, i)), edge]
            if target not in came:
                came[target] = ((s, i), edge)
                waiting.append(target)
    return None


def inner_graph(graph: Graph, core: Core) -> dict[int, list[Edge]]:
    inside = set(core.nodes)
    return {s: [e for e in graph[s] if e[0] in inside and not e[1] & core.without] for s in core.nodes}


def next_wanted(inner: dict[int, list[Edge]], at: int, wanted: int) -> list[Edge]:
    """A shortest path whose last edge has the wanted mark (any edge if none is wanted)."""

    def is_wanted(edge: Edge) -> bool:
        return bool(edge[1] & wanted) or not wanted

    path, source = existing(shortest(inner, at, lambda s: any(map(is_wanted, inner[s]))))
    return [*path, next(filter(is_wanted, inner[source]))]


def existing(answer: tuple[list[Edge], int] | None) -> tuple[list[Edge], int]:
    assert answer is not None, "inside a strongly connected component everything is reachable"
    return answer


def shortest(
    graph: Graph | dict[int, list[Edge]], start: int, is_goal: Callable[[int], bool]
) -> tuple[list[Edge], int] | None:
    """The edges of a shortest path to a goal, and the goal."""
    came: dict[int, tuple[int, Edge] | None] = {start: None}
    waiting = [start]
    for s in waiting:
        if is_goal(s):
            return trace_back(came, s), s
        for edge in graph[s]:
            if edge[0] not in came:
                came[edge[0]] = (s, edge)
                waiting.append(edge[0])
    return None


def trace_back(came: dict[Node, tuple[Node, Edge] | None], s: Node) -> list[Edge]:
    path = []
    while step := came[s]:
        s, edge = step
        path.append(edge)
    return path[::-1]
