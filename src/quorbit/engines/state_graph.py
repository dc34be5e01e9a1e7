"""The stored state graph of a System, one state per orbit if a plan is given: what temporal formulas are evaluated on.

An edge stands for a move from representative r to some u and keeps the permutation g with g·u = target, and the
processes that move in it as a bit mask of atoms (the first actor of each command on the way, as SPIN counts: the
receiver of a rendezvous does not move by itself).  A process is enabled in a state if it can begin a move there.

A state without moves is *dead*; it has no edge here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from quorbit.canon.layout import Layout
from quorbit.canon.plan import Plan
from quorbit.engines.options import SearchOptions
from quorbit.engines.replay import Reduce
from quorbit.groups.permutation import Permutation
from quorbit.model.evaluate import Violation
from quorbit.model.formula import Proposition
from quorbit.model.system import State, System
from quorbit.result.outcome import Statistics

Progress = Callable[[Statistics], bool]  # told what is known so far; answers whether to stop


class Stopped(Exception):
    """A limit was hit or the user interrupted; the message says which."""

    def __init__(self, message: str, statistics: Statistics) -> None:
        super().__init__(message)
        self.statistics = statistics


class Broken(Exception):
    """A run-time error: the representatives on the way to it, what it is, and whether a last move makes it."""

    def __init__(self, path: list[State], violation: Violation, by_move: bool, statistics: Statistics) -> None:
        super().__init__(violation.message)
        self.path = path
        self.violation = violation
        self.by_move = by_move
        self.statistics = statistics


@dataclass(frozen=True)
class StateGraph:
    """States are numbered by breadth-first search; the edges of state s are offsets[s] .. offsets[s+1]-1."""

    state: Callable[[int], State]
    initial: tuple[int, ...]
    offsets: Sequence[int]
    targets: Sequence[int]
    actors: Sequence[int]
    permutations: Sequence[Permutation]
    enabled: Sequence[int]  # per state

    @property
    def count(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True)
class Question:
    """What a graph is wanted for: the propositions to evaluate, and whether edges to one state that differ in actors
    or permutation are kept apart."""

    propositions: tuple[Proposition, ...]
    all_edges: bool


@dataclass(frozen=True)
class Built:
    """A graph, in which of its states each proposition holds, and how its states were reduced."""

    graph: StateGraph
    labels: dict[Proposition, bytes]
    reduce: Reduce | None
    statistics: Statistics


# A way to build graphs; raises UserError if it cannot serve the model, and Stopped and Broken.
GraphSource = Callable[
    [System, Question, "Plan | None", "Layout | None", SearchOptions, "Progress | None"], AbstractContextManager[Built]
]
