"""Take what never changes out of the state: variables that no command writes become definitions.

Parameters of processes, tables, B constants with one value: they need no room in a state, and how they are written down
does not hide a symmetry (``run lb(s1, s2)`` and ``run lb(s2, s1)`` may do the same).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from quorbit.model.command import Command, Step, Together
from quorbit.model.evaluate import Meaning
from quorbit.model.expression import Expr, Literal, Read, Use
from quorbit.model.formula import map_propositions
from quorbit.model.system import Definition, Invariant, NoDeadlock, Property, System, Temporal, Variable, places_of
from quorbit.model.types import Value
from quorbit.model.walk import map_command, map_parts, walk


def extract_constants(system: System) -> System:
    """The same System with its constant variables as definitions."""
    values = constant_values(system)
    if not values:
        return system

    def change(e: Expr) -> Expr:
        e = map_parts(e, change)
        if isinstance(e, Read) and e.variable in values:
            return Use(e.variable, e.owners, e.span)
        return e

    constants = [variable for variable in system.variables if variable.name in values]
    return replace(
        system,
        variables=tuple(variable for variable in system.variables if variable.name not in values),
        commands=tuple(map_command(command, change) for command in system.commands),
        start=tuple(without_constants(command, set(values)) for command in system.start),
        definitions=(
            *(replace(d, body=change(d.body)) for d in system.definitions),
            *(definition for variable in constants for definition in definitions_of(variable, values[variable.name])),
        ),
        properties=tuple(changed_property(p, change) for p in system.properties),
        transient=change(system.transient),
    )


def constant_values(system: System) -> dict[str, dict[tuple[int, ...], Value]]:
    """The variables no command writes and all initial states agree on: their values by owners."""
    if any(command.parameters for command in system.start):
        return {}
    written = {target.variable for command in system.commands for target in targets(command)}
    start_values = [e for command in system.start for e in values_written(command)]
    read_at_start = {part.variable for e in start_values for part in walk(e) if isinstance(part, Read)}
    first, *others = Meaning(system).initial_states()
    found = {}
    for variable in system.variables:
        if variable.name in written or variable.shape or variable.name in read_at_start:
            continue
        indices = {place.owners: system.index[place.address] for place in places_of(variable)}
        if all(s[i] == first[i] for i in indices.values() for s in others):
            found[variable.name] = {owners: first[i] for owners, i in indices.items()}
    return found


def targets(command: Command) -> list[Read]:
    return [a.target for step in command.effect if isinstance(step, Together) for a in step.assignments]


def values_written(command: Command) -> list[Expr]:
    return [a.value for step in command.effect if isinstance(step, Together) for a in step.assignments]


def definitions_of(variable: Variable, values: dict[tuple[int, ...], Value]) -> list[Definition]:
    return [
        Definition(variable.name, Literal(value, variable.type), owners, variable.span)
        for owners, value in values.items()
    ]


def without_constants(command: Command, names: set[str]) -> Command:
    return replace(command, effect=tuple(step_without(step, names) for step in command.effect))


def step_without(step: Step, names: set[str]) -> Step:
    if not isinstance(step, Together):
        return step
    return Together(tuple(a for a in step.assignments if a.target.variable not in names))


def changed_property(p: Property, change: Callable[[Expr], Expr]) -> Property:
    """The property with its expressions changed."""
    match p:
        case Invariant():
            return replace(p, condition=change(p.condition))
        case NoDeadlock():
            return replace(p, allowed=change(p.allowed))
        case Temporal():
            return replace(p, formula=map_propositions(p.formula, change))  # type: ignore[arg-type]
        case _:
            return p
