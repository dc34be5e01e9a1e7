"""CTL* on a graph: in which states a formula holds, and a path that shows it.

State sub-formulas are evaluated first and replaced by labels ([M97, 2.3]; Emerson and Lei 1987); what is left are path
formulas over labels, which the structure answers.  Path quantifiers range over fair paths; an LTL formula is meant for
all fair paths.  A run that ends stutters in its last state.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.logic.automata.automaton import Automaton, as_generalised
from quorbit.logic.automata.buchi import generalised_automaton
from quorbit.logic.formulas.abstract import abstract_propositional, abstract_states
from quorbit.logic.formulas.fairness import UNFAIR, Fairness
from quorbit.logic.formulas.normal import normalise, normalise_negation
from quorbit.logic.formulas.simplify import simplify
from quorbit.logic.graphs.kripke import Flags, Kripke, complement, everywhere, intersect, nowhere, unite
from quorbit.logic.graphs.lasso import Lasso
from quorbit.logic.graphs.stored import Stored
from quorbit.logic.graphs.structure import Structure
from quorbit.logic.graphs.threads import Threads
from quorbit.model.system.formula import AllPaths, And, Formula, Iff, Implies, Not, Or, Proposition, SomePath, Truth
from quorbit.model.system.formula_kinds import is_ltl, is_state_formula
from quorbit.source.frozen import field, frozen, mutable

__all__ = ["Answer", "Evaluator", "check", "check_never", "check_on", "over_labels"]


@frozen
class Answer:
    """Whether a formula holds in all initial states; if not, one in which it fails.

    The lasso is a counterexample (a path with the negation of what all paths should satisfy) or, when the formula
    holds, a witness; it is None where no single path can show the answer.
    """

    holds: bool
    failing: int | None
    lasso: Lasso | None


def check(kripke: Kripke, formula: Formula, fairness: Fairness = UNFAIR, threads: Threads | None = None) -> Answer:
    """Does every initial state of a stored graph satisfy the formula?"""
    return check_on(stored(kripke, fairness, threads), formula)


def check_on(structure: Structure, formula: Formula) -> Answer:
    """Does every initial state satisfy the formula?  An LTL formula is asked of all fair paths."""
    evaluator = Evaluator(structure)
    if is_ltl(formula) or not is_state_formula(formula):
        lasso = evaluator.find_path(normalise_negation(formula), structure.initial)
        return Answer(lasso is None, lasso.start if lasso else None, lasso)
    flags = evaluator.states(formula)
    for s in structure.initial:
        if not flags[s]:
            return Answer(False, s, evaluator.explain(normalise_negation(formula), s))
    first = structure.initial[:1]
    return Answer(True, None, evaluator.explain(normalise(formula), first[0]) if first else None)


def check_never(
    kripke: Kripke, automaton: Automaton, fairness: Fairness = UNFAIR, threads: Threads | None = None
) -> Answer:
    """Does the automaton (a never claim) accept no fair path?  The lasso is one that it accepts."""
    evaluator = Evaluator(stored(kripke, fairness, threads))
    lasso = evaluator.structure.find_accepted(as_generalised(automaton), evaluator.states, kripke.initial)
    return Answer(lasso is None, lasso.start if lasso else None, lasso)


def evaluate(kripke: Kripke, formula: Formula, fairness: Fairness = UNFAIR) -> Flags:
    """The states in which a state formula holds."""
    return Evaluator(stored(kripke, fairness)).states(formula)


def stored(kripke: Kripke, fairness: Fairness, threads: Threads | None = None) -> Stored:
    """A stored graph with its fairness; constraints are about all paths."""
    constraints = [evaluate(kripke, f) for f in fairness.constraints]
    return Stored(kripke, fairness, constraints, threads)


@mutable
class Evaluator:
    """A structure and what has been evaluated on it so far."""

    structure: Structure
    known: dict[Formula, Flags] = field(default_factory=dict)

    def states(self, formula: Formula) -> Flags:
        """The states with a state formula."""
        if formula not in self.known:
            self.known[formula] = self.compute(formula)
        return self.known[formula]

    def compute(self, formula: Formula) -> Flags:
        count = self.structure.count
        match formula:
            case Truth(value):
                return everywhere(count) if value else nowhere(count)
            case Proposition(expression):
                return self.states(expression) if isinstance(expression, Formula) else self.structure.label(formula)
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
                return self.structure.some_path(simplify(normalise(over_labels(operand))), self.states)
            case AllPaths(operand):
                path = simplify(normalise_negation(over_labels(operand)))
                return complement(self.structure.some_path(path, self.states))
        raise ValueError(f"{type(formula).__name__} is not the root of a state formula")

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
        return self.structure.find_accepted(generalised_automaton(over_labels(path)), self.states, roots)


def over_labels(path: Formula) -> Formula:
    """The path formula without path quantifiers and large propositional parts: these are evaluated first."""
    return abstract_propositional(abstract_states(path))
