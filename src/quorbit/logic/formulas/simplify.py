"""Rewrite an LTL formula in negation normal form into an equivalent one with a smaller automaton.

The rules are those of Somenzi and Bloem (2000) and Etessami and Holzmann (2000): what a pure eventuality or a pure
universality makes of the operator above it, what a provable implication between operands does, and the distribution of
operators that lets two obligations become one.
"""

from __future__ import annotations

from typing import Any

from quorbit.logic.formulas.implication import BOTTOM, TOP, Implications, is_eventual, is_universal
from quorbit.model.system.formula import (
    Always,
    And,
    Eventually,
    Formula,
    Next,
    Or,
    Release,
    Truth,
    Until,
    children,
    conjoin,
    disjoin,
    with_children,
)

__all__ = ["simplify"]


def simplify(formula: Formula, facts: Implications | None = None) -> Formula:
    """An equivalent formula, not larger, on which no rule applies any more."""
    return Simplifier(facts or Implications()).simplify(formula)


class Simplifier:
    """The rules, with a memory of formulas already done."""

    def __init__(self, facts: Implications) -> None:
        self.facts = facts
        self.done: dict[Formula, Formula] = {}

    def simplify(self, f: Formula) -> Formula:
        if f not in self.done:
            g = self.rewrite(with_children(f, [self.simplify(child) for child in children(f)]))
            self.done[f] = g if g == f else self.simplify(g)
        return self.done[f]

    def rewrite(self, f: Formula) -> Formula:
        """One step at the root; the operands are simplified."""
        function = self.facts.function(f)
        if function is not None and function <= 1:
            return Truth(bool(function))
        match f:
            case And() | Or():
                return self.rewrite_nary(f)
            case Next(operand):
                return operand if is_eventual(operand) and is_universal(operand) else f
            case Eventually(operand):
                return self.rewrite_eventually(operand)
            case Always(operand):
                return self.rewrite_always(operand)
            case Until(left, right):
                return self.rewrite_until(left, right)
            case Release(left, right):
                return self.rewrite_release(left, right)
        return f

    def rewrite_eventually(self, f: Formula) -> Formula:
        if is_eventual(f):
            return f
        match f:
            case Next(operand):
                return Next(Eventually(operand))
            case Until(_, right):
                return Eventually(right)
            case Or(operands) if any(isinstance(g, Until | Eventually) or is_eventual(g) for g in operands):
                outer = [
                    g for g in operands if is_eventual(g) and (is_suspended(g) or not isinstance(g, Until | Eventually))
                ]
                inner = [goal(g, Until | Eventually) for g in operands if g not in outer]
                return disjoin([Eventually(disjoin(inner)), *outer])
            case And(operands) if any(is_suspended(g) for g in operands):
                kept = [g for g in operands if not is_suspended(g)]
                return conjoin([Eventually(conjoin(kept)), *filter(is_suspended, operands)])
        return Eventually(f)

    def rewrite_always(self, f: Formula) -> Formula:
        if is_universal(f):
            return f
        match f:
            case Next(operand):
                return Next(Always(operand))
            case Release(_, right):
                return Always(right)
            case And(operands) if any(isinstance(g, Release | Always) or is_universal(g) for g in operands):
                outer = [
                    g for g in operands if is_universal(g) and (is_suspended(g) or not isinstance(g, Release | Always))
                ]
                inner = [goal(g, Release | Always) for g in operands if g not in outer]
                return conjoin([Always(conjoin(inner)), *outer])
            case Or(operands) if any(is_suspended(g) for g in operands):
                kept = [g for g in operands if not is_suspended(g)]
                return disjoin([Always(disjoin(kept)), *filter(is_suspended, operands)])
        return Always(f)

    def rewrite_until(self, left: Formula, right: Formula) -> Formula:
        facts = self.facts
        if is_eventual(right) or facts.implies(left, right):
            return right
        if facts.implies(facts.negation(left), right):
            return Eventually(right)
        match left, right:
            case Next(a), Next(b):
                return Next(Until(a, b))
            case _, Until(a, _) if facts.implies(left, a):
                return right
            case Until(_, b), _ if b == right:
                return left
            case _, And(operands) if any(is_suspended(g) for g in operands):
                kept = [g for g in operands if not is_suspended(g)]
                return conjoin([Until(left, conjoin(kept)), *filter(is_suspended, operands)])
        return Until(left, right)

    def rewrite_release(self, left: Formula, right: Formula) -> Formula:
        facts = self.facts
        if is_universal(right) or facts.implies(right, left):
            return right
        if facts.contradicts(left, right):
            return Always(right)
        match left, right:
            case Next(a), Next(b):
                return Next(Release(a, b))
            case _, Release(a, _) if facts.implies(a, left):
                return right
            case Release(_, b), _ if b == right:
                return left
            case _, Or(operands) if any(is_suspended(g) for g in operands):
                kept = [g for g in operands if not is_suspended(g)]
                return disjoin([Release(left, disjoin(kept)), *filter(is_suspended, operands)])
        return Release(left, right)

    def rewrite_nary(self, f: And | Or) -> Formula:
        together = conjoin if isinstance(f, And) else disjoin
        joined = together(f.operands)
        if not isinstance(joined, And | Or) or type(joined) is not type(f):
            return joined
        kept = self.strongest(joined)
        if any(self.clash(a, b, joined) for i, a in enumerate(kept) for b in kept[:i]):
            return BOTTOM if isinstance(f, And) else TOP
        return together(merge_all(kept, isinstance(f, And)))

    def strongest(self, f: And | Or) -> list[Formula]:
        """The operands that do not follow (in a disjunction: are not followed) from another one."""
        kept: list[Formula] = []
        for operand in f.operands:
            if any(self.makes_redundant(other, operand, f) for other in kept):
                continue
            kept = [other for other in kept if not self.makes_redundant(operand, other, f)]
            kept.append(operand)
        return kept

    def makes_redundant(self, a: Formula, b: Formula, within: And | Or) -> bool:
        return self.facts.implies(a, b) if isinstance(within, And) else self.facts.implies(b, a)

    def clash(self, a: Formula, b: Formula, within: And | Or) -> bool:
        if isinstance(within, And):
            return self.facts.contradicts(a, b)
        return self.facts.implies(self.facts.negation(a), b)


