"""The product of two machines as one System: a state is a pair of states, a step is a concrete step with one that
matches it.

A concrete step c -> c' from a pair (a, c) is matched by an abstract step a -> a' with the same arguments and results,
the same new values of the variables that both have, and the gluing invariant between a' and c'.  The pair goes on to
every such a'.  Where there is none the step violates the property ``refinement``; everything else (search, symmetry,
runs) is as for any other System.
"""

from __future__ import annotations

from quorbit.languages.b.eventb.build import primed
from quorbit.languages.b.lower.assume import assume
from quorbit.languages.b.lower.formulas import lower
from quorbit.languages.b.lower.loops import (
    STEP,
    Arguments,
    Body,
    Loops,
    has_loop,
    loop_variables,
    open_calls,
    split_guard,
)
from quorbit.languages.b.lower.membership import apply
from quorbit.languages.b.lower.narrow import narrow
from quorbit.languages.b.lower.scope import Scope, fault
from quorbit.languages.b.lower.substitutions import Lowering, Outcome, guarded, outcomes
from quorbit.languages.b.lower.system import (
    INITIALISED,
    command,
    find_constants,
    lower_atoms,
    lower_parameters,
    lower_variables,
    set_up,
    with_results,
)
from quorbit.languages.b.meaning.doubt import is_doubtful
from quorbit.languages.b.meaning.explore import START, Animator
from quorbit.languages.b.meaning.query import type_formula
from quorbit.languages.b.meaning.universe import Universe
from quorbit.languages.b.refine.joint import Joint, Match, Pairing
from quorbit.languages.b.refine.loops import pair_loop
from quorbit.languages.b.syntax.formulas import Formula, Name
from quorbit.languages.b.syntax.show import show
from quorbit.languages.b.syntax.substitutions import Substitution
from quorbit.languages.b.telling import telling_of
from quorbit.languages.b.types.typed import TypedMachine, TypedOperation
from quorbit.languages.b.types.types import INTEGER, Type
from quorbit.model.system.command import Assign, Command, Require, Step, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Expr,
    Operator,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    conjunction,
    disjunction,
    negation,
    number,
)
from quorbit.model.system.system import Assertions, Invariant, System
from quorbit.model.system.telling import Part, Side
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace
from quorbit.source.span import Span

O = Operator
REFINEMENT = "refinement"


@frozen
class Work:
    """What all steps of a product share."""

    joint: Joint
    machine: TypedMachine
    scope: Scope
    types: dict[str, Type]

    @property
    def own(self) -> frozenset[str]:
        return frozenset(v.name for v in self.joint.concrete_variables)


@frozen
class Wanted:
    """One thing that has to hold for a step to match, and what is wrong if it does not."""

    condition: Expr
    message: str
    span: Span


def lower_product(joint: Joint, machine: TypedMachine, universe: Universe, deadlock: bool) -> System:
    """The System of a pair; with ``deadlock`` the concrete machine must go on wherever the abstract one does."""
    machine = replace(machine, has_properties=True)
    animator = Animator(machine, universe, True)
    constants = find_constants(animator)
    names: dict[str, Expr] = {n.name: Read(n.name, span=n.span) for n in (*constants.places, *machine.variables)}
    varying = [n.name for n in constants.places]
    valuations = tuple(dict(zip(varying, v, strict=True)) for v in constants.valuations)
    scope = Scope(animator.reference, names, {**animator.globals, **constants.fixed}, lower, valuations=valuations)
    types = {**machine.globals, **{primed(v.name): v.type for v in machine.variables}}
    work = Work(joint, machine, scope, types)
    loops = Loops()
    steps = [c for pairing in joint.pairings for c in pair_operation(work, pairing, loops)]
    between = apply(O.EQUAL, Read(STEP), number(0), span=joint.span) if loops.commands else TRUE
    added = loop_variables(loops)
    properties: tuple[Assertions | Invariant, ...] = (Assertions(REFINEMENT), Assertions("run-time errors"))
    if deadlock:
        properties = (*properties, goes_on(work))
    system = System(
        f"{joint.concrete} and {joint.abstract}",
        lower_atoms(machine, universe),
        (*lower_variables(machine, constants, universe), *added),
        (*(replace(c, guard=conjunction([between, c.guard])) for c in steps), *loops.commands),
        tuple(pair_start(work)),
        transient=negation(between),
        properties=properties,
        telling=replace(
            telling_of(
                machine, scope.spelling, constants.fixed, constants.places, (INITIALISED, *(v.name for v in added))
            ),
            sides=sides_of(joint, machine),
            starts=(),  # each side tells its own
            internal=frozenset(v.name for v in added),
        ),
        count_once=True,
        unread=(*machine.notes, *joint.notes),
    )
    system = set_up(system, scope, constants, machine.span)
    system = narrow(system, assume(scope, machine.invariant))
    cuts = tuple(f"{cut.span}: {cut.message}" for cut in animator.reference.cuts.values())
    return replace(system, incomplete=cuts, doubtful=is_doubtful(machine, animator.reference.cuts))


