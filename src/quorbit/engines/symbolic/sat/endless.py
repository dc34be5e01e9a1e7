"""What happens on endless runs by a SAT solver: the formulas of ``wishes``.

Such a formula is broken by a fair run on which, from some moment on, something stays *pending*: q that was asked for by
p, or p that was once false.  A bit remembers that; where p looks ahead, further bits keep what was true before, so that
p is known some steps later.  Three ways: a lasso of few steps; no few states in a row that are
pending; and a bound on how often, while something is pending, every fair set can be visited once more [Claessen,
Sörensson 2012], which is a question about states.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress

from quorbit.engines.replay import ReplayError
from quorbit.engines.symbolic.reach import Clock, OutOfTurn
from quorbit.engines.symbolic.replay import check_trace
from quorbit.engines.symbolic.sat.ahead import edge_of
from quorbit.engines.symbolic.sat.bounded import Unrolled
from quorbit.engines.symbolic.sat.pdr import Search
from quorbit.engines.symbolic.sat.wishes import Wish, wish_of
from quorbit.engines.symbolic.start import start_with
from quorbit.model.diagrams.gates import Edge
from quorbit.model.diagrams.steps import Steps
from quorbit.model.meaning.share import SharingMeaning
from quorbit.model.system.expression import TRUE
from quorbit.model.system.formula import And, Formula, Iff, Implies, Next, Not, Or, Proposition, Truth
from quorbit.model.system.system import Property, State, System, Temporal
from quorbit.result.outcome import Outcome, Trace, Verdict
from quorbit.source.frozen import frozen, replace

__all__ = ["answer_endless", "comes", "is_about_endless_runs"]

NAME = "symbolic"
FIRST_STEPS = 12  # of a lasso, or of states that are pending, that are looked at in any case
ROUNDS = (0, 1, 2, 4, 8, 16, 32)  # visits of all fair sets


def is_about_endless_runs(system: System, p: Property) -> bool:
    """Where runs may stop, nothing is said about them here."""
    return wish_of(p) is not None and all(command.guard == TRUE for command in system.commands)


def answer_endless(steps: Steps, p: Property, clock: Clock) -> Outcome:
    """Requires: is_about_endless_runs, and a clock that ends."""
    assert clock.turn is not None
    wish = wish_of(p)
    assert wish is not None
    watched = watch(steps, wish)
    lassos, rows = find_lasso(watched, clock), long_rows(watched, clock)
    for k in range(FIRST_STEPS):
        if (trace := next(lassos)) is not None:
            return broken(steps, p, wish, trace)
        if next(rows):
            return Outcome(Verdict.HOLDS, p.name, engine=NAME, method=f"SAT, at most {k} steps until the goal")
    with suppress(OutOfTurn):
        in_half = clock.sooner((clock.turn - time.process_time()) / 2)
        for rounds in ROUNDS:
            if Search(*with_rounds(watched, rounds), in_half).prove() is None:
                method = f"SAT, at most {rounds} visits of all fair sets until the goal"
                return Outcome(Verdict.HOLDS, p.name, engine=NAME, method=method)
    return broken(steps, p, wish, next(trace for trace in lassos if trace is not None))


def broken(steps: Steps, p: Property, wish: Wish, trace: Trace) -> Outcome:
    check_lasso(steps.system, wish, trace)
    method = f"SAT, a lasso of {len(trace.steps)} steps"
    told = " ".join(p.span.text.split())[:200] if isinstance(p, Temporal) else ""
    return Outcome(Verdict.FAILS, p.name, told, trace, engine=NAME, method=method)


@frozen
class Watched:
    """Steps with a bit that remembers that something is pending."""

    steps: Steps
    pending: Edge  # now, with what the present state asks for and gives
    fair: tuple[Edge, ...]


def watch(steps: Steps, wish: Wish) -> Watched:
    gates = steps.gates
    (bit,) = gates.add_variables(1)
    asked = gates.variable(bit)
    before = Before(steps, wish.ahead)
    trigger = gates.false if wish.trigger is None else before.edge(wish.trigger)
    pending = (asked | trigger) & edge_of(steps, wish.goal, False)
    at_first = asked if wish.trigger is None else ~asked
    at_first = gates.conjunction([at_first, *(~gates.variable(b) for b in before.following)])
    more = with_bits(steps, {bit: pending, **before.following}, at_first)
    return Watched(more, pending, tuple(edge_of(steps, f, True) for f in wish.fair))


class Before:
    """What was true so many steps ago, by bits that pass it on; what was before the start was false."""

    def __init__(self, steps: Steps, ago: int) -> None:
        self.steps, self.ago = steps, ago
        self.following: dict[int, Edge] = {}
        self.bits: dict[tuple[int, int], Edge] = {}  # by what was true and how long ago

    def edge(self, f: Formula) -> Edge:
        """Where f was true."""
        return self.since(self.steps.gates.true, self.ago) & self.after(f, self.ago)

    def after(self, f: Formula, ago: int) -> Edge:
        """Where f was true so many steps ago, if there were so many."""
        gates = self.steps.gates
        match f:
            case Proposition() | Truth():
                return self.since(edge_of(self.steps, f, True), ago)
            case Not(g):
                return ~self.after(g, ago)
            case And(operands):
                return gates.conjunction(self.after(g, ago) for g in operands)
            case Or(operands):
                return gates.disjunction(self.after(g, ago) for g in operands)
            case Implies(left, right):
                return ~self.after(left, ago) | self.after(right, ago)
            case Iff(left, right):
                return gates.equivalent(self.after(left, ago), self.after(right, ago))
            case Next(g):
                return self.after(g, ago - 1)
        raise AssertionError(f)

    def since(self, f: Edge, ago: int) -> Edge:
        if ago == 0:
            return f
        if (f.number, ago) not in self.bits:
            (bit,) = self.steps.gates.add_variables(1)
            self.following[bit] = self.since(f, ago - 1)
            self.bits[f.number, ago] = self.steps.gates.variable(bit)
        return self.bits[f.number, ago]


def with_bits(steps: Steps, following: dict[int, Edge], at_first: Edge) -> Steps:
    """Steps with further bits of the state."""
    layout = replace(steps.layout, present=(*steps.layout.present, *following))
    both = {**steps.following, **following}
    return replace(steps, layout=layout, following=both, start=steps.start & at_first)


def with_rounds(watched: Watched, rounds: int) -> tuple[Steps, Edge]:
    """Steps that count how often all fair sets were visited while something was pending; where that was too often."""
    steps, pending = watched.steps, watched.pending
    gates = steps.gates
    if rounds == 0:
        return steps, pending
    seen = list(gates.add_variables(len(watched.fair)))
    counted = list(gates.add_variables(rounds))
    visits = [gates.variable(b) | f for b, f in zip(seen, watched.fair, strict=True)]
    done = gates.conjunction([pending, *visits])
    following = {b: pending & ~done & f for b, f in zip(seen, visits, strict=True)}
    before = gates.true
    for b in counted:
        following[b] = pending & (gates.variable(b) | (done & before))
        before = gates.variable(b)
    at_first = gates.conjunction(~gates.variable(b) for b in following)
    return with_bits(steps, following, at_first), pending & done & before


def long_rows(watched: Watched, clock: Clock) -> Iterator[bool]:
    """For every k from 0 on: whether no k + 1 states in a row are pending."""
    run = Unrolled(watched.steps, False)
    k = 0
    while True:
        clock.tick()
        run.clauses.add([run.frame(k).literal(watched.pending)])
        yield not run.clauses.solve([])
        k += 1


def find_lasso(watched: Watched, clock: Clock) -> Iterator[Trace | None]:
    """For every length from 1 on: a fair run that ends where it was before, and is pending from there on."""
    run = Unrolled(watched.steps, True)
    k = 1
    while True:
        clock.tick()
        switch = run.clauses.fresh()
        backs = close_loop(run, watched, k, switch)
        if run.clauses.solve([switch]):
            loop = next(j for j, back in enumerate(backs) if run.clauses.value(back))
            yield replace(run.trace(k), loop=loop)
            return
        run.clauses.add([-switch])
        yield None
        k += 1


def close_loop(run: Unrolled, watched: Watched, k: int, switch: int) -> list[int]:
    """Under the switch, the state after k steps is an earlier one; literals that say which."""
    clauses, last = run.clauses, run.frame(k)
    backs = [clauses.fresh() for _ in range(k)]
    clauses.add([-switch, *backs])
    inside, within = [], -clauses.true
    for j, back in enumerate(backs):
        frame = run.frames[j]
        for b in watched.steps.state_bits:
            here, there = frame.variable(b), last.variable(b)
            clauses.add([-back, -here, there])
            clauses.add([-back, here, -there])
        before, within = within, clauses.fresh()
        clauses.add([-within, before, back])  # inside the loop from where it begins
        clauses.add([-before, within])
        clauses.add([-back, within])
        clauses.add([-switch, -within, frame.literal(watched.pending)])
        inside.append(within)
    for f in watched.fair:
        visits = []
        for within, frame in zip(inside, run.frames, strict=False):
            visit = clauses.fresh()
            clauses.add([-visit, within])
            clauses.add([-visit, frame.literal(f)])
            visits.append(visit)
        clauses.add([-switch, *visits])
    return backs


def check_lasso(system: System, wish: Wish, trace: Trace) -> None:
    """The run is one of the model, fair, and has a wish that is never granted."""
    check_trace(system, trace)
    if start_with(system, dict(enumerate(trace.start))) != trace.start:
        raise ReplayError("the trace does not begin in an initial state")
    assert trace.loop is not None
    meaning = SharingMeaning(system)
    states = [trace.start, *(step.state for step in trace.steps)][:-1]
    loop = states[trace.loop :]
    run = states + loop * (2 + wish.ahead // len(loop))  # all that is wished for on it, and what comes of that
    wished = [0] if wish.trigger is None else [k for k in range(len(states)) if comes(meaning, wish.trigger, run, k)]
    if all(any(comes(meaning, wish.goal, run, j) for j in range(k + wish.ahead, len(run))) for k in wished):
        raise ReplayError("the trace does not break the formula")
    if not all(any(comes(meaning, f, loop, k) for k in range(len(loop))) for f in wish.fair):
        raise ReplayError("the trace is not fair")


def comes(meaning: SharingMeaning, f: Formula, run: Sequence[State], k: int) -> bool:
    """Whether what looks some steps ahead is true of a run from one of its states on."""
    match f:
        case Next(g):
            return comes(meaning, g, run, k + 1)
        case Not(g):
            return not comes(meaning, g, run, k)
        case And(operands):
            return all(comes(meaning, g, run, k) for g in operands)
        case Or(operands):
            return any(comes(meaning, g, run, k) for g in operands)
        case Implies(left, right):
            return not comes(meaning, left, run, k) or comes(meaning, right, run, k)
        case Iff(left, right):
            return comes(meaning, left, run, k) == comes(meaning, right, run, k)
        case Truth(value):
            return value
        case Proposition(e):
            return bool(meaning.holds(e, run[k]))  # type: ignore[arg-type]
    raise AssertionError(f)
