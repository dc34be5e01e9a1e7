"""What the evaluation of CTL* needs of a graph: labels, and paths that an automaton accepts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from quorbit.logic.automata.automaton import GeneralisedBuchi
from quorbit.logic.graphs.kripke import Flags
from quorbit.logic.graphs.lasso import Lasso
from quorbit.model.system.formula import Formula, Proposition

__all__ = ["States", "Structure"]

States = Callable[[Formula], Flags]  # the states in which a state formula holds


class Structure(Protocol):
    """A graph whose states are 0..count-1; its paths are the fair ones, if it knows fairness."""

    @property
    def count(self) -> int: ...

    @property
    def initial(self) -> Sequence[int]: ...

    def label(self, p: Proposition) -> Flags:
        """The states with a proposition of the model."""
        ...

    def some_path(self, path: Formula, states: States) -> Flags:
        """The states from which a path satisfies a simplified path formula over labels."""
        ...

    def find_accepted(self, automaton: GeneralisedBuchi, states: States, roots: Sequence[int]) -> Lasso | None:
        """A path from one of the roots that the automaton accepts."""
        ...
