"""The last check of a counterexample: the formula itself, and fairness, on the infinite run that is to be shown."""

from __future__ import annotations

from quorbit.engines.actors import movers
from quorbit.engines.replay import ReplayError
from quorbit.engines.temporal.judge import automaton_of, claim_of
from quorbit.logic.formulas.fairness import Fairness
from quorbit.logic.formulas.progress import find_bad_prefix
from quorbit.logic.graphs.evaluate import check, check_never
from quorbit.logic.graphs.kripke import Kripke
from quorbit.model.meaning.evaluate import Meaning, Move
from quorbit.model.system.formula import Formula, propositions
from quorbit.model.system.formula_kinds import is_ltl
from quorbit.model.system.system import State, System
from quorbit.result.outcome import Trace


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
    meaning, named = Meaning(system), propositions(formula)
    states = (trace.start, *(step.state for step in trace.steps))
    values = ({p: meaning.holds(p.expression, s) for p in named} for s in states)  # type: ignore[arg-type]
    place = find_bad_prefix(formula, values)
    if trace.loop is None and place is None:
        raise ReplayError("the end of a counterexample does not break the formula")
    return trace if place is None else Trace(trace.start, trace.steps[:place])


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
    mask = 0
    for e in kripke.enabled:
        mask |= e
    processes = tuple(a for a in range(mask.bit_length()) if mask >> a & 1)
    match fairness:
        case "weak":
            return Fairness(weak=processes)
        case "strong":
            return Fairness(strong=processes)
    return Fairness()
