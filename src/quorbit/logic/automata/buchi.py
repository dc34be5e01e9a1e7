"""LTL → Büchi automata: the steps from a formula to small automata, in their order.

The automaton's propositions are those of the formula; if these are many, its maximal propositional sub-formulas
instead: then the expression of a proposition is a formula (`abstract`).
"""

from __future__ import annotations

from quorbit.logic.automata.automaton import Buchi, GeneralisedBuchi
from quorbit.logic.automata.degeneralise import degeneralise, orders
from quorbit.logic.automata.draft import Draft, components, finish_buchi, finish_generalised
from quorbit.logic.automata.reduce import reduce
from quorbit.logic.automata.translate import translate
from quorbit.logic.formulas.abstract import abstract_propositional
from quorbit.logic.formulas.implication import Implications
from quorbit.logic.formulas.normal import normalise
from quorbit.logic.formulas.recurrences import add_recurrences, split_recurrences
from quorbit.logic.formulas.simplify import simplify
from quorbit.model.system.formula import Formula, Proposition, propositions
from quorbit.source.errors import UserError

__all__ = ["generalised_automaton"]

MOST_PROPOSITIONS = 200  # guards are functions of all of them


def generalised_automaton(formula: Formula) -> GeneralisedBuchi:
    """An automaton of the paths that satisfy an LTL formula; for a counterexample pass the negation."""
    draft, named = build(formula)
    return finish_generalised(draft, named)


def buchi_automaton(formula: Formula) -> Buchi:
    """The same with accepting states."""
    draft, named = build(formula)
    found = [reduce(degeneralise(draft, order), by_state=True) for order in orders(draft)]
    best = min(found, key=Draft.size)
    return finish_buchi(best, accepting_states(best), named)


def build(formula: Formula) -> tuple[Draft, tuple[Proposition, ...]]:
    """The reduced draft and its propositions, in the order of the formula."""
    formula = abstract_propositional(formula)
    named = propositions(formula)
    if len(named) > MOST_PROPOSITIONS:
        raise UserError(None, f"the formula has {len(named)} propositions; {MOST_PROPOSITIONS} are the limit")
    facts = Implications()
    for i, proposition in enumerate(named):
        facts.numbers[proposition] = i
    rest, goals = split_recurrences(simplify(normalise(formula), facts))
    draft = reduce(translate(rest, facts))
    if goals:
        draft = reduce(add_recurrences(draft, [facts.compute_function(goal) for goal in goals]))
    return draft, named


def accepting_states(draft: Draft) -> list[bool]:
    """The states on cycles whose edges are marked; what lies on no cycle need not accept."""
    component = components(draft)
    return [any(marks for t, marks in edges if component[t] == component[s]) for s, edges in enumerate(draft.edges)]
