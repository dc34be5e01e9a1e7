"""The last check of a counterexample: the formula itself, and fairness, on the infinite run that is to be shown."""

from __future__ import annotations

from itertools import chain, repeat

from quorbit.engines.actors import fair_processes, movers
from quorbit.engines.replay import ReplayError
from quorbit.engines.temporal.judge import automaton_of, claim_of
from quorbit.logic.formulas.fairness import Fairness
from quorbit.logic.formulas.progress import find_bad_prefix
from quorbit.logic.graphs.evaluate import check, check_never
from quorbit.logic.graphs.kripke import Kripke
from quorbit.model.meaning.evaluate import Meaning, Move
from quorbit.model.system.formula import Formula, propositions, walk
from quorbit.model.system.formula_kinds import is_ltl
from quorbit.model.system.system import State, System
from quorbit.result.outcome import Step, Trace


def check_lasso(system: System, trace: Trace, formula: Formula, fairness: str) -> None:
    """The run is fair and does not satisfy a formula of LTL; formulas about trees of runs are not asked again."""
    if trace.loop is None:
        return  # whether it breaks the formula is asked by cut_where_broken
    states = [trace.start, *(step.state for step in trace.steps)]
    if states[trace.loop] != states[-1]:
        raise ReplayError("the loop of a counterexample does not close")
    if not is_ltl(formula):
        return
    meaning = Meaning(system)
    kripke = as_kripke(meaning, trace, states, formula)
    claim = claim_of(formula)
    demanded = demands(kripke, fairness)
    if claim is None:
        answer = check(kripke, formula, demanded)
    else:
        answer = check_never(kripke, automaton_of(claim), demanded)
    if answer.holds:
        raise ReplayError("a counterexample satisfies the formula, or is not fair")


def cut_where_broken(system: System, trace: Trace, formula: Formula) -> Trace:
    """The run up to the state that breaks the formula whatever follows, if there is one: so a safety property has a
    counterexample that ends there.  Requires a formula of LTL; claims are left as they are."""
    if claim_of(formula) is not None:
        return trace
    meaning = Meaning(system)
    place = place_of_break(meaning, trace, formula)
    if trace.loop is None and place is None:  # nothing can satisfy it any more; rewriting shows that some steps later
        trace = go_on(meaning, trace, sum(1 for _ in walk(formula)))
        place = place_of_break(meaning, trace, formula)
        if place is None:
            raise ReplayError("the end of a counterexample does not break the formula")
    return trace if place is None or place > len(trace.steps) else Trace(trace.start, trace.steps[:place])


def place_of_break(meaning: Meaning, trace: Trace, formula: Formula) -> int | None:
    """The first state of a run after which rewriting shows that the formula is broken; the last one counts forever
    where the run ends."""
    named, states = propositions(formula), chain([trace.start], (step.state for step in trace.steps))
    if trace.loop == len(trace.steps):
        last = trace.steps[-1].state if trace.steps else trace.start
        states = chain(states, repeat(last, sum(1 for _ in walk(formula))))
    return find_bad_prefix(formula, ({p: meaning.holds(p.expression, s) for p in named} for s in states))  # type: ignore[arg-type]


def go_on(meaning: Meaning, trace: Trace, count: int) -> Trace:
    """Some run that begins with this one and is so many steps longer, or goes to where it ends."""
    steps = list(trace.steps)
    for _ in range(count):
        s = steps[-1].state if steps else trace.start
        move = next((move for move in meaning.moves(s) if move.violation is None), None)
        if move is None:
            return Trace(trace.start, tuple(steps), len(steps))
        steps.append(Step(move.firings, move.target))
    return Trace(trace.start, tuple(steps))


def as_kripke(meaning: Meaning, trace: Trace, states: list[State], formula: Formula) -> Kripke:
    """The run as a graph: a path, and an edge back."""
    assert trace.loop is not None
    ends = trace.loop == len(trace.steps)
    count = len(states) if ends else len(states) - 1
    visited = states[:count]
    targets = [*range(1, count), count - 1 if ends else trace.loop]
    actors = [
        movers(meaning, s, Move(step.firings, step.state))[1] for s, step in zip(states, trace.steps, strict=False)
    ]
    if ends:
        actors.append(0)
    enabled = [first_movers(meaning, s) for s in visited]
    labels = {p: bytes(meaning.holds(p.expression, s) for s in visited) for p in propositions(formula)}  # type: ignore[arg-type]
    dead = bytes(count - 1) + bytes([ends])
    return Kripke(range(count + 1), targets, (0,), labels, actors, enabled, dead)


def first_movers(meaning: Meaning, s: State) -> int:
    mask = 0
    for move in meaning.moves(s):
        mask |= movers(meaning, s, move)[0]
    return mask


def demands(kripke: Kripke, fairness: str) -> Fairness:
    processes = fair_processes(kripke.enabled)
    match fairness:
        case "weak":
            return Fairness(weak=processes)
        case "strong":
            return Fairness(strong=processes)
    return Fairness()
