"""Program -> System: one command for each edge, with the moving process as its parameter.

Classes are not colours: a class separates its processes from the others only where an edge, a start or a property says
so, and then by the set of atoms it ranges over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from quorbit.languages.edges.declare import declare, each
from quorbit.languages.edges.formulas import read_formula
from quorbit.languages.edges.kinds import Kind, as_type
from quorbit.languages.edges.lower_expressions import Scope, constant_value, lower_condition, lower_node
from quorbit.languages.edges.names import LOCAL, OWN, Consequence, Names
from quorbit.languages.edges.start import lower_starts
from quorbit.languages.edges.syntax import Assigned, Chosen, Claim, Edge, Name, Program
from quorbit.model.system.command import Assign, Command, Together
from quorbit.model.system.expression import (
    Atoms,
    Bound,
    Expr,
    Interval,
    Literal,
    Parameter,
    Read,
    conjunction,
    disjunction,
    equal,
    negation,
)
from quorbit.model.system.system import Atom, Invariant, NoDeadlock, Property, System, Variable
from quorbit.source.errors import Diagnostic, UserError, raise_all
from quorbit.source.span import Source, Span

T = TypeVar("T")


def lower(name: str, source: Source, program: Program, defines: dict[str, int], errors: list[Diagnostic]) -> System:
    """The System of a Program; raises all errors together, those already found by the parser included."""
    before = len(errors)
    names = declare(program, defines, errors)
    declared_well = len(errors) == before
    if not errors:
        check_complete(source, program)
    if not names.process_names or not names.states:
        raise_all(errors)  # nothing else can be told without them
    commands: list[Command] = []
    properties: list[Property] = []
    each(program.edges, lambda edge: commands.append(lower_edge(names, edge)), errors)
    each(program.claims, lambda claim: properties.append(lower_claim(names, claim)), errors)
    starts = attempt(lambda: lower_starts(names, program), errors) if declared_well else []
    deadlock = attempt(lambda: lower_deadlock(names, program), errors)
    each(program.claims, lambda claim: check_unique(program, claim), errors)
    errors.sort(key=lambda error: error.span.start)
    raise_all(errors)
    return System(
        name,
        tuple(Atom(process, "process") for process in names.process_names),
        tuple(variables(names)),
        tuple(commands),
        tuple(starts),
        properties=(*properties, *deadlock),
    )


def attempt(lower_part: Callable[[], list[T]], errors: list[Diagnostic]) -> list[T]:
    """What the function gives, or nothing and a note of what is wrong."""
    try:
        return lower_part()
    except Consequence:
        return []
    except UserError as error:
        errors.extend(error.diagnostics)
        return []


def check_complete(source: Source, program: Program) -> None:
    end = Span(source, len(source.text), len(source.text))
    if not source.text.strip():
        raise UserError(Span(source, 0, 0), "the file is empty; a diagram has processes, states and edges")
    if not program.classes:
        raise UserError(end, "no processes are declared; write for example: processes 3")
    if not program.states:
        raise UserError(end, "no local states are declared; write for example: states N, T, C")


def check_unique(program: Program, claim: Claim) -> None:
    if next(other for other in program.claims if other.name == claim.name) is not claim:
        raise UserError(claim.span, f"there is already a property {claim.name}")


def variables(names: Names) -> list[Variable]:
    found = [Variable(LOCAL, names.state_type, (names.processes,))]
    for variable in names.variables.values():
        owners = (names.processes,) if variable.local else ()
        found.append(Variable(variable.name, variable.type, owners, span=variable.span))
    return found


def lower_edge(names: Names, edge: Edge) -> Command:
    scope = Scope(names, ((OWN, Kind.PROCESS),))
    parameters = [Parameter(OWN, Atoms(names.class_of(edge.of)))]
    for chosen in edge.chosen:
        parameters.append(Parameter(chosen.name.text, lower_domain(scope, chosen)))
        scope = scope.bind(chosen.name, Kind.PROCESS if chosen.low is None else Kind.NUMBER)
    move = Assign(own_state(edge.target.span), state_literal(names, edge.target))
    assigned = [lower_assigned(scope, assignment) for assignment in edge.assigned]
    return Command(
        edge.label,
        conjunction([lower_sources(names, edge), lower_condition(scope, edge.guard)], edge.span),
        (Together((move, *assigned)),),
        tuple(parameters),
        (Bound(OWN, edge.span),),
        claimed=lower_partition(scope, edge),
        span=edge.span,
    )


def lower_partition(scope: Scope, edge: Edge) -> tuple[tuple[int, ...], ...]:
    """The partition that the edge is said to keep, if one is given; every process is in one cell of it."""
    n = len(scope.names.process_names)
    cells = []
    found: set[int] = set()
    for written in edge.kept:
        cell: list[int] = []
        for low, high in written:
            numbers = range(constant_value(scope, low), constant_value(scope, high) + 1)
            wrong = next((k for k in numbers if not 1 <= k <= n or k in found), None)
            if wrong is not None:
                message = f"process {wrong} is in two cells" if wrong in found else f"there is no process {wrong}"
                raise UserError(low.span, message)
            cell += [k - 1 for k in numbers]
            found.update(numbers)
        cells.append(tuple(sorted(cell)))
    if edge.kept and len(found) < n:
        missing = next(k for k in range(1, n + 1) if k not in found)
        raise UserError(edge.span, f"the partition does not say where process {missing} belongs")
    return tuple(sorted(cells))


def lower_domain(scope: Scope, chosen: Chosen) -> Atoms | Interval:
    if chosen.low is None or chosen.high is None:
        return Atoms(scope.names.class_of(chosen.of))
    return Interval(constant_value(scope, chosen.low), constant_value(scope, chosen.high))


def lower_sources(names: Names, edge: Edge) -> Expr:
    if not edge.sources:
        return conjunction([])
    return disjunction([equal(own_state(a.span), state_literal(names, a), a.span) for a in edge.sources], edge.span)


def lower_assigned(scope: Scope, assignment: Assigned) -> Assign:
    target = lower_node(scope, assignment.target)
    if not isinstance(target.expr, Read):
        raise UserError(assignment.target.span, "only variables and local states can be assigned")
    name = target.expr.variable
    type = scope.names.state_type if name == LOCAL else scope.names.variables[name].type
    return Assign(target.expr, as_type(scope.names, lower_node(scope, assignment.value), type))


def own_state(span: Span) -> Read:
    return Read(LOCAL, (Bound(OWN, span),), span=span)


def state_literal(names: Names, name: Name) -> Literal:
    return Literal(names.state(name), names.state_type, name.span)


def lower_claim(names: Names, claim: Claim) -> Property:
    if claim.kind == "property":
        return read_formula(names, claim.span, claim.name)
    condition = lower_condition(Scope(names), claim.condition)
    if claim.kind == "error":
        message = f"the error condition {claim.name} is reached"
        return Invariant(claim.name, negation(condition, claim.span), message, span=claim.span)
    return Invariant(claim.name, condition, f"the invariant {claim.name} does not hold", span=claim.span)


def lower_deadlock(names: Names, program: Program) -> list[Property]:
    """Deadlocks are errors unless the diagram says where, or that, they are welcome."""
    if any(rule.allowed is None for rule in program.deadlocks):
        return []
    allowed = [lower_condition(Scope(names), rule.allowed) for rule in program.deadlocks]
    return [NoDeadlock(allowed=disjunction(allowed), message="no process can move")]
