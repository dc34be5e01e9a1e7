"""What can always still happen, by a SAT solver: AG(p -> EF q) and AG(p -> EX:n q) [Hassan, Bradley, Somenzi 2012].

A state with p is taken that is not known to be good; a run from it to q is looked for, and the part of the state that
decides is a *cube*: from all its states the same choices lead to q, so they are good, and so are, for EF, those from
which one step leads into them.  Where there is no such run, a proof by clauses gives a set that is closed under steps
and has no q in it; another one says whether a state of it with p is reached, which breaks the formula, or else excludes
them all.  No state is left: the formula holds.

With fairness: if every fair set can always be reached again, from every state there is a fair run through whatever can
happen, and the formula says the same as without fairness.  Else nothing is said here.
"""

from __future__ import annotations

from quorbit.engines.replay import ReplayError
from quorbit.engines.symbolic.reach import Clock
from quorbit.engines.symbolic.replay import check_trace
from quorbit.engines.symbolic.sat.ahead import edge_of
from quorbit.engines.symbolic.sat.bounded import Unrolled, run_along
from quorbit.engines.symbolic.sat.clauses import Clauses, Frame
from quorbit.engines.symbolic.sat.endless import comes
from quorbit.engines.symbolic.sat.pdr import Search
from quorbit.engines.symbolic.sat.wishes import visited
from quorbit.engines.symbolic.start import start_with
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
    Implies,
    Next,
    SomePath,
    Truth,
)
from quorbit.model.system.formula_kinds import is_propositional
from quorbit.model.system.system import Property, System, Temporal
from quorbit.result.outcome import Outcome, Trace, Verdict
from quorbit.source.frozen import frozen, replace

__all__ = ["answer_possible", "is_about_what_can_happen"]

NAME = "symbolic"
FIRST_STEPS = 6  # of a run to what can happen, before anybody tries to prove that there is none
Literals = tuple[int, ...]  # of the bits of a state, as numbers of the bits from 1 on


@frozen
class Chance:
    """In every state with the trigger the goal can still happen, after just so many steps if that is said."""

    trigger: Formula
    goal: Formula
    exactly: int | None = None
    fair: tuple[Formula, ...] = ()


def is_about_what_can_happen(system: System, p: Property) -> bool:
    return chance_of(p) is not None and all(command.guard == TRUE for command in system.commands)


def chance_of(p: Property) -> Chance | None:
    """What a formula says can always happen, if it has this form."""
    match p:
        case Temporal(formula=AllPaths(Implies(often, Always(body)))) if (fair := visited(often)) is not None:
            pass
        case Temporal(formula=AllPaths(Always(body))):
            fair = ()
        case _:
            return None
    trigger, after = (body.left, body.right) if isinstance(body, Implies) else (Truth(True), body)
    steps = 0
    while (inner := on_some_run(after, fair)) is not None and isinstance(inner, Next):
        after, steps = inner.operand, steps + 1
    if isinstance(inner, Eventually) and steps == 0:
        chance = Chance(trigger, inner.operand, None, fair)
    elif inner is None and steps:
        chance = Chance(trigger, after, steps, fair)
    else:
        return None
    return chance if is_propositional(chance.trigger) and is_propositional(chance.goal) else None


def on_some_run(f: Formula, fair: tuple[Formula, ...]) -> Formula | None:
    """What is said of some fair run."""
    match f:
        case SomePath(And((often, body))) if fair and visited(often) == fair:
            return body
        case SomePath(body) if not fair:
            return body
    return None


def answer_possible(steps: Steps, p: Property, clock: Clock) -> Outcome:
    """Requires: is_about_what_can_happen.  Raises Unsupported where fair runs may be missing."""
    chance = chance_of(p)
    assert chance is not None
    for f in chance.fair:
        if Hope(steps, Chance(Truth(True), f), clock).run_that_breaks_it() is not None:
            raise Unsupported("fairness that may become impossible")
    hope = Hope(steps, chance, clock)
    trace = hope.run_that_breaks_it()
    if trace is None:
        method = f"SAT, {len(hope.good)} sets of states from which it can happen"
        return Outcome(Verdict.HOLDS, p.name, engine=NAME, method=method)
    check_end(steps.system, chance, trace)
    method = f"SAT, a run of {len(trace.steps)} steps to where it cannot happen any more"
    assert isinstance(p, Temporal)
    return Outcome(Verdict.FAILS, p.name, " ".join(p.span.text.split())[:200], trace, engine=NAME, method=method)


