"""A typed machine to a System: given sets are sorts of atoms, variables places, operations commands.

Constants with one valuation are put in; else they are places. If there are constants or properties, the valuation of
the constants is a state of its own, told from the initialised ones by the place INITIALISED.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from quorbit.languages.b.lower.assume import assume
from quorbit.languages.b.lower.binding import bind_source
from quorbit.languages.b.lower.formulas import lower
from quorbit.languages.b.lower.loops import (
    STEP,
    Arguments,
    Body,
    Loops,
    has_loop,
    loop_variables,
    lower_loop_operation,
    open_calls,
)
from quorbit.languages.b.lower.membership import apply
from quorbit.languages.b.lower.narrow import Assumed, narrow
from quorbit.languages.b.lower.scope import Scope, fault, or_none, system_type
from quorbit.languages.b.lower.solved import bind_solved
from quorbit.languages.b.lower.substitutions import (
    Lowering,
    Outcome,
    failing,
    guard_domain,
    guarded,
    nontrivial,
    outcomes,
)
from quorbit.languages.b.meaning.doubt import has_cut, is_doubtful, is_sure
from quorbit.languages.b.meaning.evaluator import Endless, IllDefined, TooLong, Unbounded
from quorbit.languages.b.meaning.execute import enabling
from quorbit.languages.b.meaning.explore import SETUP, START, Animator
from quorbit.languages.b.meaning.plan import Check, make_plan, settles
from quorbit.languages.b.meaning.universe import Cut, Universe
from quorbit.languages.b.meaning.value_spelling import SPELLED
from quorbit.languages.b.syntax.formulas import Formula, Name
from quorbit.languages.b.syntax.show import show
from quorbit.languages.b.syntax.walk import free_names
from quorbit.languages.b.telling import telling_of
from quorbit.languages.b.types.typed import TypedMachine, TypedOperation
from quorbit.model.system.command import Assign, Command, Step, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Bound,
    Elements,
    Expr,
    Literal,
    Operator,
    Otherwise,
    Parameter,
    Part,
    Read,
    conjunction,
    disjunction,
    negation,
    number,
)
from quorbit.model.system.system import Assertions, Atom, Invariant, NoDeadlock, Property, System, Variable
from quorbit.model.system.types import TRUTH, SetOf, TupleOf
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace
from quorbit.source.span import NOWHERE, Span

__all__ = [
    "INITIALISED",
    "Lowered",
    "command",
    "find_constants",
    "lower_atoms",
    "lower_machine",
    "lower_parameters",
    "lower_variables",
    "set_up",
    "with_results",
]

INITIALISED = "INITIALISED"
MOST_VALUATIONS = 100_000  # of the constants: each is an initial state
TOO_MANY_STARTS = "there are more than {1} {0}: no others were tried (--pref MAX_INITIALISATIONS)"
MOST_CASES = 20_000  # of a theorem
EQUAL_ZERO = apply(Operator.EQUAL, Read(STEP), number(0), span=NOWHERE)
O = Operator


@frozen
class Lowered:
    """A System, and the enumerations that were cut on the way: with any of them an answer is incomplete.

    ``scope`` and ``ready`` are for formulas that come later: what names stand for, and whether variables have values.
    """

    system: System
    cuts: tuple[Cut, ...]
    doubtful: bool  # a state that is found may be none
    scope: Scope
    ready: Expr


@frozen
class Constants:
    """``places`` differ between the valuations, which are tuples of their values; ``fixed`` have one value."""

    fixed: dict[str, Any]
    places: tuple[Name, ...]
    valuations: tuple[tuple[Any, ...], ...]


def lower_machine(
    machine: TypedMachine,
    universe: Universe,
    static_symmetry: bool = False,
    assumes: bool = True,
    most_starts: int | None = None,
) -> Lowered:
    """The System of a machine in a universe; ``assumes``: numbers have the bounds that they have as long as the
    invariant holds; ``most_starts``: valuations of the constants, initial states of each."""
    animator = Animator(machine, universe, static_symmetry)
    constants = find_constants(animator, most_starts)
    animator.reference.trusts = False
    names: dict[str, Expr] = {n.name: Read(n.name, span=n.span) for n in (*constants.places, *machine.variables)}
    varying = [n.name for n in constants.places]
    valuations = tuple(dict(zip(varying, v, strict=True)) for v in constants.valuations)
    fixed = {**animator.globals, **constants.fixed}
    spelled = universe.symbolic & names.keys()
    scope = Scope(animator.reference, names, fixed, lower, valuations=valuations, symbolic=spelled)
    ready: Expr = Read(INITIALISED) if machine.has_properties else TRUE
    loops = Loops()
    commands = [c for o in machine.operations for c in lower_operation(scope, machine, o, ready, loops)]
    starts = lower_start(scope, machine, animator, constants, most_starts)
    between = EQUAL_ZERO if loops.commands else TRUE
    properties, unread = lower_properties(scope, machine, ready)
    system = System(
        machine.name,
        lower_atoms(machine, universe),
        (*lower_variables(machine, constants, universe), *loop_variables(loops)),
        (*(replace(c, guard=conjunction([between, c.guard])) for c in commands), *loops.commands),
        tuple(starts),
        transient=negation(between),
        properties=(*properties, lower_deadlock(scope, machine, ready), Assertions()),
        telling=telling_of(
            machine,
            scope.spelling,
            constants.fixed,
            constants.places,
            (INITIALISED, *(v.name for v in loop_variables(loops))),
        ),
        count_once=True,
        unread=(*machine.notes, *unread),
    )
    if machine.has_properties:
        system = set_up(system, scope, constants, machine.span)
    system = narrow(system, assume(scope, machine.invariant) if assumes else Assumed({}, frozenset()))
    cuts = animator.reference.cuts
    return Lowered(system, tuple(cuts.values()), is_doubtful(machine, cuts), scope, ready)


def lower_atoms(machine: TypedMachine, universe: Universe) -> tuple[Atom, ...]:
    return tuple(Atom(universe.names[a], s.name, s.name, s.span) for s in machine.sets for a in universe.atoms[s.name])


def lower_variables(machine: TypedMachine, constants: Constants, universe: Universe) -> tuple[Variable, ...]:
    """Constants and variables; before the INITIALISATION, which may be a state, a variable names no atom."""
    constant = tuple(Variable(n.name, system_type(universe, n.type), span=n.span) for n in constants.places)
    types = [SPELLED if n.name in universe.symbolic else system_type(universe, n.type) for n in machine.variables]
    if machine.has_properties:
        types = [or_none(of) for of in types]
    own = tuple(Variable(n.name, of, span=n.span) for n, of in zip(machine.variables, types, strict=True))
    return (*((Variable(INITIALISED, TRUTH),) if machine.has_properties else ()), *constant, *own)


def find_constants(animator: Animator, most: int | None = None) -> Constants:
    """All valuations of the constants, found with the reference meaning; or so many."""
    names = animator.machine.constants
    if not animator.machine.has_properties:
        return Constants({}, (), ((),))
    span = animator.machine.span
    try:
        found = list(dict.fromkeys(islice(animator.setups(), (most or MOST_VALUATIONS) + 1)))
    except (IllDefined, Unbounded) as problem:
        raise UserError(problem.span, problem.message) from None
    if most is not None and len(found) > most:
        animator.reference.note_cut(span, TOO_MANY_STARTS.format("valuations of the constants", most))
        found = found[:most]
    if len(found) > MOST_VALUATIONS:
        raise UserError(span, f"the constants have more than {MOST_VALUATIONS} valuations; bound them in PROPERTIES")
    if not found:
        message = f"no values of the constants satisfy the PROPERTIES of {animator.machine.name}"
        animator.reference.note_cut(span, message)
        return Constants({}, names, ())
    fixed: dict[str, Any] = {}
    places: list[int] = []
    for k, name in enumerate(names):
        values = {v[k] for v in found}
        if len(values) == 1 or all(isinstance(v, Endless) for v in values):
            fixed[name.name] = found[0][k]
        else:
            places.append(k)
    kept = dict.fromkeys(tuple(v[k] for k in places) for v in found)
    return Constants(fixed, tuple(names[k] for k in places), tuple(kept))


def set_up(system: System, scope: Scope, constants: Constants, span: Span) -> System:
    """SETUP_CONSTANTS leads from nothing to the valuations, INITIALISATION from there to the initialised states."""
    waiting = negation(Read(INITIALISED))
    begins = tuple(
        replace(c, guard=conjunction([waiting, c.guard]), effect=mark_initialised(c.effect)) for c in system.start
    )
    if not constants.valuations:
        setup = Command(SETUP, FALSE, span=span)
    elif not constants.places:
        setup = Command(SETUP, span=span)
    else:
        types = tuple(system_type(scope.universe, n.type) for n in constants.places)
        values = Literal(spelled_rows(scope, constants.places, constants.valuations), SetOf(TupleOf(types)))
        parameter = Parameter("constants", Elements(values, TupleOf(types)))
        writes = tuple(Assign(Read(n.name), Part(Bound("constants"), k)) for k, n in enumerate(constants.places))
        setup = Command(SETUP, effect=(Together(writes),), parameters=(parameter,), hidden=("constants",), span=span)
    return replace(system, commands=(*begins, *system.commands), start=(setup,))


def spelled_rows(scope: Scope, names: tuple[Name, ...], rows: Iterable[tuple[Any, ...]]) -> frozenset[Any]:
    """Values of names, one row after the other, as a System holds them."""
    spelling = scope.spelling
    return frozenset(
        tuple(
            spelling.set_value(n.type, x) if n.name in scope.symbolic else spelling.value(n.type, x)
            for n, x in zip(names, row, strict=True)
        )
        for row in rows
    )


def mark_initialised(effect: tuple[Step, ...]) -> tuple[Step, ...]:
    flag = Assign(Read(INITIALISED), TRUE)
    *rest, last = effect or (Together(()),)
    if isinstance(last, Together):
        return (*rest, Together((flag, *last.assignments)))
    return (*rest, last, Together((flag,)))


def lower_start(
    scope: Scope, machine: TypedMachine, animator: Animator, constants: Constants, most: int | None
) -> list[Command]:
    """The initialisation; variables have no value before it."""
    if machine.initialisation is None:
        if machine.variables:
            raise UserError(machine.span, "there are variables, but no INITIALISATION")
        return [Command(START, span=machine.span)]
    if most is not None or has_loop(open_calls(machine.callable, machine.initialisation)):
        return [listed_start(scope, machine, animator, constants, most)]
    blank = scope.having({v.name: fault(v.span) for v in machine.variables})  # those that are spelled stay so
    found = outcomes(Lowering(machine.callable), blank, machine.initialisation)
    for o in found:
        for v in machine.variables:
            if v.name not in o.changes and not o.fails:
                raise UserError(v.span, f"the INITIALISATION does not assign {v.name}")
    return [start_command(o, machine) for o in found]


def listed_start(
    scope: Scope, machine: TypedMachine, animator: Animator, constants: Constants, most: int | None
) -> Command:
    """An initialisation with loops is run here; the command chooses one of its results, or of the first so many."""
    order = {c.name: k for k, c in enumerate(constants.places)}
    found: list[tuple[Any, ...]] = []
    for values in constants.valuations:
        every = tuple(values[order[c.name]] if c.name in order else constants.fixed[c.name] for c in machine.constants)
        try:
            every_one = (step.target.variables or () for step in animator.starts(every))
            results = list(dict.fromkeys(islice(every_one, None if most is None else most + 1)))
        except (IllDefined, Unbounded) as problem:
            raise UserError(problem.span, f"in the INITIALISATION: {problem.message}") from None
        if most is not None and len(results) > most:
            animator.reference.note_cut(machine.span, TOO_MANY_STARTS.format("initial states", most))
        found.extend((*values, *variables) for variables in results[:most])
    names = (*constants.places, *machine.variables)
    of = TupleOf(tuple(SPELLED if n.name in scope.symbolic else system_type(scope.universe, n.type) for n in names))
    parts = [Part(Bound("initial"), k) for k in range(len(names))]
    size = len(constants.places)
    same = [apply(O.EQUAL, Read(c.name), p, span=c.span) for c, p in zip(constants.places, parts, strict=False)]
    writes = tuple(Assign(Read(v.name), p) for v, p in zip(machine.variables, parts[size:], strict=True))
    parameter = Parameter("initial", Elements(Literal(spelled_rows(scope, names, found), SetOf(of)), of))
    span = machine.span if machine.initialisation is None else machine.initialisation.span
    return Command(START, conjunction(same), (Together(writes),), (parameter,), hidden=("initial",), span=span)


def start_command(o: Outcome, machine: TypedMachine) -> Command:
    """Demands of a start are not looked at, so what is ill-defined is written, which fails."""
    assert machine.initialisation is not None
    made = command(START, (), o, machine, TRUE, machine.initialisation.span)
    if not o.fails or not machine.variables or machine.has_properties:
        return made
    target = Read(machine.variables[0].name)
    demands = tuple(Together((Assign(target, r.condition),)) for r in o.requires)
    return replace(made, effect=(*demands, *made.effect))


def command(
    label: str, visible: tuple[Parameter, ...], o: Outcome, machine: TypedMachine, ready: Expr, span: Span
) -> Command:
    """One way through a substitution; variables that keep their value are not assigned."""
    variables = {v.name: v for v in machine.variables}
    writes = tuple(
        Assign(Read(name, span=variables[name].span), value)
        for name, value in o.changes.items()
        if name in variables and value != Read(name)
    )
    steps: tuple[Step, ...] = (*o.requires, *((Together(writes),) if writes else ()))
    hidden = tuple(p.name for p in o.parameters)
    guard = conjunction([ready, *o.guard], span)
    return Command(label, guard, steps, (*visible, *o.parameters), hidden=hidden, span=span)


def lower_operation(scope: Scope, machine: TypedMachine, o: TypedOperation, ready: Expr, loops: Loops) -> list[Command]:
    """One command for every way through the operation's body; one with a loop adds its commands to ``loops``."""
    o = replace(o, body=open_calls(machine.callable, o.body, (o.name,)))
    given = lower_parameters(scope, o)
    to = Lowering(machine.callable, (o.name,), given.settled)
    if has_loop(o.body):
        names = frozenset(v.name for v in machine.variables)
        lower_loop_operation(Body(loops, to, o, ready, names), scope, given)
        return []
    results = {r.name: fault(r.span) for r in o.results}
    inner = given.scope.having(results, scope.universe.symbolic & results.keys())
    commands: list[Command] = []
    for way in outcomes(to, inner, o.body, top=True):
        made = command(o.name, given.parameters, Outcome(guard=given.guard).then(way), machine, ready, o.span)
        if made.guard != FALSE:
            commands.extend(with_results(scope, o, way, made))
    return commands


