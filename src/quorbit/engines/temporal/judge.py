"""Ask a space whether all its initial states satisfy a formula."""

from __future__ import annotations

from quorbit.engines.temporal.space import Space
from quorbit.logic.automata.automaton import Buchi, Transition, as_generalised
from quorbit.logic.automata.buchi import generalised_automaton
from quorbit.logic.formulas.normal import normalise_negation
from quorbit.logic.formulas.progress import is_safety
from quorbit.logic.graphs.evaluate import Answer, check_on, over_labels
from quorbit.model.system.formula import Accepted, Formula, Not, Proposition, Truth
from quorbit.model.system.formula_kinds import is_ltl


def judge(space: Space, formula: Formula, fairness: str) -> Answer:
    """Formulas of LTL and claims are searched for a path that breaks them; all others are about the whole graph.

    A safety formula is broken by the beginning of a run; a fair run is wanted whole."""
    claim = claim_of(formula)
    if claim is None and not is_ltl(formula):
        return check_on(space.structure(), formula)
    if claim is not None:
        lasso = space.find_path(as_generalised(automaton_of(claim)), stutters=not claim.endless, may_end=False)
    else:
        automaton = generalised_automaton(over_labels(normalise_negation(formula)))
        lasso = space.find_path(automaton, stutters=True, may_end=fairness == "none" and is_safety(formula))
    return Answer(lasso is None, lasso.start if lasso else None, lasso)


def claim_of(formula: Formula) -> Accepted | None:
    """The automaton that should accept no path, if the formula is such a claim."""
    match formula:
        case Not(Accepted() as claim):
            return claim
    return None


def automaton_of(claim: Accepted) -> Buchi:
    """The automaton over its guards: each guard is one proposition."""
    guards = dict.fromkeys(g for g in claim.guards if not isinstance(g, Truth))
    bits: dict[Formula, int] = {g: 1 << k for k, g in enumerate(guards)}
    states = 1 + max((q for edge in claim.edges for q in edge), default=0)
    transitions = tuple(
        Transition(source, target, bits.get(g, 0), 0)
        for (source, target), g in zip(claim.edges, claim.guards, strict=True)
        if g != Truth(False)
    )
    named = tuple(g if isinstance(g, Proposition) else Proposition(g) for g in guards)
    return Buchi(named, states, 0, transitions, tuple(q in claim.accepting for q in range(states)))
