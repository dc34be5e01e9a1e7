"""Specialise a System for its instances: what is constant becomes a literal, what can never run goes.

Commands are written out for each atom their parameters range over, places that never change are replaced by their
value, and guards fold.  So two processes of one type that were started with different arguments are compared by what
they do, not by how their template is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

from quorbit.model.command import Command, Together
from quorbit.model.evaluate import Meaning
from quorbit.model.expression import FALSE, Atoms, Expr, Literal, Parameter, Read, atom
from quorbit.model.formula import map_propositions
from quorbit.model.simplify import simplify
from quorbit.model.system import Address, Invariant, NoDeadlock, Property, System, Temporal
from quorbit.model.types import Value
from quorbit.model.walk import map_command, map_parts, substitute


def ground(system: System) -> System:
    """The same System with one command per instance."""
    instances = [instance for command in system.commands for instance in instantiate(command)]
    constants = constant_places(system, instances)

    def specialise(e: Expr) -> Expr:
        return simplify(replace_constants(system, simplify(e), constants))

    commands = [map_command(command, specialise) for command in instances]
    return replace(
        system,
        commands=tuple(command for command in commands if command.guard != FALSE),
        start=tuple(map_command(c, simplify) for command in system.start for c in instantiate(command)),
        definitions=tuple(replace(d, body=specialise(d.body)) for d in system.definitions),
        properties=tuple(specialise_property(p, specialise) for p in system.properties),
        transient=specialise(system.transient),
    )


def instantiate(command: Command) -> Iterator[Command]:
    """The command for each choice of the atoms its parameters range over; other parameters stay."""
    ranged = [p for p in command.parameters if isinstance(p.domain, Atoms)]
    for choice in product(*(p.domain.atoms for p in ranged if isinstance(p.domain, Atoms))):
        values: dict[str, Expr] = {p.name: atom(a) for p, a in zip(ranged, choice, strict=True)}
        instance = map_command(command, lambda e, values=values: substitute(e, values))  # type: ignore[misc]
        yield replace(instance, parameters=remaining(instance, values))


def remaining(command: Command, values: dict[str, Expr]) -> tuple[Parameter, ...]:
    return tuple(p for p in command.parameters if p.name not in values)


def constant_places(system: System, commands: list[Command]) -> dict[Address, Value]:
    """The places no command writes and all initial states agree on, with their values."""
    if any(command.parameters for command in system.start):
        return {}
    written, everywhere = written_places(commands)
    first, *others = Meaning(system).initial_states()
    return {
        place.address: first[i]
        for i, place in enumerate(system.places)
        if place.variable not in everywhere and place.address not in written and all(s[i] == first[i] for s in others)
    }


def written_places(commands: list[Command]) -> tuple[set[Address], set[str]]:
    """Addresses that are written by name, and variables that are written at an address known only at run time."""
    written: set[Address] = set()
    everywhere: set[str] = set()
    for command in commands:
        for step in command.effect:
            if isinstance(step, Together):
                for assignment in step.assignments:
                    if (address := static_address(assignment.target)) is not None:
                        written.add(address)
                    else:
                        everywhere.add(assignment.target.variable)
    return written, everywhere


def static_address(e: Read) -> Address | None:
    """The address of the place, if it is written down."""
    owners, indices = map(simplify, e.owners), map(simplify, e.indices)
    literals = [tuple(part.value for part in group if isinstance(part, Literal)) for group in (owners, indices)]
    if len(literals[0]) != len(e.owners) or len(literals[1]) != len(e.indices):
        return None
    return e.variable, literals[0], literals[1]  # type: ignore[return-value]


def replace_constants(system: System, e: Expr, constants: dict[Address, Value]) -> Expr:
    e = map_parts(e, lambda part: replace_constants(system, part, constants))
    if isinstance(e, Read) and (address := static_address(e)) in constants and address is not None:
        return Literal(constants[address], system.variable[e.variable].type, e.span)
    return e


def specialise_property(p: Property, specialise: Callable[[Expr], Expr]) -> Property:
    match p:
        case Invariant():
            return replace(p, condition=specialise(p.condition))
        case NoDeadlock():
            return replace(p, allowed=specialise(p.allowed))
        case Temporal():
            return replace(p, formula=map_propositions(p.formula, specialise))  # type: ignore[arg-type]
        case _:
            return p
