"""What can be seen of an LTL formula without an automaton: implications, pure eventualities, pure universalities.

All formulas are in negation normal form.  Following Somenzi and Bloem (Efficient Büchi automata from LTL formulae,
2000) and Etessami and Holzmann (Optimizing Büchi automata, 2000).
"""

from __future__ import annotations

from quorbit.logic.automata.booleans import FALSE, TRUE, Booleans
from quorbit.logic.formulas.normal import normalise_negation
from quorbit.model.system.formula import (
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
    Truth,
    Until,
)
from quorbit.model.system.formula_kinds import is_propositional

__all__ = ["Implications"]

BOTTOM, TOP = Truth(False), Truth(True)


class Implications:
    """Remembers what it has found about the formulas of one translation."""

    def __init__(self) -> None:
        self.booleans = Booleans()
        self.numbers: dict[Proposition, int] = {}
        self.functions: dict[Formula, int | None] = {}
        self.pairs: dict[tuple[Formula, Formula], bool] = {}
        self.negations: dict[Formula, Formula] = {}

    def implies(self, f: Formula, g: Formula) -> bool:
        """A proof that every path with f has g was found; False says nothing."""
        if f in (g, BOTTOM) or g == TOP:
            return True
        key = (f, g)
        if key not in self.pairs:
            self.pairs[key] = False  # a proof that needs itself is none
            self.pairs[key] = self.prove(f, g)
        return self.pairs[key]

    def contradicts(self, f: Formula, g: Formula) -> bool:
        return self.implies(f, self.negation(g))

    def negation(self, f: Formula) -> Formula:
        if f not in self.negations:
            self.negations[f] = normalise_negation(f)
        return self.negations[f]

    def function(self, f: Formula) -> int | None:
        """The Boolean function of a propositional formula, None if it is not propositional."""
        if f not in self.functions:
            self.functions[f] = self.compute_function(f) if is_propositional(f) else None
        return self.functions[f]

    def compute_function(self, f: Formula) -> int:
        match f:
            case Truth(value):
                return TRUE if value else FALSE
            case Not(operand):
                return self.booleans.negation(self.compute_function(operand))
            case And(operands) | Or(operands):
                join = self.booleans.both if isinstance(f, And) else self.booleans.either
                result = TRUE if isinstance(f, And) else FALSE
                for operand in operands:
                    result = join(result, self.compute_function(operand))
                return result
            case Implies(left, right) | Iff(left, right):
                first, second = self.compute_function(left), self.compute_function(right)
                other = TRUE if isinstance(f, Implies) else self.booleans.negation(second)
                return self.booleans.choose(first, second, other)
            case Proposition():
                return self.booleans.variable(self.numbers.setdefault(f, len(self.numbers)))
        raise TypeError(f"{type(f).__name__} is not propositional")

    def prove(self, f: Formula, g: Formula) -> bool:
        first, second = self.function(f), self.function(g)
        if first is not None and second is not None:
            return self.booleans.implies(first, second)
        return self.prove_from(f, g) or self.prove_towards(f, g) or self.prove_alike(f, g)

    def prove_from(self, f: Formula, g: Formula) -> bool:
        """By taking f apart."""
        match f:
            case And(operands):
                return any(self.implies(h, g) for h in operands)
            case Or(operands):
                return all(self.implies(h, g) for h in operands)
            case Always(operand) | Release(_, operand):
                return self.implies(operand, g)
            case Until(left, right):
                return self.implies(left, g) and self.implies(right, g)
            case Next(operand) | Eventually(operand):
                return is_eventual(g) and self.implies(operand, g)
        return False

    def prove_towards(self, f: Formula, g: Formula) -> bool:
        """By taking g apart."""
        match g:
            case And(operands):
                return all(self.implies(f, h) for h in operands)
            case Or(operands):
                return any(self.implies(f, h) for h in operands)
            case Eventually(operand) | Until(_, operand):
                return self.implies(f, operand)
            case Release(left, right):
                return self.implies(f, left) and self.implies(f, right)
            case Next(operand) | Always(operand):
                return is_universal(f) and self.implies(f, operand)
        return False

    def prove_alike(self, f: Formula, g: Formula) -> bool:
        """By comparing operands, each of which all these operators are monotone in."""
        match f, g:
            case (Next(a), Next(b)) | (Eventually(a), Eventually(b)) | (Always(a), Always(b)):
                return self.implies(a, b)
            case (Until(_, a), Eventually(b)) | (Always(a), Release(_, b)):
                return self.implies(a, b)
            case (Until(a, b), Until(c, d)) | (Release(a, b), Release(c, d)):
                return self.implies(a, c) and self.implies(b, d)
        return False


def is_eventual(f: Formula) -> bool:
    """A pure eventuality: if a suffix of a path has it, so has the path."""
    match f:
        case Truth() | Eventually():
            return True
        case And(operands) | Or(operands):
            return all(is_eventual(g) for g in operands)
        case Next(operand) | Always(operand) | Until(_, operand) | Release(_, operand):
            return is_eventual(operand)
    return False


def is_universal(f: Formula) -> bool:
    """A pure universality: if a path has it, so have its suffixes."""
    match f:
        case Truth() | Always():
            return True
        case And(operands) | Or(operands):
            return all(is_universal(g) for g in operands)
        case Next(operand) | Eventually(operand) | Until(_, operand) | Release(_, operand):
            return is_universal(operand)
    return False
