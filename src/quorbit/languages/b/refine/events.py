"""Refinements of Event-B: each machine with the one that it refines, event by event, with the witnesses."""

from __future__ import annotations

from quorbit.languages.b.eventb.build import conjunction_of, is_primed, primed
from quorbit.languages.b.eventb.component import INITIALISATION, Event, EventMachine, Project
from quorbit.languages.b.eventb.effects import Effects
from quorbit.languages.b.eventb.levels import chain_of, refined_by, statics, value_of
from quorbit.languages.b.refine.joint import START_OF_ABSTRACT, Joint, Match, Pairing
from quorbit.languages.b.syntax.compose import Composed, open_conjunctions
from quorbit.languages.b.syntax.formulas import Formula
from quorbit.languages.b.syntax.machine import Operation
from quorbit.languages.b.syntax.substitutions import Any, Select, Skip, Substitution
from quorbit.languages.b.syntax.walk import free_names, substitute
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace


def join_levels(project: Project, abstract: str) -> Joint:
    """The main machine with the one that it refines directly."""
    chain = chain_of(project)
    if len(chain) < 2 or chain[1].name != abstract:
        above = chain[1].name if len(chain) > 1 else "nothing"
        raise UserError(chain[0].span, f"{project.main} refines {above}, not {abstract}")
    return join(project, chain)


def join(project: Project, chain: list[EventMachine]) -> Joint:
    below, above = chain[0], chain[1]
    static = statics(project, chain)
    operations: list[Operation] = []
    pairings: list[Pairing] = []
    for event in below.events:
        if event.name == INITIALISATION:
            continue
        operations.append(Operation(event.span, event.name, (), event.parameters, concrete_body(event)))
        matches = tuple(match(operations, event, a) for a in refined_by(event, above))
        pairings.append(Pairing(event.name, matches, event.status))
    first = {e.name: e for e in (*above.events, *below.events) if e.name == INITIALISATION}
    theirs = next((e for e in above.events if e.name == INITIALISATION), None)
    ours = first.get(INITIALISATION)
    begin = Skip(above.span) if theirs is None else actions(theirs)
    operations.append(Operation(above.span if theirs is None else theirs.span, START_OF_ABSTRACT, (), (), begin))
    own = {v.name for v in below.variables}
    gluing = open_conjunctions(tuple(i.formula for i in below.invariants))
    known = open_conjunctions(tuple(i.formula for m in chain[1:] for i in m.invariants if not i.is_theorem))
    variables = (*below.variables, *(v for v in above.variables if v.name not in own))
    lost = {v.name for m in chain[1:] for v in m.variables} - {v.name for v in variables}
    machine = replace(
        static,
        span=below.span,
        name=below.name,
        variables=variables,
        invariant=(*gluing, *(p for p in known if not free_names(p) & lost)),
        assertions=(),
        initialisation=None if ours is None else actions(ours),
        operations=tuple(operations),
        labels={i.formula.span: f"{below.name}.{i.label}" for i in below.invariants},
    )
    refined = {r.name for e in below.events for r in refined_by(e, above)}
    notes = tuple(
        f"no event of {below.name} refines {e.name} of {above.name}"
        for e in above.events
        if e.name not in refined and e.name != INITIALISATION
    )
    start = Match(INITIALISATION, START_OF_ABSTRACT, () if ours is None else tuple(w.formula for w in ours.witnesses))
    return Joint(
        above.name,
        below.name,
        below.span,
        above.span,
        Composed(machine, {}),
        below.variables,
        above.variables,
        tuple(pairings),
        start,
        tuple(p for p in gluing if not free_names(p) & lost),
        tuple(v.formula for v in below.variants),
        notes,
    )


def actions(event: Event) -> Substitution:
    effects = Effects(event.span)
    for action in event.actions:
        effects.add(action.substitution)
    return effects.assignments()


def guards(event: Event) -> tuple[Formula, ...]:
    return open_conjunctions(tuple(g.formula for g in event.guards if not g.is_theorem))


def concrete_body(event: Event) -> Substitution:
    return where(event, guards(event), actions(event))


def where(event: Event, conditions: tuple[Formula, ...], body: Substitution) -> Substitution:
    return Select(event.span, ((conjunction_of(event.span, conditions), body),), None) if conditions else body


def with_values(event: Event, values: dict[str, Formula]) -> Event:
    """The event with formulas in the place of parameters."""
    return replace(
        event,
        guards=tuple(replace(g, formula=substitute(g.formula, values)) for g in event.guards),
        actions=tuple(replace(a, substitution=substitute(a.substitution, values)) for a in event.actions),
    )


def new_values(event: Event) -> dict[str, Formula]:
    """x' for the variables that the event assigns without a choice."""
    effects = Effects(event.span)
    for action in event.actions:
        effects.add(action.substitution)
    return {primed(n): value for n, value in effects.values.items()}


def match(operations: list[Operation], event: Event, abstract: Event) -> Match:
    """The abstract event with the parameters of the concrete one; those that were dropped are chosen by witnesses."""
    own = {p.name for p in event.parameters}
    news = new_values(event)
    given = {w.name: substitute(w.formula, news) for w in event.witnesses}
    gone = tuple(p for p in abstract.parameters if p.name not in own)
    values = {p.name: value for p in gone if (value := value_of(p, given.get(p.name))) is not None}
    abstract = with_values(abstract, values)
    dropped = tuple(p for p in gone if p.name not in values)
    witnesses = open_conjunctions(tuple(w for name, w in given.items() if name not in values))
    late = tuple(w for w in witnesses if any(is_primed(n) for n in free_names(w)))
    early = tuple(w for w in witnesses if w not in late)
    body = where(abstract, guards(abstract), actions(abstract))
    if dropped:
        conditions = (*early, *guards(abstract))
        body = Any(abstract.span, dropped, conjunction_of(abstract.span, conditions), actions(abstract))
    name = f"{abstract.name} of {event.name}"
    operations.append(Operation(abstract.span, name, (), event.parameters, body))
    return Match(abstract.name, name, late, tuple(p.name for p in abstract.parameters if p.name in own))
