"""Negation normal form: negation only before propositions, and no operator but those the automata are built from.

Kept are Truth, Proposition, Not of a proposition, And, Or, Next, Until, Release, Eventually, Always and, for CTL*,
AllPaths and SomePath.  An equivalence of propositional formulas is left whole, with or without a Not before it: taken
apart it would double at each level, as a parity of many propositions does.
"""

from __future__ import annotations

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
    Release,
    SomePath,
    Truth,
    Until,
    WeakUntil,
    children,
    conjoin,
    disjoin,
)
from quorbit.model.system.formula_kinds import is_propositional
from quorbit.source.errors import UserError

__all__ = ["normalise", "normalise_negation"]

DEEPEST_EQUIVALENCES = 12


def normalise(formula: Formula) -> Formula:
    """The formula in negation normal form.  Requires: quantifiers over sorts are expanded."""
    refuse_explosion(formula)
    return push(formula, True)


def normalise_negation(formula: Formula) -> Formula:
    """The negation of the formula in negation normal form."""
    refuse_explosion(formula)
    return push(formula, False)


def refuse_explosion(formula: Formula) -> None:
    """An equivalence of temporal formulas doubles them both, so that nesting is limited."""
    waiting = [(formula, 0)]
    while waiting:
        f, depth = waiting.pop()
        depth += isinstance(f, Iff) and not is_propositional(f)
        if depth > DEEPEST_EQUIVALENCES:
            raise UserError(
                None, f"more than {DEEPEST_EQUIVALENCES} equivalences of temporal formulas inside each other"
            )
        waiting.extend((g, depth) for g in children(f))


def push(formula: Formula, positive: bool) -> Formula:
    """The formula (positive) or its negation, with negations pushed to the propositions."""
    match formula:
        case Truth(value):
            return Truth(value == positive)
        case Proposition():
            return formula if positive else Not(formula)
        case Not(operand):
            return push(operand, not positive)
        case And(operands) | Or(operands):
            together = conjoin if isinstance(formula, And) == positive else disjoin
            return together([push(f, positive) for f in operands])
        case Implies(left, right):
            return (disjoin if positive else conjoin)([push(left, not positive), push(right, positive)])
        case Iff() if is_propositional(formula):
            return formula if positive else Not(formula)
        case Iff(left, right):
            return disjoin([conjoin([push(left, True), push(right, positive)]), both_fail(left, right, positive)])
        case Next(operand):
            return Next(push(operand, positive))
    return push_temporal(formula, positive)


def both_fail(left: Formula, right: Formula, positive: bool) -> Formula:
    return conjoin([push(left, False), push(right, not positive)])


def push_temporal(formula: Formula, positive: bool) -> Formula:
    match formula:
        case Eventually(operand) | Always(operand):
            kind = Eventually if isinstance(formula, Eventually) == positive else Always
            return kind(push(operand, positive))
        case Until(left, right) | Release(left, right):
            dual = Until if isinstance(formula, Until) == positive else Release
            return dual(push(left, positive), push(right, positive))
        case WeakUntil(left, right):
            return push(Release(right, Or((left, right))), positive)
        case AllPaths(operand) | SomePath(operand):
            quantifier = AllPaths if isinstance(formula, AllPaths) == positive else SomePath
            return quantifier(push(operand, positive))
    raise ValueError("expand the quantifiers first")