class Hope:
    """The states that are not known to be good, and runs from any state, which grow as they are asked for."""

    def __init__(self, steps: Steps, chance: Chance, clock: Clock) -> None:
        self.steps, self.exactly, self.clock = steps, chance.exactly, clock
        self.trigger, self.goal = (edge_of(steps, f, True) for f in (chance.trigger, chance.goal))
        self.good: list[Literals] = []
        self.most = FIRST_STEPS if chance.exactly is None else chance.exactly
        self.left = Clauses()
        self.frame = Frame(self.left, steps.wide)
        self.add(steps.valid)
        self.add(self.trigger)
        self.run = Unrolled(steps, False)
        self.target = self.run.clauses.fresh()  # after one step: the goal, or what is known to be good
        at_next = self.run.frame(1).literal(self.goal)
        self.run.clauses.add([-self.target, at_next])
        self.run.clauses.add([self.target, -at_next])
        if self.exactly is None:
            self.add(~self.goal)

    def add(self, f: Edge) -> None:
        """The states that are left are among these."""
        self.left.add([self.frame.literal(f)])

    def run_that_breaks_it(self) -> Trace | None:
        """A run to a state with the trigger from which there is no way to the goal; None if no state is left."""
        while self.left.solve([]):
            self.clock.tick()
            bits = map(self.frame.variable, self.steps.state_bits)
            s = tuple(n if self.left.value(v) else -n for n, v in enumerate(bits, start=1))
            if (cube := self.good_cube(s)) is not None:
                self.note(cube)
                continue
            bad = self.hopeless(s)
            if bad is None:  # there is a longer run
                continue
            bad = bad & self.trigger & self.steps.valid
            search = Search(self.steps, bad, self.clock)
            if search.prove() is not None:
                return run_along(Unrolled(self.steps, True), bad, search.error)
            self.add(~bad)
            for fact in search.facts():
                self.add(fact)
        return None

    def at(self, k: int, cube: Literals) -> list[int]:
        """The cube k steps after the first state."""
        frame, bits = self.run.frame(k), self.steps.state_bits
        return [frame.variable(bits[n - 1]) if n > 0 else -frame.variable(bits[-n - 1]) for n in cube]

    def good_cube(self, s: Literals) -> Literals | None:
        """The part of a state that lets some choices lead to the goal."""
        if self.exactly is None and (found := self.part(s, 1, self.target)) is not None:
            return found
        first = 2 if self.exactly is None else self.exactly
        for k in range(first, self.most + 1):
            self.clock.tick()
            if (found := self.part(s, k, self.run.frame(k).literal(self.goal))) is not None:
                return found
        return None

    def part(self, s: Literals, k: int, goal: int) -> Literals | None:
        clauses, now = self.run.clauses, self.at(0, s)
        if not clauses.solve([*now, goal]):
            return None
        chosen = [v if clauses.value(v) else -v for frame in self.run.frames[:k] for v in self.choices(frame)]
        possible = clauses.solve([*now, *chosen, -goal])
        assert not possible
        core = clauses.core()
        return tuple(n for n, literal in zip(s, now, strict=True) if literal in core)

    def choices(self, frame: Frame) -> list[int]:
        return [frame.variable(b) for b in self.steps.choice_bits]

    def note(self, cube: Literals) -> None:
        self.good.append(cube)
        bits = self.steps.state_bits
        self.left.add(-self.frame.variable(bits[n - 1]) if n > 0 else self.frame.variable(bits[-n - 1]) for n in cube)
        if self.exactly is not None:
            return
        clauses, there = self.run.clauses, self.at(1, cube)
        inside, target = clauses.fresh(), clauses.fresh()
        for literal in there:
            clauses.add([-inside, literal])
        clauses.add([inside, *(-literal for literal in there)])
        clauses.add([-target, self.target, inside])
        clauses.add([target, -self.target])
        clauses.add([target, -inside])
        self.target = target

    def hopeless(self, s: Literals) -> Edge | None:
        """States like this one, from none of which there is a way to the goal; None if there is one of more steps."""
        gates = self.steps.gates
        if self.exactly is not None:
            now = self.at(0, s)
            possible = self.run.clauses.solve([*now, self.run.frame(self.exactly).literal(self.goal)])
            assert not possible
            core = self.run.clauses.core()
            return self.edge(tuple(n for n, literal in zip(s, now, strict=True) if literal in core))
        search = Search(replace(self.steps, start=self.edge(s)), self.goal & self.steps.valid, self.clock)
        steps_there = search.prove()
        if steps_there is not None:
            self.most = max(2 * self.most, steps_there + 1)
            return None
        return gates.conjunction([~self.goal, *search.facts()])

    def edge(self, cube: Literals) -> Edge:
        gates, bits = self.steps.gates, self.steps.state_bits
        variables = [gates.variable(bits[abs(n) - 1]) for n in cube]
        return gates.conjunction(v if n > 0 else ~v for n, v in zip(cube, variables, strict=True))


def check_end(system: System, chance: Chance, trace: Trace) -> None:
    """The run is one of the model, begins where that does, and ends in a state with the trigger, and without the goal
    where that may come at once."""
    check_trace(system, trace)
    if start_with(system, dict(enumerate(trace.start))) != trace.start:
        raise ReplayError("the trace does not begin in an initial state")
    end = trace.steps[-1].state if trace.steps else trace.start
    meaning = SharingMeaning(system)
    if not comes(meaning, chance.trigger, (end,), 0) or (
        chance.exactly is None and comes(meaning, chance.goal, (end,), 0)
    ):
        raise ReplayError("the trace does not end where nothing can happen any more")
