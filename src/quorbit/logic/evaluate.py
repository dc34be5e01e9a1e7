"""CTL* on a stored graph: in which states a formula holds, and a path that shows it.

State sub-formulas are evaluated first and replaced by labels ([M97, 2.3]; Emerson and Lei 1987); `E f` with f a path
formula over labels is a search for a good cycle in the product with f's automaton.  Where f is a single operator over
labels (CTL) a fixpoint does.  Path quantifiers range over fair paths; an LTL formula is meant for all fair paths.  A
run that ends stutters in its last state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from quorbit.logic.abstract import abstract_propositional, abstract_states
from quorbit.logic.automaton import Automaton, GeneralisedBuchi, as_generalised
from quorbit.logic.buchi import generalised_automaton
from quorbit.logic.ctl import some_always, some_next, some_until
from quorbit.logic.emptiness import good_nodes
from quorbit.logic.fairness import UNFAIR, Acceptance, Fairness, edge_marks, fair_acceptance
from quorbit.logic.kripke import Flags, Kripke, complement, everywhere, intersect, nowhere, unite
from quorbit.logic.lasso import Lasso, find_lasso
from quorbit.logic.normal import normalise, normalise_negation
from quorbit.logic.product import Product, multiply
from quorbit.logic.simplify import simplify
from quorbit.logic.threads import Threads
from quorbit.model.formula import (
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
    children,
    is_ltl,
    is_propositional,
    is_state_formula,
)


@dataclass(frozen=True)
class Answer:
    """Whether a formula holds in all initial states; if not, one in which it fails.

    The lasso is a counterexample (a path with the negation of what all paths should satisfy) or, when the formula
    holds, a witness; it is None where no single path can show the answer.
    """

    holds: bool
    failing: int | None
    lasso: Lasso | None


def check(kripke: Kripke, formula: Formula, fairness: Fairness = UNFAIR, threads: Threads | None = None) -> Answer:
    """Does every initial state satisfy the formula?  An LTL formula is asked of all fair paths."""
    evaluator = Evaluator(kripke, fairness, threads)
    if is_ltl(formula) or not is_state_formula(formula):
        lasso = evaluator.find_path(normalise_negation(formula), kripke.initial)
        return Answer(lasso is None, lasso.start if lasso else None, lasso)
    flags = evaluator.states(formula)
    for s in kripke.initial:
        if not flags[s]:
            return Answer(False, s, evaluator.explain(normalise_negation(formula), s))
    first = kripke.initial[:1]
    return Answer(True, None, evaluator.explain(normalise(formula), first[0]) if first else None)


def check_never(
    kripke: Kripke, automaton: Automaton, fairness: Fairness = UNFAIR, threads: Threads | None = None
) -> Answer:
    """Does the automaton (a never claim) accept no fair path?  The lasso is one that it accepts."""
    lasso = Evaluator(kripke, fairness, threads).find_accepted(as_generalised(automaton), kripke.initial)
    return Answer(lasso is None, lasso.start if lasso else None, lasso)


def evaluate(kripke: Kripke, formula: Formula, fairness: Fairness = UNFAIR) -> Flags:
    """The states in which a state formula holds."""
    return Evaluator(kripke, fairness).states(formula)


@dataclass
class Evaluator:
    """A graph, which of its paths are fair, and what has been evaluated so far; threads are for quotient graphs."""

    kripke: Kripke
    fairness: Fairness = UNFAIR
    threads: Threads | None = None
    known: dict[Formula, Flags] = field(default_factory=dict)
    fair: Flags | None = None

    def states(self, formula: Formula) -> Flags:
        """The states with a state formula."""
        if formula not in self.known:
            self.known[formula] = self.compute(formula)
        return self.known[formula]

    def compute(self, formula: Formula) -> Flags:
        count = self.kripke.count
        match formula:
            case Truth(value):
                return everywhere(count) if value else nowhere(count)
            case Proposition(expression):
                return self.states(expression) if isinstance(expression, Formula) else self.kripke.labels[formula]
            case Not(operand):
                return complement(self.states(operand))
            case And(operands) | Or(operands):
                flags = everywhere(count) if isinstance(formula, And) else nowhere(count)
                for operand in operands:
                    flags = (intersect if isinstance(formula, And) else unite)(flags, self.states(operand))
                return flags
            case Implies(left, right):
                return unite(complement(self.states(left)), self.states(right))
            case Iff(left, right):
                return self.states(And((Implies(left, right), Implies(right, left))))
            case SomePath(operand):
                return self.some_path(simplify(normalise(over_labels(operand))))
            case AllPaths(operand):
                return complement(self.some_path(simplify(normalise_negation(over_labels(operand)))))
        raise ValueError(f"{type(formula).__name__} is not the root of a state formula")

    def some_path(self, path: Formula) -> Flags:
        """The states from which a fair path satisfies a simplified path formula over labels."""
        if all(is_propositional(f) for f in children(path)):
            return self.by_fixpoint(path)
        product, acceptance = self.product(generalised_automaton(path), range(self.kripke.count))
        good = good_nodes(product.graph, acceptance)
        return bytes(good[: self.kripke.count])

    def by_fixpoint(self, path: Formula) -> Flags:
        """CTL: at most one temporal operator, over labels."""
        match path:
            case Next(f):
                return some_next(self.kripke, self.fairly(self.states(f)))
            case Eventually(f):
                return some_until(self.kripke, everywhere(self.kripke.count), self.fairly(self.states(f)))
            case Until(f, g):
                return some_until(self.kripke, self.states(f), self.fairly(self.states(g)))
            case Always(f):
                return some_always(self.kripke, self.states(f), *self.marking())
            case Release(f, g):
                for_ever = some_always(self.kripke, self.states(g), *self.marking())
                released = self.fairly(intersect(self.states(f), self.states(g)))
                return unite(for_ever, some_until(self.kripke, self.states(g), released))
        return self.fairly(self.states(path))

    def fairly(self, flags: Flags) -> Flags:
        """Only states from which a fair path begins."""
        if self.fairness == UNFAIR and self.threads is None:
            return flags
        if self.fair is None:
            self.fair = some_always(self.kripke, everywhere(self.kripke.count), *self.marking())
        return intersect(flags, self.fair)

    def marking(self, sets: int = 0) -> tuple[list[int], Acceptance]:
        constraints = [evaluate(self.kripke, f) for f in self.fairness.constraints]
        marks = edge_marks(self.kripke, self.fairness, constraints, sets)
        return marks, fair_acceptance(self.fairness, sets, self.threads)

    def product(self, automaton: GeneralisedBuchi, roots: Sequence[int]) -> tuple[Product, Acceptance]:
        labels = [self.states(p) for p in automaton.propositions]
        marks, acceptance = self.marking(automaton.sets)
        return multiply(self.kripke, automaton, labels, marks, roots), acceptance

    def explain(self, formula: Formula, s: int) -> Lasso | None:
        """A path from s that shows why a formula in negation normal form holds there, if one path can."""
        match formula:
            case And(operands) | Or(operands):
                shown = (self.explain(f, s) for f in operands if self.states(f)[s])
                return next(filter(None, shown), None)
            case SomePath(path):
                return self.find_path(path, [s])
        return None

    def find_path(self, path: Formula, roots: Sequence[int]) -> Lasso | None:
        """A fair path from one of the roots that satisfies a path formula."""
        return self.find_accepted(generalised_automaton(over_labels(path)), roots)

    def find_accepted(self, automaton: GeneralisedBuchi, roots: Sequence[int]) -> Lasso | None:
        product, acceptance = self.product(automaton, roots)
        found = find_lasso(product.graph, range(len(roots)), acceptance)
        return Lasso(roots[found.start], found.stem, found.loop) if found else None


def over_labels(path: Formula) -> Formula:
    """The path formula without path quantifiers and large propositional parts: these are evaluated first."""
    return abstract_propositional(abstract_states(path))
