"""Formulas as propositions of other formulas: so large propositional parts and evaluated state formulas become atoms.

The expression of such a proposition is itself a formula; who evaluates propositions evaluates that.
"""

from __future__ import annotations

from quorbit.model.system.formula import (
    AllPaths,
    Formula,
    Not,
    Proposition,
    SomePath,
    Truth,
    children,
    propositions,
    with_children,
)
from quorbit.model.system.formula_kinds import is_propositional

__all__ = ["abstract_propositional", "abstract_states"]

FEW_PROPOSITIONS = 12


def abstract_propositional(formula: Formula) -> Formula:
    """The formula with its maximal propositional parts as propositions, if it has more than a few propositions.

    With few, an automaton is smaller that sees how the parts depend on each other; with many, their Boolean functions
    could explode (the parity of n propositions has 2^(n-1) cubes).
    """
    if len(propositions(formula)) <= FEW_PROPOSITIONS:
        return formula
    return replace_propositional(formula)


def replace_propositional(formula: Formula) -> Formula:
    match formula:
        case Truth() | Proposition() | Not(Proposition()):
            return formula
    if is_propositional(formula):
        return Proposition(formula)
    return with_children(formula, [replace_propositional(f) for f in children(formula)])


def abstract_states(path: Formula) -> Formula:
    """The path formula with its path quantifiers as propositions."""
    if isinstance(path, AllPaths | SomePath):
        return Proposition(path)
    return with_children(path, [abstract_states(f) for f in children(path)])
