"""Specialise a System for its instances: one command per instance, constants written out, what can never run gone.

So two processes of one type that were started with different arguments are compared by what they do, not by how their
template is written.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from itertools import product

from quorbit.model.specialise.gather import Gathering
from quorbit.model.specialise.instances import Instances
from quorbit.model.specialise.start import write_starts
from quorbit.model.system.command import Command
from quorbit.model.system.expression import Atoms, Expr, Literal, Parameter, Use, atom
from quorbit.model.system.properties import changed_property, property_expressions
from quorbit.model.system.system import Definition, System
from quorbit.model.system.walk import expressions_of, map_command, map_parts, parts, substitute
from quorbit.source.frozen import replace

__all__ = ["ground", "inline_literals", "instantiate", "used_definitions", "used_instances"]


def ground(system: System, instances: Instances | None = None) -> System:
    """The same System with one command per instance."""
    instances = instances or Instances(system)
    gathering = Gathering()
    grounded = replace(
        system,
        commands=tuple(gathered(c, gathering) for command in system.commands for _, c in instances.of(command)),
        start=tuple(c for command in write_starts(system) for _, c in instances.of(command)),
        definitions=tuple(replace(d, body=instances.written(d.body)) for d in system.definitions),
        properties=tuple(changed_property(p, instances.written) for p in system.properties),
        transient=instances.written(system.transient),
    )
    return replace(grounded, definitions=used_definitions(grounded))


def gathered(command: Command, gathering: Gathering) -> Command:
    """The command with assignments that do not depend on each other at once."""
    effect = gathering.gather(command.effect)
    return command if effect == command.effect else replace(command, effect=effect)


def instantiate(command: Command) -> Iterator[Command]:
    """The command for each choice of the atoms its parameters range over; other parameters stay."""
    ranged = [p for p in command.parameters if isinstance(p.domain, Atoms)]
    for choice in product(*(p.domain.atoms for p in ranged if isinstance(p.domain, Atoms))):
        values: dict[str, Expr] = {p.name: atom(a) for p, a in zip(ranged, choice, strict=True)}
        instance = map_command(command, lambda e, values=values: substitute(e, values))  # type: ignore[misc]
        yield replace(instance, parameters=remaining(instance, values))


def remaining(command: Command, values: dict[str, Expr]) -> tuple[Parameter, ...]:
    return tuple(p for p in command.parameters if p.name not in values)


def inline_literals(system: System, e: Expr) -> Expr:
    """e with the definitions that are constants written out where their owners are known."""
    e = map_parts(e, lambda part: inline_literals(system, part))
    if isinstance(e, Use) and all(isinstance(owner, Literal) for owner in e.owners):
        owners = tuple(owner.value for owner in e.owners if isinstance(owner, Literal))
        body = system.definition.get((e.definition, owners))  # type: ignore[arg-type]
        if isinstance(body, Literal):
            return replace(body, span=e.span)
    return e


def used_definitions(system: System) -> tuple[Definition, ...]:
    """The definitions that something other than a definition leads to, all of one name together."""
    return definitions_used(system, lambda use: use.definition, lambda d: d.name)


def used_instances(system: System) -> tuple[Definition, ...]:
    """Those of a grounded System, each by itself.  Requires: no owner depends on a parameter."""
    return definitions_used(system, lambda use: (use.definition, owners_of(use)), lambda d: (d.name, tuple(d.owners)))


def owners_of(use: Use) -> tuple[Hashable, ...]:
    assert all(isinstance(owner, Literal) for owner in use.owners)
    return tuple(owner.value for owner in use.owners if isinstance(owner, Literal))


def definitions_used(
    system: System, meant_by: Callable[[Use], Hashable], key_of: Callable[[Definition], Hashable]
) -> tuple[Definition, ...]:
    if not system.definitions:
        return ()
    bodies: dict[Hashable, list[Expr]] = {}
    for d in system.definitions:
        bodies.setdefault(key_of(d), []).append(d.body)
    waiting = [e for command in (*system.commands, *system.start) for e in expressions_of(command)]
    waiting.append(system.transient)
    waiting += [e for p in system.properties for e in property_expressions(p)]
    used: set[Hashable] = set()
    seen: set[int] = set()  # instances of a command share much
    while waiting:
        e = waiting.pop()
        if id(e) in seen:
            continue
        seen.add(id(e))
        if isinstance(e, Use) and (key := meant_by(e)) not in used:
            used.add(key)
            waiting += bodies.get(key, [])
        waiting += parts(e)
    return tuple(d for d in system.definitions if key_of(d) in used)