def is_suspended(f: Formula) -> bool:
    """Both eventual and universal: true everywhere on a path or nowhere, so that it may leave any operator."""
    return is_eventual(f) and is_universal(f)


def goal(f: Formula, kinds: Any) -> Formula:
    """What an until waits for, what a release maintains: all that matters of it under F and G."""
    return children(f)[-1] if isinstance(f, kinds) else f


def merge_all(operands: list[Formula], conjunction: bool) -> list[Formula]:
    """Pairs of operands that one operator can say are merged until none is left."""
    merged: list[Formula] = []
    for operand in operands:
        for i, other in enumerate(merged):
            if (both := merge(other, operand, conjunction)) is not None:
                merged[i] = both
                break
        else:
            merged.append(operand)
    return merged


def merge(f: Formula, g: Formula, conjunction: bool) -> Formula | None:
    """One formula for f && g (or f || g), if a law of distribution gives a smaller one."""
    join = conjoin if conjunction else disjoin
    match f, g:
        case Next(a), Next(b):
            return Next(join([a, b]))
        case (Eventually(a), Eventually(b)) if not conjunction:
            return Eventually(disjoin([a, b]))
        case (Always(a), Always(b)) if conjunction and not (is_suspended(f) or is_suspended(g)):
            return Always(conjoin([a, b]))
        case (Always(Eventually(a)), Always(Eventually(b))) if not conjunction:
            return Always(Eventually(disjoin([a, b])))
        case (Eventually(Always(a)), Eventually(Always(b))) if conjunction:
            return Eventually(Always(conjoin([a, b])))
        case Until(a, b), Until(c, d):
            if conjunction and b == d:
                return Until(conjoin([a, c]), b)
            return Until(a, disjoin([b, d])) if not conjunction and a == c else None
        case Release(a, b), Release(c, d):
            if conjunction and a == c:
                return Release(a, conjoin([b, d]))
            return Release(disjoin([a, c]), b) if not conjunction and b == d else None
    return None
