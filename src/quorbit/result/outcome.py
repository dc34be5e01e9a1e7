"""What an engine answers: verdict, trace, statistics.  Plain records, the same for every engine."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from quorbit.model.meaning.evaluate import Firing
from quorbit.model.system.system import State
from quorbit.source.frozen import field, frozen, replace

__all__ = ["Attempt", "Outcome", "PartialOrder", "Statistics", "Step", "Trace", "Verdict", "among_all_errors"]


class Verdict(Enum):
    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"


@frozen
class Step:
    """One step of a run of the unreduced model: the commands of one move and the state they lead to."""

    firings: tuple[Firing, ...]
    state: State


@frozen
class Trace:
    """A run: an initial state and steps.  With ``loop`` = k it goes on forever from step number k (0: the start)."""

    start: State
    steps: Sequence[Step]  # a tuple, or made as they are looked at where they are very many
    loop: int | None = None


@frozen
class Statistics:
    states: int = 0
    transitions: int = 0
    depth: int = 0
    memory_bytes: int = 0
    explore_seconds: float = 0.0  # CPU time of the search
    compile_seconds: float = field(default=0.0, compare=False)  # to lay out states and translate commands
    levels: tuple[int, ...] = ()  # states at each distance from the start
    fired: tuple[int, ...] = ()  # how often each command ran, by its number; empty where the engine does not count
    errors: int = 0  # violations found, when the search went on after the first
    past_errors: bool = False  # whether it went on after errors to its end, so that nothing was left unseen
    represented: int | None = None  # states of the unreduced model that these stand for, if that was asked for
    orbits: int | None = None  # of the states, where all of them were looked at and the orbits were counted
    idle: bool | None = None  # whether every symmetry fixes every stored state; None if that was not looked at
    bitstate_coverage: float | None = None  # the share of states that were not lost, as expected; None: not by bits
    loss_probability: float | None = None  # that some state was taken for another; None: states are told apart exactly


@frozen
class PartialOrder:
    """Whether states were expanded in part, why or why not, and the share of those that were."""

    used: bool = False
    reason: str = "off"
    partly: float = 0.0


@frozen
class Attempt:
    """What one member of a portfolio did about a property."""

    member: str
    ended: str  # answered, or why it did not
    seconds: float  # of CPU, user and system; they may have been spent on several properties


@frozen
class Outcome:
    """The answer about one property (its name; "" for the safety properties asked for together)."""

    verdict: Verdict
    property: str = ""
    message: str = ""
    trace: Trace | None = None
    statistics: Statistics = field(default_factory=Statistics)
    engine: str = ""
    por: PartialOrder = field(default_factory=PartialOrder)
    method: str = ""  # how an engine that has several ways found the answer
    attempts: tuple[Attempt, ...] = ()  # what its members did, in their order

    def is_complete(self) -> bool:
        """Whether all that can be reached was looked at."""
        found_all = self.statistics.past_errors and self.statistics.bitstate_coverage is None
        return self.verdict is Verdict.HOLDS or found_all


def among_all_errors(outcome: Outcome, limit: str) -> Outcome:
    """The failure that a search for all errors shows; ``limit``: what ended that search early, "" if nothing did."""
    if limit:
        return replace(outcome, message=f"{outcome.message}; there may be more errors: {limit}")
    return replace(outcome, statistics=replace(outcome.statistics, past_errors=True))
