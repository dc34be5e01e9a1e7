"""Properties by their expressions: made of one, changed, listed."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.model.system.expression import Expr
from quorbit.model.system.formula import Eventually, Proposition, SomePath, map_propositions, walk
from quorbit.model.system.system import Assertions, Invariant, NoDeadlock, Property, Temporal
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import replace
from quorbit.source.span import Span

__all__ = ["changed_property", "condition_to_reach", "property_expressions", "to_reach"]


def to_reach(name: str, condition: Expr, span: Span, premise_of: str = "") -> Temporal:
    """That some run reaches a state in which the condition holds."""
    return Temporal(name, SomePath(Eventually(Proposition(condition))), span, cover=True, premise_of=premise_of)


def condition_to_reach(p: Temporal) -> Expr:
    """Requires that the property is a cover."""
    match p.formula:
        case SomePath(Eventually(Proposition(condition))):
            return condition  # type: ignore[return-value]
    raise AssertionError(p.formula)


def changed_property(p: Property, change: Callable[[Expr], Expr]) -> Property:
    """The property with its expressions changed."""
    match p:
        case Invariant():
            return replace(p, condition=change(p.condition))
        case NoDeadlock():
            return replace(p, allowed=change(p.allowed))
        case Temporal():
            return replace(p, formula=map_propositions(p.formula, change))  # type: ignore[arg-type]
        case Assertions():
            return p
        case _:
            assert_never(p)


def property_expressions(p: Property) -> list[Expr]:
    """The expressions a property is made of, every occurrence of one."""
    match p:
        case Invariant(condition=e) | NoDeadlock(allowed=e):
            return [e]
        case Temporal(formula=formula):
            return [f.expression for f in walk(formula) if isinstance(f, Proposition)]  # type: ignore[misc]
        case Assertions():
            return []
        case _:
            assert_never(p)
