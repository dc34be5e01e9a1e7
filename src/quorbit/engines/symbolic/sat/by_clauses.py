"""Answers from a SAT solver about what never happens: errors of a few steps, induction, then a proof by clauses."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from quorbit.engines.replay import ReplayError
from quorbit.engines.symbolic.reach import Clock
from quorbit.engines.symbolic.replay import check_trace
from quorbit.engines.symbolic.sat.ahead import edge_of, is_shown_by_steps, steps_ahead
from quorbit.engines.symbolic.sat.bounded import Unrolled, find_error, prove_by_induction, run_along
from quorbit.engines.symbolic.sat.pdr import Search
from quorbit.engines.symbolic.sat.symmetry import confirmed
from quorbit.engines.symbolic.start import start_with
from quorbit.groups.permutation import Permutation
from quorbit.model.diagrams.cases import Unsupported
from quorbit.model.diagrams.gates import Edge
from quorbit.model.diagrams.steps import Steps
from quorbit.model.meaning.share import SharingMeaning
from quorbit.model.system.expression import TRUE
from quorbit.model.system.formula import (
    AllPaths,
    Always,
    And,
    Eventually,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Proposition,
    SomePath,
    Truth,
)
from quorbit.model.system.system import Invariant, Property, State, System, Temporal
from quorbit.result.outcome import Outcome, Trace, Verdict

__all__ = ["is_about_states"]

NAME = "symbolic"
FIRST_STEPS = 8  # that are looked at beside the first levels of a proof by clauses
LEAD = 2  # levels that a proof by clauses is behind these
SHARE = 1 / 5  # of the time of a proof by clauses, to look for longer runs
AHEAD = 0.5  # seconds of this that it is ahead


def is_about_states(system: System, p: Property) -> bool:
    """Whether a property may say that some states are reached, or are not.  Where runs may stop, AG is only about those
    that do not."""
    if isinstance(p, Invariant):
        return True
    never, once = never_false(p), once_true(p)
    shown = [is_shown_by_steps(f, wanted) for f, wanted in ((never, False), (once, True)) if f is not None]
    return any(shown) and goes_on(system)


def goes_on(system: System) -> bool:
    """Whether a step leads on from every state."""
    return all(command.guard == TRUE for command in system.commands)


class Facts:
    """What was proved of all states on the way to answers, and runs that many questions look at.  These are runs of as
    many steps as anybody asked for, so where runs may stop, a shorter one need not be among them."""

    def __init__(self, steps: Steps) -> None:
        self.known: list[Edge] = []
        self.meaning = SharingMeaning(steps.system)  # that traces are replayed on
        self.from_start, self.from_anywhere = Unrolled(steps, True), Unrolled(steps, False)


class Inquiry:
    """One property on its way to an answer.  Where the clock stops it, the next call goes on from there."""

    def __init__(
        self, steps: Steps, p: Property, generators: Iterable[Permutation] = (), facts: Facts | None = None
    ) -> None:
        """Requires: is_about_states.  Raises Unsupported for what is not decided by a few steps on one path.  Those of
        the generators are used that turn out to keep the start, the steps and the property."""
        self.steps, self.p, self.facts = steps, p, facts or Facts(steps)
        self.bad, self.beyond = bad_states(steps, p)
        self.symmetries = confirmed(steps, self.bad, generators)
        untimed = Clock()  # what a clock stops inside an iterator cannot go on
        self.search = Search(steps, self.bad, untimed, self.symmetries)
        from_start, self.from_anywhere = self.facts.from_start, self.facts.from_anywhere
        self.shares = not self.symmetries and goes_on(steps.system)
        if not self.shares:  # but has only the least runs, or those of some length
            from_start, self.from_anywhere = (Unrolled(steps, first, self.symmetries) for first in (True, False))
        self.errors = find_error(from_start, self.bad, untimed, None, self.beyond, lambda k: k < self.search.last)
        self.proofs = prove_by_induction(self.from_anywhere, self.bad, untimed)
        self.grant(steps.valid)
        self.tried = self.done = 0  # lengths of runs that were looked at, alone and with a level of the proof
        self.proving, self.looking = 0.0, AHEAD  # seconds after these, and of them for longer runs

    def grant(self, valid: Edge) -> None:
        """More is known of all states."""
        self.search.grant(valid)
        self.from_anywhere.grant(valid)

    def answer(self, clock: Clock) -> Outcome:
        self.search.clock = clock
        while self.done < FIRST_STEPS:
            if self.tried == self.done:
                clock.tick()
                if (found := self.try_runs()) is not None:
                    return found
            if self.done >= LEAD and (is_safe := self.search.advance()) is not None:
                return self.decided(is_safe)
            self.done += 1
        return self.prove_beside_runs(clock)

    def try_runs(self) -> Outcome | None:
        """Runs with one step more, and induction over them."""
        if (trace := next(self.errors)) is not None:
            return self.broken(trace)
        self.tried += 1
        if next(self.proofs):
            self.learn([])
            symmetric = f", {len(self.symmetries)} symmetries broken" if self.symmetries else ""
            return unreached(self.steps, self.p, f"SAT, induction over {self.tried} steps{symmetric}")
        return None

    def prove_beside_runs(self, clock: Clock) -> Outcome:
        """A proof by clauses, and beside it longer and longer runs."""
        while True:
            began = time.process_time()
            try:
                is_safe = self.search.advance()
            finally:
                self.proving += time.process_time() - began
            if is_safe is not None:
                return self.decided(is_safe)
            while self.looking < SHARE * (self.proving + self.looking):
                clock.tick()
                began = time.process_time()
                if (trace := next(self.errors)) is not None:
                    return self.broken(trace)
                self.looking += time.process_time() - began

    def decided(self, is_safe: bool) -> Outcome:
        """The answer of a proof by clauses that came to its end."""
        if not is_safe:
            runs = self.facts.from_start if self.shares else Unrolled(self.steps, True)
            return self.broken(self.short_run() or run_along(runs, self.bad, self.search.error, self.beyond))
        self.learn(self.search.facts())
        told = f"SAT, invariant of {len(self.search.invariant)} clauses"
        copied = f", {self.search.copied} of its cubes copied along {len(self.symmetries)} symmetries"
        return unreached(self.steps, self.p, told + (copied if self.symmetries else ""))

    def short_run(self) -> Trace | None:
        """A run that is shorter than the one of the proof, if it has few steps."""
        while self.tried < min(len(self.search.error) - 1, FIRST_STEPS):
            if (trace := next(self.errors)) is not None:
                return trace
            self.tried += 1
        return None

    def broken(self, trace: Trace) -> Outcome:
        symmetric = f", {len(self.symmetries)} symmetries broken" if self.symmetries else ""
        check_error(self.facts.meaning, self.p, trace)
        return reached(self.steps, self.p, trace, f"SAT, runs of {len(trace.steps)} steps{symmetric}")

    def learn(self, more: Iterable[Edge]) -> None:
        """What was proved of all states."""
        self.facts.known += [*([] if self.beyond else [~self.bad]), *more]


def unreached(steps: Steps, p: Property, method: str) -> Outcome:
    """The answer where no state is reached that the property is about."""
    if once_true(p) is None:
        return Outcome(Verdict.HOLDS, p.name, engine=NAME, method=method)
    run = Unrolled(steps, True)
    possible = run.clauses.solve([])
    assert possible, "there is no initial state"
    return Outcome(Verdict.FAILS, p.name, words_of(p), run.trace(0), engine=NAME, method=method)


def reached(steps: Steps, p: Property, trace: Trace, method: str) -> Outcome:
    """The answer where a run leads to such a state.  What runs there are from other initial states is not known."""
    if once_true(p) is None:
        return Outcome(Verdict.FAILS, p.name, words_of(p), trace, engine=NAME, method=method)
    if not starts_only_at(steps, trace.start):
        raise Unsupported("EF from several initial states")
    return Outcome(Verdict.HOLDS, p.name, engine=NAME, method=method)


def starts_only_at(steps: Steps, s: State) -> bool:
    run = Unrolled(steps, True)
    other = []
    for coded, value in zip(steps.layout.places, s, strict=True):
        k = coded.values.index(value)
        other += [-v if k >> i & 1 else v for i, v in enumerate(map(run.frames[0].variable, coded.bits))]
    run.clauses.add(other)
    return not run.clauses.solve([])


def bad_states(steps: Steps, p: Property) -> tuple[Edge, int]:
    """The states that break a property, perhaps by what is chosen in the next steps; and in how many of them."""
    match p:
        case Invariant(condition=condition):
            return ~steps.truth(condition) & steps.valid, 0
    if (body := never_false(p)) is not None:
        return edge_of(steps, body, False) & steps.valid, steps_ahead(body)
    if (body := once_true(p)) is not None:
        return edge_of(steps, body, True) & steps.valid, steps_ahead(body)
    raise Unsupported("a property about more than states")


def never_false(p: Property) -> Formula | None:
    """What a formula says of every state that is reached, if that is all it says."""
    match p:
        case Temporal(formula=AllPaths(Always(body))):
            return body
        case Temporal(formula=Not(SomePath(Eventually(body)))):
            return Not(body)
    return None


def once_true(p: Property) -> Formula | None:
    """What is to be true of some state that is reached, if a formula says just that."""
    match p:
        case Temporal(formula=SomePath(Eventually(body))):
            return body
        case Temporal(formula=Not(AllPaths(Always(body)))):
            return Not(body)
    return None


def words_of(p: Property) -> str:
    """What is told of a property that fails."""
    if isinstance(p, Temporal):
        return " ".join(p.span.text.split())[:200]
    return p.message if isinstance(p, Invariant) else ""


def check_error(meaning: SharingMeaning, p: Property, trace: Trace) -> None:
    """The run is one of the model, begins where the model does, and ends in a state that decides about the property."""
    system = meaning.system
    check_trace(system, trace, meaning)
    if start_with(system, dict(enumerate(trace.start)), meaning) != trace.start:
        raise ReplayError("the trace does not begin in an initial state")
    if not is_broken(meaning, p, [trace.start, *(step.state for step in trace.steps)]):
        raise ReplayError("the trace does not end in an error")


def is_broken(meaning: SharingMeaning, p: Property, states: Sequence[State]) -> bool:
    def shows(f: Formula, wanted: bool, at: int) -> bool:
        match f:
            case Truth(value):
                return value == wanted
            case Proposition(e):
                return meaning.holds(e, states[at]) == wanted  # type: ignore[arg-type]
            case Not(g):
                return shows(g, not wanted, at)
            case And(operands):
                return (all if wanted else any)(shows(g, wanted, at) for g in operands)
            case Or(operands):
                return (any if wanted else all)(shows(g, wanted, at) for g in operands)
            case Implies(left, right):
                return shows(Or((Not(left), right)), wanted, at)
            case Iff(left, right):
                return (shows(left, True, at) == shows(right, True, at)) == wanted
            case Next(g) | AllPaths(Next(g)) | SomePath(Next(g)):
                return at + 1 < len(states) and shows(g, wanted, at + 1)
        return False

    if isinstance(p, Invariant):
        return not meaning.holds(p.condition, states[-1])
    if (body := never_false(p)) is not None:
        return shows(body, False, len(states) - 1 - steps_ahead(body))
    body = once_true(p)
    return body is not None and shows(body, True, len(states) - 1 - steps_ahead(body))
