"""Which states of a proctype can follow others, and what is created on the way."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.promela.lower.control_flow import Edge, Flow
from quorbit.languages.promela.lower.remote import expressions_of
from quorbit.languages.promela.parse.program import Run
from quorbit.languages.promela.parse.walk import walk

__all__ = ["reachable", "runs_in"]


def reachable(flow: Flow, states: set[int]) -> set[int]:
    """The states that can be reached from these, and themselves."""
    found: set[int] = set()
    todo = list(states)
    while todo:
        n = todo.pop()
        if n not in found and n:
            found.add(n)
            todo.extend(edge.target for edge in flow.edges.get(n, ()))
    return found


def runs_in(edge: Edge) -> Iterator[Run]:
    """The processes an edge starts."""
    for step in edge.steps:
        for expression in expressions_of(step.statement):
            for inner in walk(expression):
                if isinstance(inner, Run):
                    yield inner
