"""The initial states of a diagram.

A process starts in the first local state, unless ``init`` says otherwise; what is said of one process goes before what
is said of its class, and that before what is said of all.  Where several local states or values are possible, all
combinations are initial.  Whole vectors of local states stand for themselves.
"""

from __future__ import annotations

from math import prod

from quorbit.languages.edges.kinds import as_process, as_type
from quorbit.languages.edges.lower_expressions import Scope, lower_node
from quorbit.languages.edges.names import LOCAL, Names
from quorbit.languages.edges.syntax import Declared, Name, Program, Start, Word
from quorbit.model.system.command import Assign, Command, Together
from quorbit.model.system.expression import (
    Apply,
    Bound,
    Condition,
    Elements,
    Expr,
    Literal,
    Operator,
    Parameter,
    Read,
    atom,
)
from quorbit.model.system.types import AtomOf, Number, SetOf, Truth, Type, Value, default, size, values
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

MOST_VALUES = 10_000  # of a variable that may start with any value
MOST_STARTS = 100_000


@frozen
class Begun:
    """A place and the values it may start with."""

    place: Read
    type: Type
    choices: tuple[Value, ...]


def lower_starts(names: Names, program: Program) -> list[Command]:
    variables = [begun for variable in program.variables for begun in start_variable(names, variable)]
    vectors = [start for start in program.starts if start.vector]
    if not vectors:
        begun = [*start_separately(names, program.starts), *variables]
        refuse_too_many(program, prod(len(b.choices) for b in begun))
        return [start_command(begun)]
    if len(vectors) < len(program.starts):
        raise UserError(vectors[0].span, "init gives either whole vectors or the states of single processes")
    return [start_command([*start_vector(names, vector), *variables]) for vector in vectors]


def refuse_too_many(program: Program, count: int) -> None:
    if count > MOST_STARTS:
        several = [start.span for start in program.starts if len(start.states) > 1]
        span = next(iter([*several, *(v.name.span for v in program.variables if v.any)]), None)
        raise UserError(span, f"there are more than {MOST_STARTS} initial states")


def start_separately(names: Names, starts: list[Start]) -> list[Begun]:
    chosen: dict[int, tuple[int, tuple[Value, ...]]] = {}  # process -> how specific, choices
    for start in starts:
        rank, processes = find_target(names, start)
        for process in processes:
            known = chosen.get(process)
            if known and known[0] == rank:
                raise UserError(start.span, f"the start of process {names.process_names[process]} is given twice")
            if known is None or known[0] < rank:
                chosen[process] = rank, tuple(dict.fromkeys(names.state(name) for name in start.states))
    everyone: tuple[int, tuple[Value, ...]] = (0, (0,))
    return [local_state(names, a, chosen.get(a, everyone)[1]) for a in names.processes]


def find_target(names: Names, start: Start) -> tuple[int, tuple[int, ...]]:
    """How specific the target is (all, class, process), and its processes."""
    target = start.target
    if target is None:
        return 1, names.processes
    if isinstance(target, Word) and target.text in names.classes:
        return 2, names.class_of(Name(target.text, target.span))
    process = as_process(names, lower_node(Scope(names), target))
    if not isinstance(process, Literal) or not isinstance(process.value, int) or process.value < 0:
        raise UserError(target.span, "expected a class or the number of a process")
    return 3, (process.value,)


def start_vector(names: Names, start: Start) -> list[Begun]:
    if len(start.states) != len(names.processes):
        given, wanted = len(start.states), len(names.processes)
        raise UserError(start.span, f"{given} local states are given for {wanted} processes")
    pairs = zip(names.processes, start.states, strict=True)
    return [local_state(names, a, (names.state(state),)) for a, state in pairs]


def local_state(names: Names, process: int, choices: tuple[Value, ...]) -> Begun:
    return Begun(Read(LOCAL, (atom(process),)), names.state_type, choices)


