"""Checking on the quotient ([M97, 4.3.2]): one state per orbit, by the canonical-state function.

``by_next`` canonises after every image; its preimage asks for the states whose successors have their representative in
the set, which is one composition with xi.  ``by_relation`` builds the relation between representatives,
R_xi(x, y) = exists x', y': R(x', y') and xi(x') = x and xi(y') = y, once.
Both are Models again, so the fixpoints do not know the difference.  Requires: the group consists of symmetries of the
System, and the formulas asked for are invariant under it.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.engines.symbolic.answers import explain_at
from quorbit.engines.symbolic.ctlstar.check import Checker
from quorbit.engines.symbolic.model import Model, open_model
from quorbit.engines.symbolic.quotients.canonical import Vector, canonical_image, exact_xi, representatives
from quorbit.engines.symbolic.reach import Clock, Reached, Stopped, reach
from quorbit.engines.symbolic.replay import check_trace
from quorbit.engines.symbolic.trace import path_to, trace_of
from quorbit.engines.symbolic.witness import Run
from quorbit.groups.group import Group
from quorbit.machine.options import SearchOptions
from quorbit.model.diagrams.bits import state_cube
from quorbit.model.diagrams.cases import Bdd, Unsupported
from quorbit.model.system.system import Invariant, NoDeadlock, Property, State, System, Temporal
from quorbit.result.outcome import Outcome, Statistics, Trace, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen

__all__ = ["check_quotient"]


@frozen
class NextQuotient(Model):
    """The quotient by Next: no relation between representatives is built."""

    xi: Vector = field(default_factory=list)
    chosen: Bdd = None  # the representatives

    def image(self, states: Bdd) -> Bdd:
        return canonical_image(self, self.xi, super().image(states))

    def preimage(self, states: Bdd) -> Bdd:
        into = self.m.substitution(dict(zip(self.layout.present, self.xi, strict=True)))
        return self.chosen & super().preimage(self.m.substitute(states, into))


@frozen
class RelationQuotient(Model):
    """The quotient by R_xi, over present and following bits."""

    relation: Bdd = None

    def image(self, states: Bdd) -> Bdd:
        m, layout = self.m, self.layout
        after = m.and_exists(states, self.relation, m.variables(layout.present))
        return m.substitute(after, m.rename(dict(zip(layout.following, layout.present, strict=True))))

    def preimage(self, states: Bdd) -> Bdd:
        m, layout = self.m, self.layout
        renamed = m.substitute(states, m.rename(dict(zip(layout.present, layout.following, strict=True))))
        return m.and_exists(renamed, self.relation, m.variables(layout.following))


def by_next(model: Model, xi: Vector) -> NextQuotient:
    initial = canonical_image(model, xi, model.initial)
    parts = (model.m, model.system, model.layout, model.relations, initial)
    return NextQuotient(*parts, xi=xi, chosen=representatives(model, xi))


def by_relation(model: Model, xi: Vector) -> RelationQuotient:
    m, layout = model.m, model.layout
    extra = m.add_variables(2 * len(layout.present))
    x, y = tuple(extra[0::2]), tuple(extra[1::2])
    full = m.disjunction(whole_relation(model, k) for k in range(len(model.relations)))
    shift = m.rename(dict(zip(layout.present, layout.following, strict=True)))
    for functions, names, old in ((xi, x, layout.present), ([m.substitute(f, shift) for f in xi], y, layout.following)):
        link = m.conjunction(m.equivalent(m.variable(b), f) for b, f in zip(names, functions, strict=True))
        full = m.and_exists(full, link, m.variables(old))
    back = m.rename({**dict(zip(x, layout.present, strict=True)), **dict(zip(y, layout.following, strict=True))})
    initial = canonical_image(model, xi, model.initial)
    parts = (model.m, model.system, model.layout, model.relations, initial)
    return RelationQuotient(*parts, relation=m.substitute(full, back))


def whole_relation(model: Model, k: int) -> Bdd:
    """One command as a relation between all present and all following bits."""
    m, relation = model.m, model.relations[k]
    parts = list(relation.parts)
    for i, coded in enumerate(model.layout.places):
        if i not in relation.changes:
            parts += [
                m.equivalent(m.variable(b), m.variable(c)) for b, c in zip(coded.bits, coded.following, strict=True)
            ]
    parameters = [b for (c, _), coded in model.layout.parameters.items() if c == relation.number for b in coded.bits]
    return m.exists(m.conjunction(parts), m.variables(parameters))


def check_quotient(
    system: System,
    properties: Sequence[Property],
    group: Group,
    method: str = "next",
    options: SearchOptions | None = None,
) -> list[Outcome]:
    """An answer for every property from the quotient; its paths are carried back to runs of the System."""
    options = options or SearchOptions()
    try:
        model = open_model(system)
        xi = exact_xi(model, group)
    except Unsupported as missing:
        raise UserError(None, f"the symbolic engine cannot check this model: {missing}") from None
    quotient: Model = by_next(model, xi) if method == "next" else by_relation(model, xi)
    clock = Clock(options.timeout)
    try:
        reached = reach(quotient, clock, max_depth=options.max_depth)
        checker = Checker(quotient, reached.states, clock)
        statistics = Statistics(states=quotient.count(reached.states), depth=len(reached.rings) - 1)
        asked = Asked(model, xi, quotient, reached, checker, statistics)
        return [answer(asked, p) for p in properties]
    except Stopped as stopped:
        return [Outcome(Verdict.UNKNOWN, p.name, str(stopped), engine="symbolic") for p in properties]


@frozen
class Asked:
    """The System, its quotient and what is reachable there."""

    model: Model
    xi: Vector
    quotient: Model
    reached: Reached
    checker: Checker
    statistics: Statistics


def answer(asked: Asked, p: Property) -> Outcome:
    quotient, checker = asked.quotient, asked.checker
    match p:
        case Invariant(condition=condition):
            wrong = checker.universe & ~quotient.truth(condition)
        case NoDeadlock(allowed=allowed):
            wrong = checker.universe & ~quotient.preimage(checker.universe) & ~quotient.truth(allowed)
        case Temporal(formula=formula):
            wrong = quotient.initial & ~checker.states(formula)
        case _:
            raise UserError(None, "the symbolic engine does not check assertions inside commands")
    if wrong == quotient.m.false:
        return Outcome(Verdict.HOLDS, p.name, statistics=asked.statistics, engine="symbolic")
    trace = lift(asked, *path_of(asked, p, wrong))
    message = (
        p.message
        if isinstance(p, Invariant)
        else " ".join(p.span.text.split())[:200]
        if isinstance(p, Temporal)
        else ""
    )
    return Outcome(Verdict.FAILS, p.name, message, trace, statistics=asked.statistics, engine="symbolic")


def path_of(asked: Asked, p: Property, wrong: Bdd) -> tuple[list[State], int | None]:
    """Representatives that show why a property fails, and where they go on from after the last."""
    quotient = asked.quotient
    if not isinstance(p, Temporal):
        return path_to(quotient, asked.reached, wrong), None
    run = Run([state_cube(quotient.m, quotient.layout, quotient.pick(wrong))])
    explain_at(asked.checker, p.formula, run, False)
    return [quotient.pick(point) for point in run.points], run.loop


def lift(asked: Asked, path: Sequence[State], loop: int | None) -> Trace:
    """The run of the System along a path of representatives: a state of each orbit that the one before leads to.

    A loop is gone round until a state comes back: what returns in the quotient may be another state of the orbit."""
    model = asked.model
    s = model.pick(model.initial & orbit_of(asked, path[0]))
    states = [s]
    for r in path[1:]:
        s = successor(asked, s, r)
        states.append(s)
    back = None
    if loop is not None:
        entered = {states[loop]: loop}
        while (s := successor(asked, s, path[loop])) not in entered:
            entered[s] = len(states)
            states.append(s)
            for r in path[loop + 1 :]:
                s = successor(asked, s, r)
                states.append(s)
        back = entered[s]
    trace = trace_of(model, states, back)
    check_trace(model.system, trace)
    return trace


def orbit_of(asked: Asked, r: State) -> Bdd:
    """The states whose representative is r."""
    m, layout = asked.model.m, asked.model.layout
    into = m.substitution(dict(zip(layout.present, asked.xi, strict=True)))
    return m.substitute(state_cube(m, layout, r), into)


def successor(asked: Asked, s: State, r: State) -> State:
    model = asked.model
    return model.pick(model.image(state_cube(model.m, model.layout, s)) & orbit_of(asked, r))