def lower_parameters(scope: Scope, o: TypedOperation) -> Arguments:
    """The operation's parameters under the names the user gave them, from the tightest conditions of its guard."""
    conditions = enabling(o.body)
    parameters: list[Parameter] = []
    settled: set[int] = set()
    tests: list[Expr] = []
    for step in make_plan(o.parameters, conditions):
        if isinstance(step, Check):
            continue
        if (solved := bind_solved(scope, step, conditions, keep=True)) is not None:
            parameter, scope, hold = solved
            parameters.append(parameter)
            settled |= {id(c) for c in hold}
            continue
        parameter, scope, more = bind_source(scope, step, keep=True)
        parameters.append(guard_domain(parameter))
        tests.extend(more)
        settled |= {id(c) for c in conditions if settles(step, c)}
    known = {p.name for p in parameters}
    for p in o.parameters:
        if p.name not in known:
            value = scope.names[p.name]
            domain = Elements(apply(O.SET, value, span=p.span), system_type(scope.universe, p.type))
            parameters.append(Parameter(p.name, domain))
            scope = scope.having({p.name: Bound(p.name, p.span)})
    return Arguments(tuple(parameters), scope, frozenset(settled), nontrivial(guarded(tests)))


def with_results(scope: Scope, o: TypedOperation, way: Outcome, made: Command) -> list[Command]:
    """Results are parameters that have one value; where one is ill-defined there is a command that fails.

    A result that is not assigned on this way is not shown.
    """
    values = {r.name: way.changes[r.name] for r in o.results if r.name in way.changes}
    results: list[Parameter] = []
    for r in o.results if not way.fails else ():
        if r.name in values:
            value = values[r.name]
            of = SPELLED if r.name in scope.universe.symbolic else system_type(scope.universe, r.type)
            domain = Elements(apply(O.SET, value, span=value.span), of)
            results.append(guard_domain(Parameter(r.name, domain)))
    own = {p.name for p in (*o.parameters, *o.results)}
    every = (*made.parameters, *results)
    shown = replace(made, parameters=every, hidden=tuple(p.name for p in every if p.name not in own))
    bad = [] if way.fails else failing(list(values.values()))
    return [shown, *(replace(made, guard=conjunction([made.guard, *b.guard]), effect=b.requires) for b in bad)]


