"""The greatest or the least of several values, written as conditions: a loop that keeps the greater one in a variable.

``a < b ? b : a`` looks at both values, whatever they are, so the order in which such a chain looks at its values cannot
be seen: not by what it gives, and not by a fault, for one that has no value leaves the whole without one.
"""

from __future__ import annotations

from quorbit.model.system.expression import Apply, Condition, Expr, Operator

__all__ = ["extreme"]


def extreme(e: Expr) -> tuple[Operator, tuple[Expr, ...]] | None:
    """MINIMUM or MAXIMUM and the values of which e is that; None if e is neither."""
    match e:
        case Condition(Apply(Operator.LESS | Operator.LESS_EQUAL, (low, high)), then, other):
            if same(then, high) and same(other, low):
                return Operator.MAXIMUM, (*values_of(Operator.MAXIMUM, low), *values_of(Operator.MAXIMUM, high))
            if same(then, low) and same(other, high):
                return Operator.MINIMUM, (*values_of(Operator.MINIMUM, low), *values_of(Operator.MINIMUM, high))
    return None


def values_of(operator: Operator, e: Expr) -> tuple[Expr, ...]:
    found = extreme(e)
    return found[1] if found is not None and found[0] is operator else (e,)


def same(a: Expr, b: Expr) -> bool:
    return a is b or a == b
