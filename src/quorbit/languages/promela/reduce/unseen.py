"""Processes whose number nobody can see.

SPIN numbers processes by how many there are, and keeps one that ended until all younger ones are gone, so a number
tells about the past.  Where nobody looks at the numbers of the processes that are created on the way, they need not be
kept: then it does not matter in which order these processes were created.  SPIN's limit on the number of processes can
be seen too; so there must be a bound on how many are ever created.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.promela.lower.control_flow import Flow
from quorbit.languages.promela.lower.places import LAST, MOST_PROCESSES, Placement
from quorbit.languages.promela.lower.remote import all_expressions, all_statements, expressions_of
from quorbit.languages.promela.parse.program import (
    Assignment,
    Expression,
    OfProcess,
    Predefined,
    Print,
    Program,
    RemoteLabel,
    Run,
    SetPriority,
)
from quorbit.languages.promela.parse.walk import statements, walk
from quorbit.languages.promela.reduce.reach import reachable, runs_in

__all__ = ["is_unseen"]


def is_unseen(placement: Placement, flows: dict[str, Flow], open_types: tuple[str, ...], alive: dict[str, int]) -> bool:
    """Whether the numbers of processes of these types, and how many there are, make no difference.  ``alive``: how many
    processes of each type there are before more are created."""
    if not open_types or placement.uses.outlives or placement.writes_pid or LAST in placement.predefined:
        return False
    if asks_for_numbers(placement.program, open_types) or knows_itself(placement.program, open_types):
        return False
    most = most_processes(flows, alive)
    return most is not None and most <= MOST_PROCESSES


def asks_for_numbers(program: Program, open_types: tuple[str, ...]) -> bool:
    """Whether a number is used to find a process of these types, or the result of a run is kept."""
    if any(isinstance(s, SetPriority) and not s.own for s in all_statements(program)):
        return True
    if any(isinstance(s, Assignment) and isinstance(s.value, Run) for s in all_statements(program)):
        return True
    parts = [inner for expression in all_expressions(program) for inner in walk(expression)]
    return any(isinstance(e, OfProcess) or (isinstance(e, RemoteLabel) and e.proctype in open_types) for e in parts)


def knows_itself(program: Program, open_types: tuple[str, ...]) -> bool:
    """Whether a process of these types looks at its own number, printing aside."""
    return any(
        isinstance(inner, Predefined) and inner.name == "_pid"
        for proctype in program.proctypes
        if proctype.name in open_types
        for expression in own_expressions(program, proctype.name)
        for inner in walk(expression)
    )


def own_expressions(program: Program, name: str) -> Iterator[Expression]:
    proctype = next(p for p in program.proctypes if p.name == name)
    if proctype.provided is not None:
        yield proctype.provided
    for statement in statements(proctype.body):
        if not isinstance(statement, Print):
            yield from expressions_of(statement)


def most_processes(flows: dict[str, Flow], alive: dict[str, int]) -> int | None:
    """How many processes there are at most, if none ever goes; None if there is no bound."""
    counts = dict(alive)
    for _ in range(len(flows) + 1):
        started = dict(alive)
        for name, flow in flows.items():
            for n, edges in flow.edges.items():
                for edge in edges:
                    for run in runs_in(edge):
                        if n in reachable(flow, {edge.target}):
                            return None
                        started[run.proctype] += counts[name]
        if started == counts:
            return sum(counts.values())
        counts = {name: min(count, MOST_PROCESSES + 1) for name, count in started.items()}
    return None