# Properties.


def lower_properties(scope: Scope, machine: TypedMachine, ready: Expr) -> tuple[tuple[Property, ...], tuple[str, ...]]:
    """Invariants and assertions conjunct by conjunct, the goal; what always holds is left out.

    So is what may seem false only because an enumeration was cut: that cut is told, and nothing is said to hold.
    The second part of the answer: theorems, which follow from the rest, that are not checked, each with the reason.
    """
    found: list[Property] = []
    unread: list[str] = []
    for what, predicates in (("invariant", machine.invariant), ("assertion", machine.assertions)):
        for k, p in enumerate(predicates, 1):
            try:
                lowered = lower_theorem(scope, p) if what == "assertion" and machine.labels else lower(scope, p)
            except (UserError, TooLong) as problem:
                label = machine.labels.get(p.span)
                if what == "assertion" and label is not None:
                    unread.append(f"not checked: theorem {label}: {problem.message}")
                else:
                    message = f"the {what} {label or k} cannot be checked: {problem.message}"
                    scope.reference.note_cut(p.span, message)
                continue
            condition = disjunction([negation(ready), lowered], p.span)
            if condition != TRUE and is_sure(p, False, scope.reference.cuts):
                name, said = named(machine, what, k, p)
                found.append(Invariant(name, condition, f"{what} violated: {said}", span=p.span))
    if machine.goal is not None:
        goal = Otherwise(conjunction([ready, lower(scope, machine.goal)]), FALSE)
        span = machine.goal.span
        if is_sure(machine.goal, True, scope.reference.cuts):
            found.append(Invariant("GOAL", negation(goal, span), "goal reached", goal=True, span=span))
    return tuple(found), tuple(unread)


