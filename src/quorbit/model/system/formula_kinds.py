"""What kind of formula it is: propositional, LTL, CTL, about states; and its maximal propositional parts."""

from __future__ import annotations

from quorbit.model.system.formula import (
    TEMPORAL,
    AllPaths,
    And,
    Exists,
    ForAll,
    Formula,
    Or,
    SomePath,
    Truth,
    children,
    walk,
)

__all__ = ["is_ctl", "is_ltl", "is_propositional", "is_state_formula", "maximal_propositional"]


def is_propositional(formula: Formula) -> bool:
    """Whether it speaks of the present state alone, without temporal operators and path quantifiers."""
    return not any(isinstance(f, (*TEMPORAL, AllPaths, SomePath)) for f in walk(formula))


def is_ltl(formula: Formula) -> bool:
    return not any(isinstance(f, AllPaths | SomePath) for f in walk(formula))


def is_state_formula(formula: Formula) -> bool:
    """Whether its truth depends on the first state of a path alone."""
    if isinstance(formula, TEMPORAL):
        return False
    return isinstance(formula, AllPaths | SomePath) or all(is_state_formula(f) for f in children(formula))


def is_ctl(formula: Formula) -> bool:
    """Whether it is a state formula in which every temporal operator stands directly under a path quantifier."""
    if isinstance(formula, TEMPORAL):
        return False
    if isinstance(formula, AllPaths | SomePath):
        inner = formula.operand
        return is_ctl(inner) if not isinstance(inner, TEMPORAL) else all(is_ctl(f) for f in children(inner))
    return all(is_ctl(f) for f in children(formula))


def maximal_propositional(formula: Formula) -> tuple[Formula, ...]:
    """The maximal propositional sub-formulas ([M97, 4.2.3]), each once, from left to right.

    The truth of the formula on a path is a function of their truth along it, so a group that leaves each of them fixed
    may be divided out.  The propositional operands of one conjunction or disjunction count as one sub-formula: taken
    together they have more symmetries than one by one.  Requires: no temporal operator under a quantifier over a sort.
    """
    found: dict[Formula, None] = {}
    waiting = [formula]
    while waiting:
        f = waiting.pop()
        if is_propositional(f):
            if not isinstance(f, Truth):
                found[f] = None
        elif isinstance(f, ForAll | Exists):
            raise ValueError("expand the quantifiers first")
        else:
            waiting.extend(reversed(grouped_children(f)))
    return tuple(found)


def grouped_children(formula: Formula) -> list[Formula]:
    if not isinstance(formula, And | Or):
        return list(children(formula))
    plain = tuple(f for f in formula.operands if is_propositional(f))
    if len(plain) < 2:
        return list(formula.operands)
    return [type(formula)(plain), *(f for f in formula.operands if not is_propositional(f))]
