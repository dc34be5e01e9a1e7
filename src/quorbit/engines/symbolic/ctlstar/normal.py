"""Path formulas over sets of states, in negation normal form.

Maximal state formulas are already evaluated: they are `States`.  Everything else is built from conjunction,
disjunction, X, U and R.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quorbit.bdd.function import Manager
from quorbit.model.diagrams.cases import Bdd
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
    Release,
    Until,
    WeakUntil,
)
from quorbit.model.system.formula_kinds import is_state_formula
from quorbit.source.frozen import frozen

__all__ = ["Conjunction", "Disjunction", "Path", "R", "States", "U", "X", "often"]


@frozen
class States:
    """The first state lies in a set."""

    set: Bdd


@frozen
class Conjunction:
    parts: tuple[Path, ...]


@frozen
class Disjunction:
    parts: tuple[Path, ...]


@frozen
class X:
    body: Path


@frozen
class U:
    left: Path
    right: Path


@frozen
class R:
    """right holds up to and including the first moment at which left does, or forever."""

    left: Path
    right: Path


Path = States | Conjunction | Disjunction | X | U | R


@frozen
class Normaliser:
    """Turns a path formula into a Path; ``evaluate`` gives the states (within ``universe``) of a state formula."""

    m: Manager
    universe: Bdd
    evaluate: Callable[[Formula], Bdd]

    def path(self, f: Formula, positive: bool = True) -> Path:
        if is_state_formula(f):
            states = self.evaluate(f)
            return States(states if positive else self.universe & ~states)
        match f:
            case Not(g):
                return self.path(g, not positive)
            case And(operands) | Or(operands):
                parts = [self.path(g, positive) for g in operands]
                return self.conjoin(parts) if isinstance(f, And) == positive else self.disjoin(parts)
            case Implies(left, right):
                parts = [self.path(left, not positive), self.path(right, positive)]
                return self.disjoin(parts) if positive else self.conjoin(parts)
            case Iff(left, right):
                return self.disjoin(
                    [
                        self.conjoin([self.path(left), self.path(right, positive)]),
                        self.conjoin([self.path(left, False), self.path(right, not positive)]),
                    ]
                )
            case Next(g):
                return X(self.path(g, positive))
        return self.binary(f, positive)

    def binary(self, f: Formula, positive: bool) -> Path:
        top, bottom = States(self.universe), States(self.m.false)
        match f:
            case Eventually(g):
                return U(top, self.path(g)) if positive else R(bottom, self.path(g, False))
            case Always(g):
                return R(bottom, self.path(g)) if positive else U(top, self.path(g, False))
            case Until(left, right):
                a, b = self.path(left, positive), self.path(right, positive)
                return U(a, b) if positive else R(a, b)
            case Release(left, right):
                a, b = self.path(left, positive), self.path(right, positive)
                return R(a, b) if positive else U(a, b)
            case WeakUntil(left, right):  # a W b is b R (a or b)
                a, b = self.path(left, positive), self.path(right, positive)
                return R(b, self.disjoin([a, b])) if positive else U(b, self.conjoin([a, b]))
        raise AssertionError(f)

    def conjoin(self, parts: Sequence[Path]) -> Path:
        """A conjunction, flat, with its sets joined and the sets that hold always joined."""
        flat = [q for p in parts for q in (p.parts if isinstance(p, Conjunction) else (p,))]
        now, always = self.universe, self.universe
        rest: list[Path] = []
        for p in dict.fromkeys(flat):
            if isinstance(p, States):
                now = now & p.set
            elif isinstance(p, R) and isinstance(p.right, States) and is_always(self.m, p):
                always = always & p.right.set
            else:
                rest.append(p)
        if always != self.universe:
            rest.append(R(States(self.m.false), States(always)))
        if now == self.m.false or not rest:
            return States(now)
        if now != self.universe:
            rest.insert(0, States(now))
        return rest[0] if len(rest) == 1 else Conjunction(tuple(rest))

    def disjoin(self, parts: Sequence[Path]) -> Path:
        flat = [q for p in parts for q in (p.parts if isinstance(p, Disjunction) else (p,))]
        sets = self.m.disjunction(p.set for p in flat if isinstance(p, States))
        rest: list[Path] = [p for p in flat if not isinstance(p, States)]
        if not rest or sets == self.universe:
            return States(sets)
        if sets != self.m.false:
            rest.insert(0, States(sets))
        return rest[0] if len(rest) == 1 else Disjunction(tuple(dict.fromkeys(rest)))


def is_always(m: Manager, p: Path) -> bool:
    return isinstance(p, R) and isinstance(p.left, States) and bool(p.left.set == m.false)


def often(m: Manager, universe: Bdd, p: Path) -> Bdd | None:
    """The set a path visits infinitely often, if that is all that p says."""
    if is_always(m, p) and isinstance(p, R) and isinstance(p.right, U):
        left, right = p.right.left, p.right.right
        if isinstance(left, States) and left.set == universe and isinstance(right, States):
            return right.set
    return None
