"""Is there an infinite path with good acceptance in a marked graph, and from which nodes?

Good cycles lie inside strongly connected components.  A component in which a pair (first, second) has its first mark
but not its second is searched again without the edges that have the first (Emerson and Lei 1987); on quotient graphs,
conditions on threads may take out nodes likewise (`threads`).
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.logic.formulas.fairness import Acceptance
from quorbit.logic.graphs.components import strong_components
from quorbit.logic.graphs.marked import MarkedGraph
from quorbit.logic.graphs.threads import Inner, judge
from quorbit.source.frozen import frozen


@frozen
class Core:
    """Nodes of a component with a good cycle: the edges it may not use and the marks it has to collect."""

    nodes: tuple[int, ...]
    without: int
    needed: int


def good_nodes(graph: MarkedGraph, acceptance: Acceptance) -> bytearray:
    """From which nodes a good infinite path begins."""
    component = strong_components(graph.count, graph.targets.__getitem__)
    good = {component[core.nodes[0]] for core in cores(graph, component, acceptance)}
    for s in sorted(range(graph.count), key=component.__getitem__):  # successors' components come first
        if component[s] not in good and any(component[t] in good for t in graph.targets[s]):
            good.add(component[s])
    return bytearray(c in good for c in component)


def find_cores(graph: MarkedGraph, acceptance: Acceptance) -> list[Core]:
    """One core for every component that has a good cycle."""
    return cores(graph, strong_components(graph.count, graph.targets.__getitem__), acceptance)


def cores(graph: MarkedGraph, component: list[int], acceptance: Acceptance) -> list[Core]:
    promising = {c for c, marks in component_marks(graph, component).items() if not acceptance.every & ~marks}
    groups: dict[int, list[int]] = {}
    for s, c in enumerate(component):
        if c in promising:
            groups.setdefault(c, []).append(s)
    found = (find_core(graph, groups[c], acceptance) for c in sorted(groups))
    return [core for core in found if core]


def component_marks(graph: MarkedGraph, component: list[int]) -> dict[int, int]:
    """The marks inside every component that has an edge."""
    found: dict[int, int] = {}
    for s, c in enumerate(component):
        for t, m in zip(graph.targets[s], graph.marks[s], strict=True):
            if component[t] == c:
                found[c] = found.get(c, 0) | m
    return found


def find_core(graph: MarkedGraph, nodes: Sequence[int], acceptance: Acceptance, without: int = 0) -> Core | None:
    """A part of a strongly connected set of nodes with a good cycle; edges with a mark of `without` do not count."""
    inner, marks = inner_edges(graph, nodes, without)
    if not any(inner) or acceptance.every & ~marks:
        return None
    blocked = sum(first for first, second in acceptance.pairs if marks & first and not marks & second)
    if blocked:
        return search_parts(graph, nodes, acceptance, without | blocked)
    if acceptance.threads:
        judgement = judge(acceptance.threads, inner)
        if judgement.hopeless:
            return None
        if judgement.blocked:
            kept = [s for i, s in enumerate(nodes) if i not in judgement.blocked]
            return search_parts(graph, kept, acceptance, without)
    needed = acceptance.every | sum(second for first, second in acceptance.pairs if marks & first)
    return Core(tuple(nodes), without, needed)


def inner_edges(graph: MarkedGraph, nodes: Sequence[int], without: int) -> tuple[Inner, int]:
    """The edges between the nodes, which are numbered by their places, and all their marks."""
    places = {s: i for i, s in enumerate(nodes)}
    inner: Inner = []
    marks = 0
    for s in nodes:
        found = []
        for t, m, name in graph.edges(s):
            if t in places and not m & without:
                found.append((places[t], name))
                marks |= m
        inner.append(found)
    return inner, marks


def search_parts(graph: MarkedGraph, nodes: Sequence[int], acceptance: Acceptance, without: int) -> Core | None:
    """A core in the components that are left of some nodes when more edges do not count."""
    inner, _ = inner_edges(graph, nodes, without)
    component = strong_components(len(nodes), lambda i: [t for t, _ in inner[i]])
    groups: dict[int, list[int]] = {}
    for i, c in enumerate(component):
        groups.setdefault(c, []).append(nodes[i])
    for c in sorted(groups):
        core = find_core(graph, groups[c], acceptance, without)
        if core:
            return core
    return None
