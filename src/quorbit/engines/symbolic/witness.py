"""Paths that show why E p holds in a state: finite where that is enough, else a lasso.

A path is a list of model states; from ``loop`` on it repeats forever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quorbit.engines.symbolic.ctlstar.check import Checker
from quorbit.engines.symbolic.ctlstar.fixpoints import Structure
from quorbit.engines.symbolic.ctlstar.normal import Conjunction, Disjunction, Path, R, States, U, X, often
from quorbit.model.diagrams.cases import Bdd
from quorbit.source.frozen import field, frozen, mutable

__all__ = ["Run"]

Successors = Callable[[Bdd], Bdd]  # of one state, given as a cube


@mutable
class Run:
    """A path under construction; points are cubes of one state each."""

    points: list[Bdd] = field(default_factory=list)
    loop: int | None = None


@frozen
class Walker:
    """How to walk in a structure: the successors of a point, and the least point of a set."""

    structure: Structure
    successors: Successors
    least: Callable[[Bdd], Bdd]

    def walk_to(self, run: Run, through: Bdd, target: Bdd) -> None:
        """A shortest way from the last point to the target; nothing if it is there.  Requires: there is one."""
        m = self.structure.m
        rings = self.structure.eu_rings(through, target, run.points[-1])
        assert run.points[-1] & rings[-1] != m.false, "the target cannot be reached"
        for ring in reversed(rings[:-1]):
            run.points.append(self.least(self.successors(run.points[-1]) & ring))

    def step_into(self, run: Run, target: Bdd) -> None:
        run.points.append(self.least(self.successors(run.points[-1]) & target))

    def lasso(self, run: Run, hull: Bdd, fair: Sequence[Bdd]) -> None:
        """Go on forever inside the hull, through every fair set again and again.

        Requires: hull = EG with this fairness.  A cycle that cannot be closed leads to a lower component, so this ends.
        """
        m = self.structure.m
        while True:
            base = len(run.points) - 1
            anchor = run.points[base]
            for constraint in fair:
                if all(point & constraint == m.false for point in run.points[base:]):
                    self.step_towards(run, hull, hull & constraint)
            if self.step_towards(run, hull, anchor):
                run.points.pop()
                run.loop = base
                return
            if len(run.points) - 1 == base:
                self.step_into(run, hull)

    def step_towards(self, run: Run, hull: Bdd, target: Bdd) -> bool:
        """At least one step, and then on to the target by a shortest way; whether there is one.  No more is searched
        than that takes."""
        nearest = self.successors(run.points[-1]) & hull
        rings = self.structure.eu_rings(hull, target, nearest)
        if rings[-1] & nearest == self.structure.m.false:
            return False
        for ring in reversed(rings):
            self.step_into(run, ring)
        return True


def model_walker(checker: Checker) -> Walker:
    model = checker.model

    def least(states: Bdd) -> Bdd:
        return cube(checker, states, model.layout.present)

    return Walker(checker.structure, lambda point: model.image(point) & checker.universe, least)


def cube(checker: Checker, states: Bdd, variables: Sequence[int]) -> Bdd:
    m = checker.m
    chosen = m.pick(states, variables)
    return m.conjunction(m.variable(v) if value else ~m.variable(v) for v, value in chosen.items())


def show_path(checker: Checker, run: Run, p: Path, fair: tuple[Bdd, ...] = ()) -> None:
    """Extend a run by a path that satisfies p.  Requires: E p holds at its last point."""
    walker = model_walker(checker)
    here = run.points[-1]
    match p:
        case States():
            continue_after_errors(checker, walker, run, fair)
        case Disjunction(parts):
            chosen = next(q for q in parts if here & checker.some_path(q, fair) != checker.m.false)
            show_path(checker, run, chosen, fair)
        case X(body):
            walker.step_into(run, checker.some_path(body, fair))
            show_path(checker, run, body, fair)
        case U(States(left), right):
            walker.walk_to(run, left, checker.some_path(right, fair))
            show_path(checker, run, right, fair)
        case R(left, States(right)):
            show_release(checker, walker, run, left, right, fair)
        case Conjunction(parts):
            show_conjunction(checker, run, p, parts, fair)
        case _:
            if (constraint := often(checker.m, checker.universe, p)) is not None:
                continue_after_errors(checker, walker, run, (*fair, constraint))
            else:
                show_tableau(checker, run, p, fair)


def continue_after_errors(checker: Checker, walker: Walker, run: Run, fair: tuple[Bdd, ...]) -> None:
    """Nothing more is asked; with fairness the path must still be shown to be fair."""
    if fair:
        walker.lasso(run, checker.hull(fair), fair)


def show_release(checker: Checker, walker: Walker, run: Run, left: Path, right: Bdd, fair: tuple[Bdd, ...]) -> None:
    s = checker.structure
    release = checker.m.false if checker.is_never(left) else checker.some_path(left, fair) & right
    if run.points[-1] & s.eu(right, release) != checker.m.false:
        walker.walk_to(run, right, release)
        show_path(checker, run, left, fair)
    else:
        walker.lasso(run, s.eg(right, fair), fair)


def show_conjunction(checker: Checker, run: Run, p: Path, parts: tuple[Path, ...], fair: tuple[Bdd, ...]) -> None:
    _, constraints, rest = checker.split(parts)
    everything = (*fair, *constraints)
    if not rest:
        continue_after_errors(checker, model_walker(checker), run, everything)
    elif len(rest) == 1:
        show_path(checker, run, rest[0], everything)
    else:
        show_tableau(checker, run, Conjunction(tuple(rest)), everything)


def show_tableau(checker: Checker, run: Run, p: Path, fair: tuple[Bdd, ...]) -> None:
    """A fair lasso of the product, with the promises forgotten afterwards."""
    m, model = checker.m, checker.model
    tableau = checker.tableau(p, fair)
    hull = tableau.product.eg(tableau.product.universe, tableau.fair)
    variables = (*model.layout.present, *tableau.variables.numbers)

    def successors(point: Bdd) -> Bdd:
        kept = m.conjunction(f if point & m.variable(b) != m.false else ~f for b, f in tableau.promises)
        state = m.exists(point, tableau.variables)
        return model.image(state) & kept & checker.universe

    walker = Walker(tableau.product, successors, lambda states: cube(checker, states, variables))
    inner = Run([cube(checker, run.points[-1] & tableau.start & hull, variables)])
    walker.lasso(inner, hull, tableau.fair)
    base = len(run.points) - 1
    run.points[base:] = [m.exists(point, tableau.variables) for point in inner.points]
    run.loop = None if inner.loop is None else base + inner.loop
