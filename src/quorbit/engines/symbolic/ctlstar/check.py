"""CTL* on the reachable states: state formulas bottom up, path formulas by fixpoints where CTL has them, else by a
tableau.

Paths are infinite.  E p is split as far as it goes: E(p or q) = E p or E q; conjuncts GF c are fairness (Emerson-Lei);
E X p = EX E p, E(s U p) = E[s U E p], E(p R s) likewise for a set s of states.  Only what is left goes to the tableau.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quorbit.engines.symbolic.ctlstar.fixpoints import Structure
from quorbit.engines.symbolic.ctlstar.normal import Conjunction, Disjunction, Normaliser, Path, R, States, U, X, often
from quorbit.engines.symbolic.ctlstar.tableau import Tableau, build_tableau
from quorbit.engines.symbolic.model import Model
from quorbit.engines.symbolic.quotients.classes import Images
from quorbit.engines.symbolic.reach import Clock
from quorbit.groups.permutation import Permutation
from quorbit.model.diagrams.cases import Bdd
from quorbit.model.system.formula import (
    AllPaths,
    And,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Proposition,
    SomePath,
    Truth,
    negate,
)

__all__ = ["Checker"]


class Checker:
    """Evaluates state formulas within a set of states that is closed under successors."""

    def __init__(self, model: Model, universe: Bdd, clock: Clock, generators: Iterable[Permutation] = ()) -> None:
        self.model = model
        self.m = model.m
        self.universe = universe
        self.structure = Structure(model.m, universe, model.preimage, clock)
        self.normaliser = Normaliser(model.m, universe, self.states)
        self.known: dict[Formula, Bdd] = {}
        self.hulls: dict[tuple[Bdd, ...], Bdd] = {}
        self.tableaux: dict[tuple[Path, tuple[Bdd, ...]], Tableau] = {}
        self.images = Images(model, universe, tuple(generators))

    def states(self, f: Formula) -> Bdd:
        """The states in which a state formula holds."""
        if f not in self.known:
            self.known[f] = self.by_image(f) if self.images.generators else self.evaluate(f)
        return self.known[f]

    def by_image(self, f: Formula) -> Bdd:
        """From a formula that symmetries map it to, if that is known; what is worked out is noted for others."""
        if not isinstance(f, SomePath | AllPaths):
            return self.evaluate(f)
        found = self.images.find(f)
        if found is None:
            found = self.evaluate(f)
            self.images.note(f, found)
        return found

    def evaluate(self, f: Formula) -> Bdd:
        match f:
            case Truth(value):
                return self.universe if value else self.m.false
            case Proposition(e):
                return self.model.truth(e) & self.universe  # type: ignore[arg-type]
            case Not(g):
                return self.universe & ~self.states(g)
            case And(operands):
                return self.m.conjunction([self.universe, *map(self.states, operands)])
            case Or(operands):
                return self.m.disjunction(map(self.states, operands))
            case Implies(left, right):
                return self.universe & (~self.states(left) | self.states(right))
            case Iff(left, right):
                return self.universe & self.m.equivalent(self.states(left), self.states(right))
            case SomePath(p):
                return self.some_path(self.normaliser.path(p), ())
            case AllPaths(p):
                return self.universe & ~self.some_path(self.normaliser.path(negate(p)), ())
        raise ValueError("a temporal operator outside a path quantifier")

    def hull(self, fair: Sequence[Bdd]) -> Bdd:
        """The states with a fair path."""
        key = tuple(fair)
        if key not in self.hulls:
            self.hulls[key] = self.structure.eg(self.universe, fair)
        return self.hulls[key]

    def some_path(self, p: Path, fair: tuple[Bdd, ...]) -> Bdd:
        """The states from which a fair path satisfies p."""
        s = self.structure
        match p:
            case States(found):
                return found if found == self.m.false else found & self.hull(fair)
            case Disjunction(parts):
                return self.m.disjunction([self.some_path(part, fair) for part in parts])
            case Conjunction(parts):
                return self.conjunction(p, parts, fair)
            case X(body):
                return s.ex(self.some_path(body, fair))
            case U(States(left), right):
                return s.eu(left, self.some_path(right, fair))
            case R(left, States(right)):
                release = self.m.false if self.is_never(left) else self.some_path(left, fair) & right
                return s.eg(right, fair) | s.eu(right, release)
        if (constraint := often(self.m, self.universe, p)) is not None:
            return self.hull((*fair, constraint))
        return self.by_tableau(p, fair)

    def is_never(self, p: Path) -> bool:
        return isinstance(p, States) and bool(p.set == self.m.false)

    def conjunction(self, p: Path, parts: tuple[Path, ...], fair: tuple[Bdd, ...]) -> Bdd:
        """Sets and fairness are taken out; one part that remains is treated as before, several need the tableau."""
        sets, constraints, rest = self.split(parts)
        if not rest:
            return sets & self.hull((*fair, *constraints))
        if len(rest) == 1:
            return sets & self.some_path(rest[0], (*fair, *constraints))
        for part in rest:  # E((a or b) and c) is E(a and c) or E(b and c)
            if isinstance(part, Disjunction):
                others = [q for q in parts if q is not part]
                cases = [self.normaliser.conjoin([q, *others]) for q in part.parts]
                return self.m.disjunction([self.some_path(case, fair) for case in cases])
        return sets & self.by_tableau(Conjunction(tuple(rest)), (*fair, *constraints))

    def split(self, parts: Sequence[Path]) -> tuple[Bdd, list[Bdd], list[Path]]:
        sets = self.universe
        constraints: list[Bdd] = []
        rest: list[Path] = []
        for part in parts:
            if isinstance(part, States):
                sets = sets & part.set
            elif (constraint := often(self.m, self.universe, part)) is not None:
                constraints.append(constraint)
            else:
                rest.append(part)
        return sets, constraints, rest

    def tableau(self, p: Path, fair: Sequence[Bdd]) -> Tableau:
        """The product with what p promises, the same one whenever it is asked for."""
        key = p, tuple(fair)
        if key not in self.tableaux:
            self.tableaux[key] = build_tableau(self.structure, p, fair)
        return self.tableaux[key]

    def by_tableau(self, p: Path, fair: Sequence[Bdd]) -> Bdd:
        tableau = self.tableau(p, fair)
        hull = tableau.product.eg(tableau.product.universe, tableau.fair)
        return self.m.exists(hull & tableau.start, tableau.variables)