def sides_of(joint: Joint, machine: TypedMachine) -> tuple[Side, Side]:
    """How a run is told in the words of each machine."""
    ours, theirs = ({v.name for v in side} for side in (joint.concrete_variables, joint.abstract_variables))
    mine, its = dict[str, Part](), dict[str, Part]()
    for pairing in joint.pairings:
        o = machine.callable[pairing.operation]
        own = Part(o.name, tuple(n.name for n in (*o.parameters, *o.results)), o.span)
        mine.update(dict.fromkeys((*dict(labels_of(pairing)), unmatched(pairing)), own))
        its[unmatched(pairing)] = Part("(no matching step)", (), joint.above)
        if not pairing.matches:
            its[labels_of(pairing)[0][0]] = Part("skip", (), joint.above)
        for (label, word), match in zip(labels_of(pairing), pairing.matches, strict=False):
            a = machine.callable[match.operation]
            its[label] = Part(word, match.shown, a.span)
    start = machine.callable[joint.start.operation].span
    its[START] = Part(START, (), start)
    return (
        Side(joint.concrete, frozenset(theirs - ours), tuple(mine.items())),
        Side(joint.abstract, frozenset(ours - theirs), tuple(its.items())),
    )


def labels_of(pairing: Pairing) -> list[tuple[str, str]]:
    """The labels of a concrete operation's commands, each with the abstract operation that moves along."""
    name = pairing.operation
    if not pairing.matches:
        return [(f"{name} (skip)", "skip")]
    return [(name if m.label == name else f"{name} (refines {m.label})", m.label) for m in pairing.matches]


def unmatched(pairing: Pairing) -> str:
    return f"{pairing.operation} (unmatched)"


# Steps.


def pair_operation(work: Work, pairing: Pairing, loops: Loops) -> list[Command]:
    """The commands of a concrete operation; one with a loop adds its own to ``loops``."""
    o = opened(work, pairing.operation, loops=True)
    given = lower_parameters(work.scope, o)
    to = Lowering(work.machine.callable, (o.name,), given.settled)
    if has_loop(o.body):
        body = body_of(work, o, given, loops)

        def ending(then: Arguments, way: Outcome) -> list[Command]:
            found = pair_way(work, pairing, o, then, way)
            return [c for made in found for c in with_results(work.scope, o, way, made)]

        pair_loop(body, work.scope, given, own_variables(work), ending)
        return []
    inner = given.scope.having({r.name: fault(r.span) for r in o.results})
    found: list[Command] = []
    for way in outcomes(to, inner, o.body, top=True):
        whole = Outcome(guard=given.guard).then(way)
        ready = conjunction([Read(INITIALISED)])
        if way.fails:
            found.append(command(o.name, given.parameters, whole, work.machine, ready, o.span))
            continue
        for made in pair_way(work, pairing, o, given, whole):
            found.extend(with_results(work.scope, o, way, replace(made, guard=conjunction([ready, made.guard]))))
    return [c for c in found if c.guard != FALSE]


