"""A stored graph as a structure for CTL*: fixpoints where one operator over labels is asked for, else products.

`E f` with f a path formula over labels is a search for a good cycle in the product with f's automaton.  Where f is a
single operator over labels (CTL) a fixpoint does.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.logic.automata.automaton import GeneralisedBuchi
from quorbit.logic.automata.buchi import generalised_automaton
from quorbit.logic.formulas.fairness import UNFAIR, Acceptance, Fairness, edge_marks, fair_acceptance
from quorbit.logic.graphs.ctl import some_always, some_next, some_until
from quorbit.logic.graphs.emptiness import good_nodes
from quorbit.logic.graphs.kripke import Flags, Kripke, everywhere, intersect, unite
from quorbit.logic.graphs.lasso import Lasso, find_lasso
from quorbit.logic.graphs.product import Product, multiply
from quorbit.logic.graphs.structure import States
from quorbit.logic.graphs.threads import Threads
from quorbit.model.system.formula import Always, Eventually, Formula, Next, Proposition, Release, Until, children
from quorbit.model.system.formula_kinds import is_propositional
from quorbit.source.frozen import mutable

__all__ = ["Stored"]


@mutable
class Stored:
    """A graph and which of its paths are fair; the constraints are those of the fairness, evaluated.  Threads are for
    quotient graphs."""

    kripke: Kripke
    fairness: Fairness = UNFAIR
    constraints: Sequence[Flags] = ()
    threads: Threads | None = None
    fair: Flags | None = None

    @property
    def count(self) -> int:
        return self.kripke.count

    @property
    def initial(self) -> Sequence[int]:
        return self.kripke.initial

    def label(self, p: Proposition) -> Flags:
        return self.kripke.labels[p]

    def some_path(self, path: Formula, states: States) -> Flags:
        """The states from which a fair path satisfies a simplified path formula over labels."""
        if all(is_propositional(f) for f in children(path)):
            return self.by_fixpoint(path, states)
        product, acceptance = self.product(generalised_automaton(path), states, range(self.count))
        good = good_nodes(product.graph, acceptance)
        return bytes(good[: self.count])

    def by_fixpoint(self, path: Formula, states: States) -> Flags:
        """CTL: at most one temporal operator, over labels."""
        match path:
            case Next(f):
                return some_next(self.kripke, self.fairly(states(f)))
            case Eventually(f):
                return some_until(self.kripke, everywhere(self.count), self.fairly(states(f)))
            case Until(f, g):
                return some_until(self.kripke, states(f), self.fairly(states(g)))
            case Always(f):
                return some_always(self.kripke, states(f), *self.marking())
            case Release(f, g):
                for_ever = some_always(self.kripke, states(g), *self.marking())
                released = self.fairly(intersect(states(f), states(g)))
                return unite(for_ever, some_until(self.kripke, states(g), released))
        return self.fairly(states(path))

    def fairly(self, flags: Flags) -> Flags:
        """Only states from which a fair path begins."""
        if self.fairness == UNFAIR and self.threads is None:
            return flags
        if self.fair is None:
            self.fair = some_always(self.kripke, everywhere(self.count), *self.marking())
        return intersect(flags, self.fair)

    def marking(self, sets: int = 0) -> tuple[list[int], Acceptance]:
        marks = edge_marks(self.kripke, self.fairness, list(self.constraints), sets)
        return marks, fair_acceptance(self.fairness, sets, self.threads)

    def product(self, automaton: GeneralisedBuchi, states: States, roots: Sequence[int]) -> tuple[Product, Acceptance]:
        labels = [states(p) for p in automaton.propositions]
        marks, acceptance = self.marking(automaton.sets)
        return multiply(self.kripke, automaton, labels, marks, roots), acceptance

    def find_accepted(self, automaton: GeneralisedBuchi, states: States, roots: Sequence[int]) -> Lasso | None:
        product, acceptance = self.product(automaton, states, roots)
        found = find_lasso(product.graph, range(len(roots)), acceptance)
        return Lasso(roots[found.start], found.stem, found.loop) if found else None
