"""Where the value of a variable does not matter: no way leads from there to a read before a write.

Worked out on the edges that processes take, so that it holds for escapes and the inside of a d_step as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.promela.lower.control_flow import Edge, Flow, Step
from quorbit.languages.promela.parse.program import Kind, Variable
from quorbit.source.frozen import replace

__all__ = ["forgetful", "is_unread_after", "tidy_variables", "unread_variables"]

Way = tuple[tuple[Step, ...], tuple[int, ...]]  # what is performed, and the states it may lead to
Summary = tuple[set[Variable], set[Variable], tuple[int, ...]]
NOTHING: frozenset[Variable] = frozenset()


def unread_variables(flow: Flow) -> dict[int, frozenset[Variable]]:
    """For each state the numbers of its own that a process does not read from there on before it has written them; 0 is
    the end."""
    ways: dict[int, list[Summary]] = {}
    for n, way in all_ways(flow):
        ways.setdefault(n, []).append(summary(way))
    live = {n: {v for reads, _, _ in leaving for v in reads} for n, leaving in ways.items()}
    backwards = list(reversed(ways.items()))  # most ways lead on, so what is read behind them is known by then
    changed = True
    while changed:
        changed = False
        for n, leaving in backwards:
            known = len(live[n])
            for _, writes, targets in leaving:
                for target in targets:
                    live[n] |= live.get(target, NOTHING) - writes
            changed = changed or len(live[n]) > known
    numbers = frozenset(v for v in flow.proctype.variables if is_number(v))
    return {0: numbers, **{n: numbers - found for n, found in live.items()}}


def is_number(v: Variable) -> bool:
    return v.length is None and v.type.kind not in {Kind.CHAN, Kind.STRUCT}


def all_ways(flow: Flow) -> Iterator[tuple[int, Way]]:
    """The edges of all states; a d_step is entered at once, and left for the target of its edge."""
    for n, edges in flow.edges.items():
        for edge in edges:
            yield n, (edge.steps, (edge.target,) if edge.inner is None else (edge.target, edge.inner.entry))
            for inside, inner in inner_edges(edge):
                assert edge.inner is not None
                yield inside, (inner.steps, (inner.target if inner.target in edge.inner.edges else edge.target,))


def inner_edges(edge: Edge) -> Iterator[tuple[int, Edge]]:
    for n, edges in edge.inner.edges.items() if edge.inner is not None else ():
        for inner in edges:
            yield n, inner


def summary(way: Way) -> Summary:
    """What is read on a way before it is written there, what is written, and where the way leads."""
    steps, targets = way
    found, written = set[Variable](), set[Variable]()
    for step in steps:
        reads, writes = step.uses
        found.update(v for v in reads if v not in written)
        written.update(writes)
    return found, written, tuple(target for target in targets if target)


def is_unread_after(edge: Edge, k: int, variable: Variable, unread: dict[int, frozenset[Variable]]) -> bool:
    """Whether nobody reads the variable after step k of the edge before it is written."""
    for step in edge.steps[k + 1 :]:
        reads, writes = step.uses
        if variable in reads or variable in writes:
            return variable not in reads
    return variable in unread.get(edge.target, frozenset())


def forgetful(flow: Flow) -> Flow:
    """The flow whose edges set back all numbers of the process that nobody reads any more.

    Whether such a number is read depends on the state of its process alone, so to set it back joins only states that
    behave alike."""
    unread = unread_variables(flow)
    edges = {
        n: tuple(replace(edge, forgets=left_behind(n, edge, unread)) for edge in leaving)
        for n, leaving in flow.edges.items()
    }
    return replace(flow, edges=edges)


def left_behind(n: int, edge: Edge, unread: dict[int, frozenset[Variable]]) -> tuple[Variable, ...]:
    """What would keep a value although the edge leads to where nobody reads it."""
    if not edge.target:
        return ()
    unread_there = unread.get(edge.target, frozenset())
    left = set(unread_there - unread.get(n, frozenset()))
    for step in (*edge.steps, *(step for _, inner in inner_edges(edge) for step in inner.steps)):
        left.update(unread_there.intersection(used_by(step)))
        if edge.inner is None:
            left.difference_update(step.dead)
    return tuple(sorted((v for v in left if not v.parameter), key=lambda v: v.name))


def used_by(step: Step) -> set[Variable]:
    reads, writes = step.uses
    return {*reads, *writes}


def tidy_variables(flow: Flow) -> frozenset[Variable]:
    """The numbers of a process that are set back wherever it does not read them any more."""
    return frozenset(v for v in flow.proctype.variables if is_number(v) and not v.parameter)
