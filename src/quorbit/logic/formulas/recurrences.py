"""Many conjuncts `[]<> a` at the root of a formula, as fairness assumptions make them, without a step for every subset.

The translation notes in each step which of the k goals are met, which makes 2^k steps.  It is enough to note one goal
at a time: a path meets all of them infinitely often exactly if it can note each of them infinitely often.
"""

from __future__ import annotations

from quorbit.logic.automata.draft import Draft
from quorbit.model.system.formula import Always, And, Eventually, Formula, conjoin
from quorbit.model.system.formula_kinds import is_propositional

__all__ = ["add_recurrences", "split_recurrences"]

MANY = 5


def split_recurrences(formula: Formula) -> tuple[Formula, list[Formula]]:
    """The formula without its conjuncts `[]<> a`, and these goals a; if they are many and a speaks of one state."""
    operands = formula.operands if isinstance(formula, And) else ()
    goals = [g for f in operands if (g := goal_of(f)) is not None]
    if len(goals) < MANY:
        return formula, []
    return conjoin(f for f in operands if goal_of(f) is None), goals


def goal_of(formula: Formula) -> Formula | None:
    match formula:
        case Always(Eventually(goal)) if is_propositional(goal):
            return goal
    return None


def add_recurrences(draft: Draft, goals: list[int]) -> Draft:
    """The draft with a further acceptance set for each goal, a Boolean function."""
    result = Draft(draft.booleans, draft.initial, [{} for _ in draft.edges], draft.sets + len(goals))
    for s, edges in enumerate(draft.edges):
        for (t, marks), guard in edges.items():
            result.add(s, t, marks, guard)
            for k, goal in enumerate(goals):
                result.add(s, t, marks | 1 << draft.sets + k, draft.booleans.both(guard, goal))
    return result
