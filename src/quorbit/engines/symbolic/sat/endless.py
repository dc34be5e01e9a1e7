"""What happens on endless runs by a SAT solver: A(fair -> G p), F q, G F q, G(p -> F q), and CTL that says the same.

Such a formula is broken by a fair run on which, from some moment on, something stays *pending*: q that was asked for by
p, or p that was once false.  A bit remembers that.  Three ways: a lasso of few steps; no few states in a row that are
pending; and a bound on how often, while something is pending, every fair set can be visited once more [Claessen,
Sörensson 2012], which is a question about states.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress

from quorbit.engines.replay import ReplayError
from quorbit.engines.symbolic.reach import Clock, OutOfTurn
from quorbit.engines.symbolic.replay import check_trace
from quorbit.engines.symbolic.sat.ahead import edge_of
from quorbit.engines.symbolic.sat.bounded import Unrolled
from quorbit.engines.symbolic.sat.pdr import Search
from quorbit.engines.symbolic.start import start_with
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
    Not,
    Or,
    Proposition,
    SomePath,
    Truth,
)
from quorbit.model.system.formula_kinds import is_propositional
from quorbit.model.system.system import Property, State, System, Temporal
from quorbit.result.outcome import Outcome, Trace, Verdict
from quorbit.source.frozen import frozen, replace

__all__ = ["answer_endless", "is_about_endless_runs", "on_all_runs"]

NAME = "symbolic"
FIRST_STEPS = 12  # of a lasso, or of states that are pending, that are looked at in any case
ROUNDS = (0, 1, 2, 4, 8, 16, 32)  # visits of all fair sets


@frozen
class Wish:
    """Whenever the trigger holds (None: at the start), the goal does then or later, on every fair run."""

    trigger: Formula | None
    goal: Formula
    fair: tuple[Formula, ...]


def is_about_endless_runs(system: System, p: Property) -> bool:
    """Where runs may stop, nothing is said about them here."""
    return wish_of(p) is not None and all(command.guard == TRUE for command in system.commands)


def on_all_runs(p: Property) -> Temporal | None:
    """The same about all runs, if a formula says that something is always true on the fair ones; where that holds, so
    does the formula."""
    wish = wish_of(p)
    if wish is None or wish.trigger is None or wish.goal != Truth(False) or not wish.fair:
        return None
    assert isinstance(p, Temporal)
    return replace(p, formula=AllPaths(Always(Not(wish.trigger))))


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


def wish_of(p: Property) -> Wish | None:
    """What a formula asks for, if it has this form."""
    if not isinstance(p, Temporal):
        return None
    quantified: list[tuple[Formula, ...]] = []
    run = on_one_run(p.formula, True, quantified)
    if run is None or len(set(quantified)) != 1:
        return None
    (fair,) = set(quantified)
    match run:
        case Always(Eventually(goal)):
            wish = Wish(Truth(True), goal, fair)
        case Always(Implies(trigger, Eventually(goal))):
            wish = Wish(trigger, goal, fair)
        case Always(body):
            wish = Wish(Not(body), Truth(False), fair)
        case Eventually(goal):
            wish = Wish(None, goal, fair)
        case _:
            return None
    listed = [wish.goal, *wish.fair, *([] if wish.trigger is None else [wish.trigger])]
    return wish if all(map(is_propositional, listed)) else None


def on_one_run(f: Formula, wanted: bool, fair: list[tuple[Formula, ...]]) -> Formula | None:
    """What a formula about all runs, or the opposite of one about some run, says of each; ``fair`` collects what those
    of each quantifier visit again and again.  To drop inner quantifiers that are about the same runs is right for the
    forms that a wish has."""
    match f:
        case AllPaths(Implies(often, body)) if wanted and (found := visited(often)) is not None:
            fair.append(found)
            return on_one_run(body, True, fair)
        case SomePath(And((often, body))) if not wanted and (found := visited(often)) is not None:
            fair.append(found)
            return on_one_run(body, False, fair)
        case AllPaths(body) if wanted:
            fair.append(())
            return on_one_run(body, True, fair)
        case SomePath(body) if not wanted:
            fair.append(())
            return on_one_run(body, False, fair)
        case _ if is_propositional(f):
            return f if wanted else Not(f)
        case Not(body):
            return on_one_run(body, not wanted, fair)
        case Always(body) | Eventually(body):
            inner = on_one_run(body, wanted, fair)
            return None if inner is None else Always(inner) if isinstance(f, Always) == wanted else Eventually(inner)
        case Implies(left, right) if wanted and is_propositional(left):
            inner = on_one_run(right, True, fair)
            return None if inner is None else Implies(left, inner)
        case And((left, right)) if not wanted and is_propositional(left):
            inner = on_one_run(right, False, fair)
            return None if inner is None else Implies(left, inner)
        case Or((left, right)) if wanted and is_propositional(left):
            inner = on_one_run(right, True, fair)
            return None if inner is None else Implies(Not(left), inner)
    return None


def visited(often: Formula) -> tuple[Formula, ...] | None:
    """The conditions that hold again and again, if that is what a formula says."""
    parts = often.operands if isinstance(often, And) else (often,)
    found = [
        part.operand.operand for part in parts if isinstance(part, Always) and isinstance(part.operand, Eventually)
    ]
    return tuple(found) if len(found) == len(parts) and all(map(is_propositional, found)) else None


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
    trigger = gates.false if wish.trigger is None else edge_of(steps, wish.trigger, True)
    pending = (asked | trigger) & edge_of(steps, wish.goal, False)
    at_first = asked if wish.trigger is None else ~asked
    more = with_bits(steps, {bit: pending}, at_first)
    return Watched(more, pending, tuple(edge_of(steps, f, True) for f in wish.fair))


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
    wished = 0 if wish.trigger is None else -1
    for k, s in enumerate(states):
        if holds(meaning, wish.goal, s):
            wished = -1
        elif wished < 0 and wish.trigger is not None and holds(meaning, wish.trigger, s):
            wished = k
    loop = states[trace.loop :]
    if wished < 0 or any(holds(meaning, wish.goal, s) for s in loop):
        raise ReplayError("the trace does not break the formula")
    if not all(any(holds(meaning, f, s) for s in loop) for f in wish.fair):
        raise ReplayError("the trace is not fair")


def holds(meaning: SharingMeaning, f: Formula, s: State) -> bool:
    """A condition of a state."""
    match f:
        case Truth(value):
            return value
        case Proposition(e):
            return bool(meaning.holds(e, s))  # type: ignore[arg-type]
        case Not(g):
            return not holds(meaning, g, s)
        case And(operands):
            return all(holds(meaning, g, s) for g in operands)
        case Or(operands):
            return any(holds(meaning, g, s) for g in operands)
        case Implies(left, right):
            return not holds(meaning, left, s) or holds(meaning, right, s)
        case Iff(left, right):
            return holds(meaning, left, s) == holds(meaning, right, s)
    raise AssertionError(f)
