"""The truth of a propositional formula."""

from __future__ import annotations

from collections.abc import Mapping

from quorbit.model.system.formula import And, Formula, Iff, Implies, Not, Or, Proposition, Truth

__all__ = ["is_true"]


def is_true(formula: Formula, values: Mapping[Proposition, bool]) -> bool:
    """Requires a value for every proposition whose expression is not itself a formula (logic/formulas/abstract.py)."""
    match formula:
        case Truth(value):
            return value
        case Proposition(expression):
            return is_true(expression, values) if isinstance(expression, Formula) else values[formula]
        case Not(operand):
            return not is_true(operand, values)
        case And(operands):
            return all(is_true(f, values) for f in operands)
        case Or(operands):
            return any(is_true(f, values) for f in operands)
        case Implies(left, right):
            return not is_true(left, values) or is_true(right, values)
        case Iff(left, right):
            return is_true(left, values) == is_true(right, values)
    raise ValueError(f"{type(formula).__name__} is not propositional")
