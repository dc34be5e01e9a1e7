"""Variables that are declared ``hidden``: SPIN keeps their values outside the state.

To compare states without a part that matters later would lose runs.  So a hidden variable is stored like any other,
unless it is scratch: written, in every process, before it is read again whenever a state is stored.  Then its value
matters only inside an atomic section, and whenever a state is stored it is back at 0.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.promela.lower.control_flow import Edge, Flow
from quorbit.languages.promela.lower.places import OWNER, Placement
from quorbit.languages.promela.lower.remote import expressions_of
from quorbit.languages.promela.parse.program import (
    Assignment,
    ChannelInit,
    Constant,
    Guard,
    Kind,
    Receive,
    Reference,
    Send,
    Sequence,
    Statement,
    Variable,
)
from quorbit.languages.promela.parse.walk import statements, walk
from quorbit.languages.promela.reduce.unread import Way, all_ways
from quorbit.model.system.command import Assign, Command, Together
from quorbit.model.system.expression import Literal, Read, number
from quorbit.model.system.system import Place, System, places_of
from quorbit.model.system.types import NONE, Number, Truth
from quorbit.source.frozen import replace

__all__ = ["forget_scratch"]


def forget_scratch(placement: Placement, system: System) -> System:
    """The System in which every command that ends a step resets the hidden variables whose values do not matter."""
    hidden = [leaf for leaf in placement.leaves_of(None) if leaf.variables[0].visibility == "hidden"]
    names = {leaf.name for leaf in hidden if is_scratch(placement, leaf.variables[0])}
    variables = [v for v in system.variables if v.name in names and isinstance(v.type, Number | Truth)]
    places = [place for variable in variables for place in places_of(variable)]
    if not places:
        return system
    reset = Together(tuple(Assign(target(place), number(0)) for place in places))
    return replace(
        system,
        commands=tuple(ended(command, reset) for command in system.commands),
        start=tuple(replace(command, effect=(*command.effect, reset)) for command in system.start),
    )


def target(place: Place) -> Read:
    return Read(place.variable, (), tuple(number(k) for k in place.indices))


def ended(command: Command, reset: Together) -> Command:
    """The command with the reset behind it, unless its process stays in control."""
    return command if stays_in_control(command) else replace(command, effect=(*command.effect, reset))


def stays_in_control(command: Command) -> bool:
    """Whether the last word about who is in control is a process."""
    last = None
    for step in command.effect:
        if isinstance(step, Together):
            for assignment in step.assignments:
                if assignment.target.variable == OWNER:
                    last = assignment.value
    return last is not None and not (isinstance(last, Literal) and last.value == NONE)


# What is scratch.


def is_scratch(placement: Placement, variable: Variable) -> bool:
    """Whether no process, formula or claim may read what the variable holds in a stored state."""
    if placement.is_hidden(variable) or variable.length is not None or variable.type.kind is Kind.STRUCT:
        return False
    if any(mentions(e, variable) for e in looked_at_anywhere(placement)):
        return False
    return all(reads_of(flow, variable).isdisjoint(resting_states(flow)) for flow in placement.flows.values())


def looked_at_anywhere(placement: Placement) -> Iterator[object]:
    """The expressions that are looked at whatever the processes do."""
    yield from (formula.body for formula in placement.program.formulas)
    for proctype in placement.program.proctypes:
        if proctype.provided is not None:
            yield proctype.provided
        for variable in proctype.variables:  # whoever creates the process reads them
            if variable.initial is not None and not isinstance(variable.initial, tuple | ChannelInit):
                yield variable.initial
        if proctype.role not in {"proctype", "init"}:
            yield from (e for statement in statements(proctype.body) for e in expressions_of(statement))


def mentions(expression: object, variable: Variable) -> bool:
    return any(isinstance(e, Reference) and e.variable is variable for e in walk(expression))  # type: ignore[arg-type]


def reads_of(flow: Flow, variable: Variable) -> set[int]:
    """The states from which the variable may be read before it is written."""
    ways = list(all_ways(flow))
    live: set[int] = set()
    changed = True
    while changed:
        found = {n for n, way in ways if n not in live and is_read_along(way, variable, live)}
        changed = bool(found)
        live |= found
    return live


def is_read_along(way: Way, variable: Variable, live: set[int]) -> bool:
    steps, targets = way
    for step in steps:
        if reads(step.statement, variable):
            return True
        if writes(step.statement, variable):
            return False
    return any(n in live for n in targets)


def reads(statement: Statement, variable: Variable) -> bool:
    match statement:
        case Assignment(written, value):
            return mentions(value, variable) or (written.variable is not variable and mentions(written, variable))
        case Receive(channel, patterns):
            others = [p for p in patterns if not (isinstance(p, Reference) and p.variable is variable)]
            looked_at = expressions_of(replace(statement, patterns=tuple(others)))
            return mentions(channel, variable) or any(mentions(e, variable) for e in looked_at)
        case _:
            return any(mentions(e, variable) for e in expressions_of(statement))


def writes(statement: Statement, variable: Variable) -> bool:
    match statement:
        case Assignment(written):
            return written.variable is variable
        case Receive(_, patterns):
            return any(isinstance(p, Reference) and p.variable is variable for p in patterns)
        case _:
            return False


def resting_states(flow: Flow) -> set[int]:
    """The states in which a process may be while it is not in control, or cannot go on."""
    edges = [edge for leaving in flow.edges.values() for edge in leaving]
    passing = {edge.target for edge in edges if edge.keeps} - {flow.start, *(e.target for e in edges if not e.keeps)}
    return {n for n, leaving in flow.edges.items() if n not in passing or not any(map(can_always_run, leaving))}


def can_always_run(edge: Edge) -> bool:
    if edge.is_else:
        return True
    match edge.first:
        case Guard(Constant(known)):
            return bool(known)
        case Guard() | Send() | Receive():
            return False
        case Sequence():
            assert edge.inner is not None
            return any(map(can_always_run, edge.inner.edges[edge.inner.entry]))
        case _:
            return True
