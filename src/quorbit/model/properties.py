"""The expressions of properties: changed, or listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from quorbit.model.expression import Expr
from quorbit.model.formula import map_propositions, propositions
from quorbit.model.system import Invariant, NoDeadlock, Property, Temporal


def changed_property(p: Property, change: Callable[[Expr], Expr]) -> Property:
    """The property with its expressions changed."""
    match p:
        case Invariant():
            return replace(p, condition=change(p.condition))
        case NoDeadlock():
            return replace(p, allowed=change(p.allowed))
        case Temporal():
            return replace(p, formula=map_propositions(p.formula, change))  # type: ignore[arg-type]
        case _:
            return p


def property_expressions(p: Property) -> list[Expr]:
    """The expressions a property is made of."""
    match p:
        case Invariant(condition=e) | NoDeadlock(allowed=e):
            return [e]
        case Temporal(formula=formula):
            return [proposition.expression for proposition in propositions(formula)]  # type: ignore[misc]
        case _:
            return []
