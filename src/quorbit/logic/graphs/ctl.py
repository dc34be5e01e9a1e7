"""The fixpoints of CTL on a stored graph, each in time linear in the graph (Clarke, Emerson and Sistla 1986)."""

from __future__ import annotations

from quorbit.logic.formulas.fairness import Acceptance
from quorbit.logic.graphs.emptiness import find_cores
from quorbit.logic.graphs.kripke import Flags, Kripke, predecessors
from quorbit.logic.graphs.marked import Edge, MarkedGraph


def some_next(kripke: Kripke, goal: Flags) -> Flags:
    """EX goal."""
    flags = bytearray(kripke.count)
    for s in range(kripke.count):
        if any(goal[t] for t in kripke.successors(s)):
            flags[s] = 1
    return bytes(flags)


def some_until(kripke: Kripke, left: Flags, right: Flags) -> Flags:
    """E[left U right], backwards from right."""
    offsets, sources = predecessors(kripke)
    flags = bytearray(right)
    waiting = [s for s, flag in enumerate(right) if flag]
    for t in waiting:
        for i in range(offsets[t], offsets[t + 1]):
            s = sources[i]
            if left[s] and not flags[s]:
                flags[s] = 1
                waiting.append(s)
    return bytes(flags)


def some_always(kripke: Kripke, where: Flags, marks: list[int], acceptance: Acceptance) -> Flags:
    """EG where, along a path with good acceptance: a cycle inside `where`, and what leads to it there."""
    graph = MarkedGraph()
    for s in range(kripke.count):
        graph.add(inner_edges(kripke, s, where, marks) if where[s] else [])
    start = bytearray(kripke.count)
    for core in find_cores(graph, acceptance):
        for s in core.nodes:
            start[s] = 1
    return some_until(kripke, where, bytes(start))


def inner_edges(kripke: Kripke, s: int, where: Flags, marks: list[int]) -> list[Edge]:
    numbers = range(kripke.offsets[s], kripke.offsets[s + 1])
    return [(kripke.targets[e], marks[e], e) for e in numbers if where[kripke.targets[e]]]