def body_of(work: Work, o: TypedOperation, given: Arguments, loops: Loops) -> Body:
    names = frozenset(v.name for v in work.machine.variables)
    return Body(loops, Lowering(work.machine.callable, (o.name,), given.settled), o, Read(INITIALISED), names)


def own_variables(work: Work) -> tuple[Name, ...]:
    return tuple(v for v in work.machine.variables if v.name in work.own)


def opened(work: Work, name: str, loops: bool = False) -> TypedOperation:
    """An operation whose calls of operations with loops are written out; an abstract one has no loops."""
    o = work.machine.callable[name]
    body = open_calls(work.machine.callable, o.body, (o.name,))
    if has_loop(body) and not loops:
        raise UserError(o.span, f"{name} has a WHILE loop; only the concrete operations of a pair may have one")
    return replace(o, body=body)


def pair_way(work: Work, pairing: Pairing, o: TypedOperation, given: Arguments, way: Outcome) -> list[Command]:
    """The commands of one way through a concrete operation: matched, or a violation."""
    if not pairing.matches:
        label = labels_of(pairing)[0][0]
        wanted = [*same_values(work, given.scope, way, Outcome()), *glue(work, given.scope, way, Outcome())]
        wanted += varies(work, pairing, given.scope, way)
        return [demanding(work, label, o, given, way, Outcome(), wanted)]
    found: list[tuple[str, Outcome, list[Wanted]]] = []
    for match, (label, _) in zip(pairing.matches, labels_of(pairing), strict=True):
        a = opened(work, match.operation)
        to = Lowering(work.machine.callable, (a.name,))
        inner = given.scope.having({r.name: fault(r.span) for r in a.results})
        for other in outcomes(to, inner, a.body, top=True):
            if not other.fails:
                wanted = matched(work, given.scope, match, o, way, other)
                found.append((label, other, wanted))
    decreases = varies(work, pairing, given.scope, way)
    if len(found) == 1 and not found[0][1].parameters:
        label, other, wanted = found[0]
        return [demanding(work, label, o, given, way, other, [*wanted, *decreases])]
    return choosing(work, pairing, o, given, way, found, decreases)


def matched(work: Work, scope: Scope, match: Match, o: TypedOperation, way: Outcome, other: Outcome) -> list[Wanted]:
    """What has to hold for an abstract way to match a concrete one."""
    above = work.joint.abstract
    span = o.span
    enabled = f"{match.label} of {above} cannot occur here: its guard does not hold"
    wanted = [Wanted(guarded(list(other.guard)), enabled, span)] if other.guard else []
    wanted += [Wanted(r.condition, f"{match.label} of {above} is not defined here", span) for r in other.requires]
    for r in o.results:
        if r.name in way.changes and r.name in other.changes:
            same = apply(O.EQUAL, way.changes[r.name], other.changes[r.name], span=r.span)
            wanted.append(Wanted(same, f"the result {r.name} differs from that of {above}", r.span))
    wanted += same_values(work, scope, way, other)
    wanted += glue(work, scope, way, other)
    return wanted + witnessed(work, scope, match.demands, o, way, other)


def same_values(work: Work, scope: Scope, way: Outcome, other: Outcome) -> list[Wanted]:
    """Variables that both machines have get the same value on both sides."""
    found: list[Wanted] = []
    for name in work.joint.shared:
        old = before if isinstance(before := scope.names.get(name), Read) else Read(name)
        mine, its = way.changes.get(name, old), other.changes.get(name, old)
        if mine != its:
            same = apply(O.EQUAL, mine, its, span=mine.span)
            message = f"{name} gets another value than in {work.joint.abstract}"
            found.append(Wanted(same, message, mine.span))
    return found


def after(work: Work, way: Outcome, other: Outcome) -> dict[str, Expr]:
    """The new values of all variables of the pair that change."""
    mine = {n: v for n, v in way.changes.items() if n in work.own}
    its = {n: v for n, v in other.changes.items() if n in work.types and n not in work.own}
    return {**its, **mine}


