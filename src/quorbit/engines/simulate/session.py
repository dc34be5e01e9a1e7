"""A run of a System, one command after the other, with a way back.

The commands inside an atomic section are steps too: a simulation shows what the user wrote, not what a search stores.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from quorbit.engines.simulate.choices import find_choices, find_starts
from quorbit.engines.simulate.printed import printed
from quorbit.model.meaning.evaluate import FAULTS, BoundExceeded, Fault, Firing, Meaning, Violation
from quorbit.model.system.system import Invariant, NoDeadlock, State, System
from quorbit.result.outcome import Step, Trace
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen

__all__ = ["UNNUMBERED", "Choices", "Session", "Taken", "find_problem", "problem_in"]

MOST_DOUBLINGS = 10  # of the bounds a front end chooses by itself
UNNUMBERED = -1  # of a step that was not chosen by its number
Grow = Callable[[], System]  # the same model with larger bounds


@frozen
class Taken:
    """A step: its number among the choices (or UNNUMBERED), the command, the states around it, what it violated, what
    it printed."""

    number: int
    firing: Firing
    before: State
    after: State
    violation: Violation | None = None
    printed: str = ""


@frozen
class Choices:
    """What can happen now; ``complete``: these are all; ``fault``: a guard that has no value here."""

    firings: list[Firing]
    complete: bool = True
    fault: Violation | None = None


class Session:
    """The model, where the run began, and the steps taken so far."""

    def __init__(self, system: System, seed: int = 0, grow: Grow | None = None) -> None:
        self.random = Random(seed)
        self.grow = grow
        self.taken: list[Taken] = []
        self.starts: list[State] = []
        self.start: State = ()
        self.choose_start(self.use(system), 0)

    def use(self, system: System) -> Meaning:
        self.system, self.meaning = system, Meaning(system)
        return self.meaning

    def choose_start(self, meaning: Meaning, k: int) -> None:
        if not self.starts:
            try:
                self.starts, self.all_starts = find_starts(meaning, self.random)
            except Fault as fault:
                raise UserError(fault.span, f"run-time error before the first state: {fault.message}") from None
            if not self.starts:
                raise UserError(None, f"{meaning.system.name}: no initial state was found")
        self.start = self.starts[k]

    @property
    def state(self) -> State:
        return self.taken[-1].after if self.taken else self.start

    def choices(self) -> Choices:
        if self.taken and self.taken[-1].violation is not None:
            return Choices([])
        try:
            return Choices(*find_choices(self.meaning, self.state, self.random))
        except Fault as fault:
            return Choices([], fault=Violation(FAULTS, fault.message, fault.span))

    def take(self, number: int, firing: Firing) -> Taken:
        """Take a step; where a bound on what the model may create is exceeded, go on with a larger one."""
        for _ in range(MOST_DOUBLINGS):
            try:
                step = self.step(number, firing)
                break
            except BoundExceeded:
                firing = self.start_again(number)
        else:
            raise UserError(None, f"{self.system.name}: the number of processes grows without bound")
        self.taken.append(step)
        return step

    def step(self, number: int, firing: Firing) -> Taken:
        s = self.state
        text = printed(self.meaning, s, firing)
        t, violation = self.meaning.fire(s, firing)
        return Taken(number, firing, s, t, violation, text)

    def start_again(self, number: int) -> Firing:
        """The run so far in a larger System; the choices there have the same numbers.  The choice that follows."""
        if self.grow is None:
            raise UserError(None, f"{self.system.name}: too many processes")
        numbers = [self.number_of(step) for step in self.taken]
        start = self.starts.index(self.start)
        self.starts, self.taken = [], []
        self.choose_start(self.use(self.grow()), start)
        for k in numbers:
            self.taken.append(self.step(k, self.choices().firings[k]))
        return self.choices().firings[number]

    def number_of(self, step: Taken) -> int:
        """Its number among the choices, looked for where the step was not chosen by it."""
        if step.number != UNNUMBERED:
            return step.number
        return find_choices(self.meaning, step.before, self.random)[0].index(step.firing)

    def undo(self) -> bool:
        """Take the last step back; False if there is none."""
        return self.taken.pop() is not None if self.taken else False

    def trace(self) -> Trace:
        """The run as an engine would tell it: a step leads from a stored state to a stored state."""
        steps: list[Step] = []
        firings: list[Firing] = []
        for taken in self.taken:
            firings.append(taken.firing)
            if taken.violation is not None or not self.meaning.is_transient(taken.after):
                steps.append(Step(tuple(firings), taken.after))
                firings = []
        if firings:
            steps.append(Step(tuple(firings), self.state))
        return Trace(self.start, tuple(steps))


def find_problem(session: Session, choices: Choices) -> Violation | None:
    """What is wrong where the run stands now."""
    if session.taken and session.taken[-1].violation is not None:
        return session.taken[-1].violation
    if choices.fault is not None:
        return choices.fault
    return problem_in(session.meaning, session.state, bool(choices.firings) or not choices.complete)


def problem_in(meaning: Meaning, s: State, can_move: bool) -> Violation | None:
    """An invariant that does not hold in a state, or a deadlock; a state that is only passed through is not judged."""
    if meaning.is_transient(s):
        return None
    return broken_invariant(meaning, s) or (None if can_move else deadlock(meaning, s))


def broken_invariant(meaning: Meaning, s: State) -> Violation | None:
    for p in meaning.system.properties:
        if isinstance(p, Invariant):
            try:
                if not meaning.holds(p.condition, s):
                    return Violation(p.name, p.message or f"{p.name} does not hold", p.span)
            except Fault as fault:
                return Violation(FAULTS, fault.message, fault.span)
    return None


def deadlock(meaning: Meaning, s: State) -> Violation | None:
    for p in meaning.system.properties:
        if isinstance(p, NoDeadlock) and not meaning.holds(p.allowed, s):
            return Violation(p.name, p.message, p.span)
    return None
