"""A machine of Event-B with all it refines and sees, as one machine of B.

ProB animates all levels together, and so do we: the variables that a refinement replaced are kept, and the actions of
the abstract events on them happen beside the concrete ones.  The parameters of an event are those of the concrete one;
those that a refinement dropped are chosen as the witness says.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.b.eventb.build import conjunction_of, is_primed, primed
from quorbit.languages.b.eventb.component import (
    INITIALISATION,
    Context,
    Event,
    EventMachine,
    Project,
)
from quorbit.languages.b.eventb.effects import Effects
from quorbit.languages.b.syntax.compose import Composed, open_conjunctions
from quorbit.languages.b.syntax.formulas import Binary, Formula, Junction, Name, SetOf, Unary
from quorbit.languages.b.syntax.machine import Machine, Operation, SetDeclaration
from quorbit.languages.b.syntax.walk import free_names, substitute
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.span import Span

__all__ = ["chain_of", "refined_by", "statics", "value_of"]


def flatten(project: Project) -> Composed:
    """The main component as a machine of B."""
    if project.main not in project.machines:
        context = project.contexts[project.main]
        return Composed(replace(statics(project, ()), span=context.span, name=context.name), {})
    chain = chain_of(project)
    static = statics(project, chain)
    invariants = [i for m in chain for i in m.invariants]
    labels = {i.formula.span: f"{m.name}.{i.label}" for m in chain for i in m.invariants}
    start = next((o for o in events_of(chain) if o.name == INITIALISATION), None)
    machine = replace(
        static,
        span=chain[0].span,
        name=chain[0].name,
        variables=unique(v for m in chain for v in m.variables),
        invariant=open_conjunctions(tuple(i.formula for i in invariants if not i.is_theorem)),
        assertions=(*static.assertions, *(i.formula for i in invariants if i.is_theorem)),
        initialisation=None if start is None else start.body,
        operations=tuple(o for o in events_of(chain) if o.name != INITIALISATION),
        labels={**static.labels, **labels},
        refines=None if chain[0].refines is None else Name(chain[0].span, chain[0].refines),
    )
    return Composed(machine, {})


def chain_of(project: Project) -> list[EventMachine]:
    """The machine and those that it refines, the most abstract one last; extended events written out."""
    found: list[EventMachine] = []
    name: str | None = project.main
    while name is not None:
        if name in [m.name for m in found]:
            raise UserError(found[0].span, f"machine {name} refines itself")
        machine = project.machines.get(name)
        if machine is None:
            raise UserError(found[-1].span, f"machine {name}, which {found[-1].name} refines, is not there")
        found.append(machine)
        name = machine.refines
    for k in reversed(range(len(found) - 1)):
        found[k] = replace(found[k], events=tuple(write_out(e, found[k + 1]) for e in found[k].events))
    return found


def write_out(event: Event, abstract: EventMachine) -> Event:
    """An extended event with all that the event has that it extends."""
    if not event.is_extended:
        return event
    base = refined_by(event, abstract)
    if len(base) != 1:
        raise UserError(event.span, f"{event.name} extends {len(base)} events; it must extend one")
    return replace(
        event,
        parameters=(*base[0].parameters, *event.parameters),
        guards=(*base[0].guards, *event.guards),
        actions=(*base[0].actions, *event.actions),
    )


def refined_by(event: Event, abstract: EventMachine) -> tuple[Event, ...]:
    """The abstract events that an event refines; none: it is new."""
    names = event.refines or ((INITIALISATION,) if event.name == INITIALISATION else ())
    found = {e.name: e for e in abstract.events}
    for name in names:
        if name not in found and name != INITIALISATION:
            raise UserError(event.span, f"{event.name} refines {name}, which is not an event of {abstract.name}")
    return tuple(found[name] for name in names if name in found)


# Contexts.


def contexts_of(project: Project, chain: tuple[EventMachine, ...] | list[EventMachine]) -> list[Context]:
    """What the machines see, and what that extends, each once; what is extended comes first."""
    found: dict[str, Context] = {}

    def add(name: str, span: Span, under: tuple[str, ...]) -> None:
        context = project.contexts.get(name)
        if context is None:
            raise UserError(span, f"context {name} is not there")
        if name in under:
            raise UserError(context.span, f"context {name} extends itself")
        for other in context.extends:
            add(other, context.span, (*under, name))
        found.setdefault(name, context)

    for machine in reversed(chain):
        for name in machine.sees:
            add(name, machine.span, ())
    if not chain:
        add(project.main, project.contexts[project.main].span, ())
    return list(found.values())


def statics(project: Project, chain: tuple[EventMachine, ...] | list[EventMachine]) -> Machine:
    """Sets, constants and axioms; a set whose elements are listed and told apart is an enumerated set."""
    contexts = contexts_of(project, chain)
    sets = unique(s for c in contexts for s in c.sets)
    constants = unique(k for c in contexts for k in c.constants)
    axioms = [a for c in contexts for a in c.axioms]
    properties = open_conjunctions(tuple(a.formula for a in axioms if not a.is_theorem))
    listed = enumerated(sets, constants, properties)
    elements = {e.name for items in listed.values() for e in items}
    span = contexts[0].span if contexts else chain[0].span
    return Machine(
        span,
        "MACHINE",
        "",
        sets=tuple(SetDeclaration(s, listed.get(s.name)) for s in sets),
        constants=tuple(k for k in constants if k.name not in elements),
        properties=tuple(p for p in properties if not is_said(p, listed, elements)),
        assertions=tuple(a.formula for a in axioms if a.is_theorem),
        symbolic=frozenset(name for c in contexts for name in c.symbolic),
        labels={a.formula.span: f"{c.name}.{a.label}" for c in contexts for a in c.axioms},
    )


def enumerated(
    sets: tuple[Name, ...], constants: tuple[Name, ...], properties: tuple[Formula, ...]
) -> dict[str, tuple[Name, ...]]:
    """Sets that an axiom lists by constants, no two of which are equal."""
    known = {k.name: k for k in constants}
    unequal = {pair for p in properties if (pair := unequal_names(p)) is not None}
    found: dict[str, tuple[Name, ...]] = {}
    taken: set[str] = set()
    for s in sets:
        for p in properties:
            names = listed_names(p, s.name)
            if not names or s.name in found or not set(names) <= known.keys() - taken or len(set(names)) < len(names):
                continue
            if all(frozenset({a, b}) in unequal for k, a in enumerate(names) for b in names[:k]):
                found[s.name] = tuple(known[n] for n in names)
                taken |= set(names)
    return found


def listed_names(p: Formula, of: str) -> tuple[str, ...] | None:
    """The names in S = {a, b, c}."""
    match p:
        case Binary(op="=", left=Name(name=name), right=SetOf(items=items)) if name == of:
            pass
        case Binary(op="=", left=SetOf(items=items), right=Name(name=name)) if name == of:
            pass
        case _:
            return None
    names = tuple(i.name for i in items if isinstance(i, Name))
    return names if len(names) == len(items) else None


def unequal_names(p: Formula) -> frozenset[str] | None:
    match p:
        case (
            Binary(op="/=", left=Name(name=a), right=Name(name=b))
            | Unary(op="not", argument=Binary(op="=", left=Name(name=a), right=Name(name=b)))
        ):
            return frozenset({a, b})
    return None


def is_said(p: Formula, listed: dict[str, tuple[Name, ...]], elements: set[str]) -> bool:
    """Whether an axiom only says what the enumerated sets say already."""
    pair = unequal_names(p)
    if pair is not None:
        return pair <= elements
    return any(listed_names(p, s) == tuple(e.name for e in items) for s, items in listed.items())


# Events.


def events_of(chain: list[EventMachine]) -> Iterator[Operation]:
    for event in chain[0].events:
        yield operation(chain, event)


def operation(chain: list[EventMachine], event: Event) -> Operation:
    """The event with what happens beside it on all abstract levels."""
    effects = Effects(event.span)
    for action in event.actions:
        effects.add(action.substitution)
    known = {v.name for v in chain[0].variables}
    add_abstract(effects, chain, event, known)
    guard = tuple(g.formula for g in event.guards if not g.is_theorem)
    body = effects.body(open_conjunctions(guard))
    return Operation(event.span, event.name, (), event.parameters, body)


def add_abstract(effects: Effects, chain: list[EventMachine], event: Event, known: set[str]) -> None:
    """What the abstract events do to variables that the levels below do not have."""
    names: dict[str, Formula] = {}  # what the parameters of this level are called here
    for level in chain[1:]:
        lost = {v.name for v in level.variables} - known
        known |= lost
        above = refined_by(event, level)
        if not above:
            return
        abstract = above[0]
        outer, names = names, bind_parameters(effects, event, abstract, names, keep_guards=len(above) == 1)
        demand_guards(effects, event, above, names, outer)
        for action in abstract.actions:
            effects.add(substitute(action.substitution, names), only=lost)
        for witness in event.witnesses:
            if witness.name in {primed(v) for v in lost}:
                effects.say(substitute(witness.formula, names))
        event = abstract


def demand_guards(
    effects: Effects, event: Event, above: tuple[Event, ...], names: dict[str, Formula], outer: dict[str, Formula]
) -> None:
    """Where the event occurs, the abstract one can: ProB says so too, and does not take the step."""
    mine = {substitute(g.formula, outer) for g in event.guards}
    own = {p.name for p in event.parameters}
    choices: list[Formula] = []
    for abstract in above:
        if len(above) > 1 and any(p.name not in own for p in abstract.parameters):
            return  # the parameters of the others are not known here
        found = [substitute(g.formula, names) for g in abstract.guards if not g.is_theorem]
        left = tuple(g for g in found if g not in mine)
        if not left:
            return
        choices.append(conjunction_of(left[0].span, left))
    whole = choices[0] if len(choices) == 1 else Junction(event.span, "or", tuple(choices))
    words = " or ".join(a.name for a in above)
    effects.demand(whole, f"{event.name} occurs where {words}, which it refines, cannot")


def bind_parameters(
    effects: Effects, event: Event, abstract: Event, names: dict[str, Formula], keep_guards: bool
) -> dict[str, Formula]:
    """The abstract event's parameters: those of the event itself, or chosen by a witness or, without, by its guards."""
    own = {p.name for p in event.parameters}
    witnesses = {w.name: w.formula for w in event.witnesses}
    inner: dict[str, Formula] = {n: f for n, f in names.items() if n in own}
    dropped = [p for p in abstract.parameters if p.name not in own]
    for p in dropped:
        value = value_of(p, witnesses.get(p.name))
        inner[p.name] = effects.choose(p) if value is None else substitute(value, names)
    for p in dropped:
        if p.name in witnesses and value_of(p, witnesses[p.name]) is None:
            effects.say(substitute(witnesses[p.name], {**names, **inner}))
    if keep_guards and any(p.name not in witnesses for p in dropped):
        for g in abstract.guards:
            if not g.is_theorem and free_names(g.formula) & {p.name for p in dropped}:
                effects.say(substitute(g.formula, inner))
    return inner


def value_of(p: Name, witness: Formula | None) -> Formula | None:
    """E where the witness says p = E and E speaks of nothing new."""
    match witness:
        case Binary(op="=", left=Name(name=name), right=value) | Binary(op="=", left=value, right=Name(name=name)):
            free = free_names(value)
            return value if name == p.name and name not in free and not any(is_primed(n) for n in free) else None
    return None


def unique(names: Iterator[Name]) -> tuple[Name, ...]:
    return tuple({n.name: n for n in reversed(list(names))}.values())[::-1]