def start_variable(names: Names, variable: Declared) -> list[Begun]:
    type = names.variables[variable.name.text].type
    choices = start_values(names, variable, type)
    if not variable.local:
        return [Begun(Read(variable.name.text), type, choices)]
    return [Begun(Read(variable.name.text, (atom(a),)), type, choices) for a in names.processes]


def start_values(names: Names, variable: Declared, type: Type) -> tuple[Value, ...]:
    if variable.any:
        return all_values(type, variable.name.span)
    if variable.value is None:
        return (default_value(variable, type),)
    expr = as_type(names, lower_node(Scope(names), variable.value), type)
    if not isinstance(expr, Literal):
        raise UserError(variable.value.span, "expected a constant")
    return (expr.value,)


def all_values(type: Type, span: Span) -> tuple[Value, ...]:
    if (size(type) or 0) > MOST_VALUES:
        raise UserError(span, f"more than {MOST_VALUES} values to start with")
    return tuple(values(type))


def default_value(variable: Declared, type: Type) -> Value:
    """false, none, the first member, the least number; which process a variable starts with must be said."""
    match type:
        case Truth():
            return 0
        case Number(low=low):
            return low or 0
        case AtomOf(optional=False):
            raise UserError(variable.name.span, "say which process it starts with: = 1, = none or = any")
        case _:
            return default(type)


def start_command(begun: list[Begun]) -> Command:
    parameters: list[Parameter] = []
    chosen: dict[int, Expr] = {}  # by the number of the place
    for numbers in places_alike(begun):
        values = choose_by_sets([begun[k] for k in numbers], parameters)
        chosen.update(zip(numbers, values, strict=True))
    assignments = [Assign(b.place, chosen[k] if k in chosen else choose(b, parameters)) for k, b in enumerate(begun)]
    return Command("start", effect=(Together(tuple(assignments)),), parameters=tuple(parameters))


def places_alike(begun: list[Begun]) -> list[list[int]]:
    """The places of processes with several values to start with, those with the same variable and values together."""
    found: dict[tuple[str, tuple[Value, ...]], list[int]] = {}
    for k, b in enumerate(begun):
        if b.place.owners and len(b.choices) > 1:
            found.setdefault((b.place.variable, b.choices), []).append(k)
    return list(found.values())


def choose_by_sets(alike: list[Begun], parameters: list[Parameter]) -> list[Expr]:
    """For each value but the last a parameter: the set of processes that start with it.

    A parameter for each process would do, too, but then exchanging processes would exchange parameters, and the start
    would not look symmetric."""
    owners = [owner for b in alike for owner in b.place.owners if isinstance(owner, Literal)]
    atoms = AtomOf(tuple(a.value for a in owners if isinstance(a.value, int)))
    rest: Expr = Literal(frozenset(atoms.atoms), SetOf(atoms))
    cases: list[tuple[Expr, Expr]] = []  # set, value
    *several, last = [Literal(value, literal_type(alike[0].type)) for value in alike[0].choices]
    for value in several:
        name = f"start{len(parameters) + 1}"
        parameters.append(Parameter(name, Elements(Apply(Operator.POWERSET, (rest,)), SetOf(atoms))))
        cases.append((Bound(name), value))
        rest = Apply(Operator.DIFFERENCE, (rest, Bound(name)))
    return [value_among(owner, cases, last) for owner in owners]


def value_among(owner: Expr, cases: list[tuple[Expr, Expr]], last: Expr) -> Expr:
    value = last
    for members, chosen in reversed(cases):
        value = Condition(Apply(Operator.MEMBER, (owner, members)), chosen, value)
    return value


def choose(b: Begun, parameters: list[Parameter]) -> Expr:
    """The only value, or a new parameter that ranges over all."""
    if len(b.choices) == 1:
        return Literal(b.choices[0], literal_type(b.type))
    name = f"start{len(parameters) + 1}"
    parameters.append(Parameter(name, Elements(Literal(frozenset(b.choices), SetOf(b.type)), b.type)))
    return Bound(name)


def literal_type(type: Type) -> Type:
    """A literal of atom type does not depend on what else the place could hold."""
    return AtomOf(type.atoms, True) if isinstance(type, AtomOf) else type