def glue(work: Work, scope: Scope, way: Outcome, other: Outcome) -> list[Wanted]:
    """The gluing invariant between the new states, conjunct by conjunct; what no change concerns is left out."""
    changed = after(work, way, other)
    later = scope.having(changed)
    found: list[Wanted] = []
    for p in typed_gluing(work):
        condition = lower(later, p)
        if condition not in (TRUE, lower(scope, p)):
            label = work.machine.labels.get(p.span)
            what = f"the gluing invariant {label}: {show(p)}" if label else f"the gluing invariant {show(p)}"
            found.append(Wanted(guarded([condition]), f"{what} would not hold", p.span))
    return found


def typed_gluing(work: Work) -> tuple[Formula, ...]:
    return work.machine.invariant[: len(work.joint.gluing)]


def witnessed(
    work: Work, scope: Scope, demands: tuple[Formula, ...], o: TypedOperation, way: Outcome, other: Outcome
) -> list[Wanted]:
    """Witnesses that speak of new values."""
    changed = after(work, way, other)
    news = {primed(v.name): changed.get(v.name, Read(v.name)) for v in work.machine.variables}
    found: list[Wanted] = []
    for p in demands:
        local = {n.name: n.type for n in o.parameters}
        condition = lower(scope.having(news), type_formula(p, {**work.types, **local}))
        found.append(Wanted(guarded([condition]), f"the witness {show(p)} does not hold", p.span))
    return found


def varies(work: Work, pairing: Pairing, scope: Scope, way: Outcome) -> list[Wanted]:
    """Convergent events decrease the variant, anticipated ones do not increase it."""
    if pairing.status == "ordinary" or not work.joint.variants:
        return []
    later = scope.having({n: v for n, v in way.changes.items() if n in work.own})
    less: list[Expr] = []
    equal: list[Expr] = []
    typed = [type_formula(v, work.types) for v in work.joint.variants]
    for v in typed:
        old, new = lower(scope, v), lower(later, v)
        if v.type == INTEGER:
            positive = apply(O.LESS_EQUAL, number(0), old, span=v.span)
            falls = conjunction([positive, apply(O.LESS, new, old, span=v.span)])
        else:
            apart = negation(apply(O.EQUAL, new, old, span=v.span))
            falls = conjunction([apply(O.SUBSET, new, old, span=v.span), apart])
        less.append(conjunction([*equal, falls]))
        equal.append(apply(O.EQUAL, new, old, span=v.span))
    if pairing.status == "anticipated":
        less.append(conjunction(equal))
    what = "decrease" if pairing.status == "convergent" else "keep or decrease"
    said = ", ".join(show(v) for v in typed)
    message = f"{pairing.operation} is {pairing.status} and does not {what} the variant {said}"
    return [Wanted(disjunction(less), message, typed[0].span)]


# Commands.


def demanding(
    work: Work, label: str, o: TypedOperation, given: Arguments, way: Outcome, other: Outcome, wanted: list[Wanted]
) -> Command:
    """One abstract way that chooses nothing: whatever it wants is demanded, and told by its own message."""
    said = tuple(violation(o, w.condition, w.message, w.span) for w in wanted)
    return written(work, label, o, given, way, other, said)


def violation(o: TypedOperation, condition: Expr, message: str, span: Span) -> Require:
    return Require(condition, f"the step {o.name} is not matched: {message}", REFINEMENT, span)


