"""The run that a user makes in the explorer: where it began, the steps taken, where in it the user stands.

Going back does not forget the steps that follow; another move from an earlier state does, and undo brings them back.
The engine is that of ``quorbit simulate``: one command after the other on the System as it was loaded.
"""

from __future__ import annotations

from random import Random

from quorbit.engines.simulate.random_walk import walk
from quorbit.engines.simulate.session import UNNUMBERED, Choices, Session, Taken, find_problem
from quorbit.model.meaning.evaluate import Firing, Meaning, Violation
from quorbit.model.system.system import State, System
from quorbit.pipeline.load import Growing, Model
from quorbit.result.outcome import Trace
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace

LONGEST = 20_000  # steps of a run


@frozen
class Run:
    """``at``: after how many of the steps the user stands; ``loop``: a row that the last one leads back to."""

    start: State
    taken: tuple[Taken, ...] = ()
    at: int = 0
    loop: int | None = None

    @property
    def state(self) -> State:
        return self.state_at(self.at)

    def state_at(self, k: int) -> State:
        return self.taken[k - 1].after if k else self.start


class Exploration:
    """A model with a run of it that can be taken back.  Not safe for threads: whoever uses it holds a lock."""

    def __init__(self, model: Model, seed: int = 0) -> None:
        self.growing = Growing(model)
        self.session = Session(model.system, seed, self.growing)
        self.random = Random(seed)
        self.run = Run(self.session.start)
        self.done: list[Run] = []
        self.undone: list[Run] = []
        self.offered: dict[State, Choices] = {}
        self.systems = 1  # how many Systems there were: it changes when bounds grow

    @property
    def model(self) -> Model:
        return self.growing.model

    @property
    def system(self) -> System:
        return self.session.system

    @property
    def meaning(self) -> Meaning:
        return self.session.meaning

    # Looking.

    def choices(self, at: int) -> Choices:
        """What can happen after so many steps; the same each time it is asked for."""
        s = self.run.state_at(at)
        if at and self.run.taken[at - 1].violation is not None:
            return Choices([])
        if s not in self.offered:
            self.place(at)
            self.offered[s] = self.session.choices()
        return self.offered[s]

    def problem(self, at: int) -> Violation | None:
        choices = self.choices(at)
        self.place(at)
        return find_problem(self.session, choices)

    def place(self, at: int) -> None:
        """Put the session where the run stands after so many steps."""
        self.session.start = self.run.start
        self.session.taken = list(self.run.taken[:at])

    # Moving.

    def go(self, at: int) -> None:
        self.run = replace(self.run, at=max(0, min(at, len(self.run.taken))))

    def take(self, at: int, number: int) -> None:
        """Take a move after so many steps; one that was taken there before leaves the rest of the run as it is."""
        firings = self.choices(at).firings
        if not 0 <= number < len(firings):
            raise UserError(None, f"there is no move number {number} here")
        if at < len(self.run.taken) and self.run.taken[at].firing == firings[number]:
            self.go(at + 1)
            return
        self.extend(at, [(number, firings[number])])

    def extend(self, at: int, moves: list[tuple[int, Firing]]) -> None:
        if at + len(moves) > LONGEST:
            raise UserError(None, f"a run has at most {LONGEST:,} steps here")
        self.place(at)
        known = self.session.system
        for number, firing in moves:
            self.session.take(number, firing)
        self.settle(known)

    def walk(self, at: int, steps: int) -> None:
        """Moves at random, until something is wrong or nothing can move."""
        if at + steps > LONGEST:
            raise UserError(None, f"a run has at most {LONGEST:,} steps here")
        self.place(at)
        known = self.session.system
        for _ in walk(self.session, steps, self.random):
            pass
        self.settle(known)

    def settle(self, known: System) -> None:
        """The run is what the session did; in a larger System nothing of before can be gone back to."""
        taken = tuple(self.session.taken)
        if self.session.system is not known:
            self.systems += 1
            self.offered.clear()
            self.done, self.undone = [], []
            self.run = Run(self.session.start, taken, len(taken))
            return
        self.become(Run(self.session.start, taken, len(taken)))

    def become(self, run: Run) -> None:
        self.done.append(self.run)
        self.undone = []
        self.run = run

    def choose_start(self, number: int) -> None:
        starts = self.session.starts
        if not 0 <= number < len(starts):
            raise UserError(None, f"there is no initial state number {number}")
        self.become(Run(starts[number]))

    def undo(self) -> bool:
        if not self.done:
            return False
        self.undone.append(self.run)
        self.run = self.done.pop()
        return True

    def redo(self) -> bool:
        if not self.undone:
            return False
        self.done.append(self.run)
        self.run = self.undone.pop()
        return True

    def draw_again(self, at: int) -> None:
        """Other moves, where not all can be listed."""
        self.offered.pop(self.run.state_at(at), None)

    def follow(self, model: Model, trace: Trace) -> None:
        """A counterexample becomes the run; the user stands at its end.  Requires: it is a run of the model."""
        if model.system != self.system:
            self.growing = Growing(model)
            self.session = Session(model.system, 0, self.growing)
            self.systems += 1
            self.offered.clear()
            self.done, self.undone = [], []
        taken = tuple(taken_steps(self.session, trace))
        at = len(taken)
        loop = None if trace.loop is None else sum(len(step.firings) for step in trace.steps[: trace.loop])
        self.become(Run(trace.start, taken, at, loop))


def taken_steps(session: Session, trace: Trace) -> list[Taken]:
    """Every command of a trace as a step of its own."""
    session.start, session.taken = trace.start, []
    for step in trace.steps:
        for k, firing in enumerate(step.firings):
            found = session.step(UNNUMBERED, firing)
            if k + 1 == len(step.firings):
                found = replace(found, after=step.state)
            session.taken.append(found)
    return list(session.taken)