def lower_theorem(scope: Scope, p: Formula) -> Expr:
    """A theorem of Event-B, which its author has proved: it is looked at as far as that is cheap."""
    scope.reference.patience = MOST_CASES
    try:
        return lower(scope, p)
    finally:
        scope.reference.patience = None


def named(machine: TypedMachine, what: str, k: int, p: Formula) -> tuple[str, str]:
    """The name of an invariant and what it says; several conjuncts may share a label."""
    label = machine.labels.get(p.span)
    if label is None:
        return f"{what} {k}", show(p)
    same = [q for q in (*machine.invariant, *machine.assertions) if q.span == p.span]
    part = f", part {next(n for n, q in enumerate(same, 1) if q is p)}" if len(same) > 1 else ""
    return f"{label}{part}", f"{label}: {show(p)}"


def lower_deadlock(scope: Scope, machine: TypedMachine, ready: Expr) -> NoDeadlock:
    """A state without a step is not a deadlock where an operation was not tried with all arguments and choices."""
    cuts = scope.reference.cuts
    untried: list[Expr] = []
    if machine.initialisation is not None and has_cut(machine.initialisation, cuts):
        untried.append(negation(ready))
    for o in machine.operations:
        if has_cut(o.body, cuts) or any(p.span in cuts for p in o.parameters):
            hidden = {n.name for n in (*o.parameters, *o.results)}
            known = [c for c in enabling(o.body) if not free_names(c) & hidden and is_sure(c, False, cuts)]
            untried.append(conjunction([ready, guarded([lower(scope, c) for c in known])]))
    return NoDeadlock(allowed=disjunction(untried))
