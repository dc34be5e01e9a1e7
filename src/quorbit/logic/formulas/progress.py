"""What a formula of LTL asks of the rest of a run, after one state more (Bacchus and Kabanza, *Using temporal logics to
express search control knowledge for planning*, 2000): a run whose beginning leaves nothing that can be satisfied breaks
the formula, whatever follows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quorbit.logic.formulas.normal import normalise
from quorbit.logic.formulas.truth import is_true
from quorbit.model.system.formula import (
    Accepted,
    AllPaths,
    Always,
    And,
    Eventually,
    Exists,
    ForAll,
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
    conjoin,
    disjoin,
    walk,
)
from quorbit.source.exhaustive import assert_never

__all__ = ["find_bad_prefix", "is_safety"]

MOST_PARTS = 2000  # of what is left to be asked; formulas that grow beyond are left alone
Values = Mapping[Proposition, bool]  # in one state


def is_safety(formula: Formula) -> bool:
    """Whether a formula of LTL waits for nothing: then rewriting shows where a run breaks it (Sistla 1994)."""
    return not any(isinstance(f, Eventually | Until) for f in walk(normalise(formula)))


def find_bad_prefix(formula: Formula, states: Iterable[Values]) -> int | None:
    """The place of the first state after which rewriting shows that the formula cannot be satisfied any more."""
    rest, safe = normalise(formula), is_safety(formula)
    for place, values in enumerate(states):
        rest = after(rest, values)
        if rest == Truth(False):
            return place
        if not safe and sum(1 for _ in walk(rest)) > MOST_PARTS:
            return None
    return None


def after(f: Formula, values: Values) -> Formula:
    """What is left of a formula in negation normal form when a state was passed."""
    match f:
        case Truth() | Proposition() | Not() | Iff() | Implies():  # propositional: what others there were is gone
            return Truth(is_true(f, values))
        case And(operands):
            return conjoin([after(g, values) for g in operands])
        case Or(operands):
            return disjoin([after(g, values) for g in operands])
        case Next(operand):
            return operand
        case Eventually(operand):
            return disjoin([after(operand, values), f])
        case Always(operand):
            return conjoin([after(operand, values), f])
        case Until(left, right):
            return disjoin([after(right, values), conjoin([after(left, values), f])])
        case Release(left, right):
            return conjoin([after(right, values), disjoin([after(left, values), f])])
        case WeakUntil() | AllPaths() | SomePath() | ForAll() | Exists() | Accepted():
            raise ValueError(f"{type(f).__name__} is not in the normal form of LTL")
    assert_never(f)
