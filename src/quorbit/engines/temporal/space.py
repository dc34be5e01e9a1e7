"""The states of a System, one per orbit if a plan is given, as temporal properties look at them.

States and edges have numbers.  An edge stands for a move from representative r to some u and has a permutation g with
g·u = target, and the processes that move in it as a bit mask of atoms (the first actor of each command on the way, as
SPIN counts: the receiver of a rendezvous does not move by itself).  A process is enabled in a state if it can begin a
move there.  A state without moves is *dead*; in paths, the number -1 stands for its stuttering.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from quorbit.canon.layout import Layout
from quorbit.canon.minimise import Reduce
from quorbit.canon.plan import Plan
from quorbit.groups.permutation import Permutation
from quorbit.logic.automata.automaton import GeneralisedBuchi
from quorbit.logic.graphs.lasso import Lasso
from quorbit.logic.graphs.structure import Structure
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import Violation
from quorbit.model.system.formula import Proposition
from quorbit.model.system.system import State, System
from quorbit.result.outcome import PartialOrder, Statistics
from quorbit.source.frozen import frozen

Progress = Callable[[Statistics], bool]  # told what is known so far; answers whether to stop
STUTTERING = -1


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


@frozen
class Question:
    """What is to be known of the states: these propositions, and whose paths count as fair.

    ``por``: whether states are expanded in part, as far as the formula allows it; ``reason``: why not."""

    propositions: tuple[Proposition, ...]
    fairness: str
    por: str = "off"
    reason: str = "off"


@frozen
class Edge:
    target: int
    actors: int
    permutation: Permutation


class Space(Protocol):
    """States, found all at once or when they are needed; raises Stopped and Broken."""

    @property
    def reduce(self) -> Reduce | None: ...

    def state(self, number: int) -> State: ...

    def follow(self, source: int, edge: int) -> Edge: ...

    def find_path(self, automaton: GeneralisedBuchi, stutters: bool, may_end: bool) -> Lasso | None:
        """A fair path from an initial state that the automaton accepts; whether runs that end stutter, and whether a
        path that is accepted whatever follows may end there."""
        ...

    def structure(self) -> Structure:
        """The whole graph; runs that end stutter."""
        ...

    def statistics(self) -> Statistics: ...

    def por(self) -> PartialOrder: ...

    def left_out(self) -> str:
        """The label of moves that were not all followed, "" if all were."""
        ...


# A way to find states; raises UserError if it cannot serve the model.
SpaceSource = Callable[
    [System, Question, "Plan | None", "Layout | None", SearchOptions, "Progress | None"], AbstractContextManager[Space]
]