def choosing(
    work: Work,
    pairing: Pairing,
    o: TypedOperation,
    given: Arguments,
    way: Outcome,
    found: list[tuple[str, Outcome, list[Wanted]]],
    decreases: list[Wanted],
) -> list[Command]:
    """Several abstract ways, or one that chooses: a command for each, and a violation where none matches."""
    commands: list[Command] = []
    ways: list[Expr] = []
    for label, other, wanted in found:
        holds = guarded([w.condition for w in wanted])
        demands = tuple(violation(o, w.condition, w.message, w.span) for w in decreases)
        both = replace(way, guard=(*way.guard, holds), parameters=(*way.parameters, *other.parameters))
        commands.append(written(work, label, o, given, both, other, demands))
        ways.append(some(other.parameters, holds, o.span))
    names = dict.fromkeys(m.label for m in pairing.matches)
    none = f"no step {' or '.join(names)} of {work.joint.abstract} matches it under the gluing invariant"
    lost = replace(way, guard=(*way.guard, negation(disjunction(ways))))
    commands.append(written(work, unmatched(pairing), o, given, lost, Outcome(), (violation(o, FALSE, none, o.span),)))
    return commands


def written(
    work: Work,
    label: str,
    o: TypedOperation,
    given: Arguments,
    way: Outcome,
    other: Outcome,
    demands: tuple[Require, ...],
) -> Command:
    changes = after(work, way, other)
    writes = tuple(Assign(Read(name), value) for name, value in changes.items() if value != Read(name))
    steps: tuple[Step, ...] = (*way.requires, *demands, *((Together(writes),) if writes else ()))
    hidden = tuple(p.name for p in way.parameters)
    guard = conjunction(list(way.guard), o.span)
    return Command(label, guard, steps, (*given.parameters, *way.parameters), hidden=hidden, span=o.span)


# Start and end.


def pair_start(work: Work) -> list[Command]:
    """The initialisations of both, such that the gluing invariant holds."""
    m, start = work.machine, work.joint.start
    body: Substitution | None = m.initialisation
    if body is None:
        raise UserError(m.span, f"{work.joint.concrete} has no INITIALISATION")
    blank = work.scope.having({v.name: fault(v.span) for v in m.variables})
    given = Arguments((), blank, frozenset(), ())
    o = TypedOperation(body.span, START, (), (), body)
    found: list[Command] = []
    for way in outcomes(Lowering(m.callable), blank, body):
        if way.fails:
            found.append(command(START, (), way, m, TRUE, body.span))
            continue
        others = [
            (START, other, matched(work, blank, start, o, way, other))
            for other in outcomes(Lowering(m.callable), blank, opened(work, start.operation).body)
            if not other.fails
        ]
        pairing = Pairing(START, (start,))
        if len(others) == 1 and not others[0][1].parameters:
            found.append(demanding(work, START, o, given, way, others[0][1], others[0][2]))
        else:
            found.extend(choosing(work, pairing, o, given, way, others, []))
    return found


def goes_on(work: Work) -> Invariant:
    """Where an abstract step is possible, a concrete one is."""
    joint = work.joint
    theirs = disjunction([can_run(work, m.operation) for p in joint.pairings for m in p.matches])
    ours = disjunction([can_run(work, p.operation) for p in joint.pairings])
    condition = disjunction([negation(Read(INITIALISED)), negation(theirs), ours])
    message = f"{joint.concrete} has no step here, but {joint.abstract} has one"
    return Invariant("relative deadlock freedom", condition, message, span=joint.span)


def can_run(work: Work, name: str) -> Expr:
    o = opened(work, name, loops=True)
    given = lower_parameters(work.scope, o)
    if has_loop(o.body):
        guard, _ = split_guard(body_of(work, o, given, Loops()), given.scope, o.body)
        return some(given.parameters, conjunction([*given.guard, *guard]), o.span)
    inner = given.scope.having({r.name: fault(r.span) for r in o.results})
    ways: list[Expr] = []
    for way in outcomes(Lowering(work.machine.callable, (o.name,), given.settled), inner, o.body, top=True):
        ways.append(some((*given.parameters, *way.parameters), conjunction([*given.guard, *way.guard]), o.span))
    return disjunction(ways)


def some(parameters: tuple[Parameter, ...], condition: Expr, span: Span) -> Expr:
    for p in reversed(parameters):
        condition = Quantify(Quantifier.SOME, p, condition, span=span)
    return condition
