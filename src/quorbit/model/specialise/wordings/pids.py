"""Numbers of processes written down as constants of each: where several kinds count from the same number on.

Producers use `_pid` and consumers `_pid - 2` for the same slot of an array.  As numbers of processes these would name
two processes at once; as constants they are what pairs have in common, and the pairs move together.
"""

from __future__ import annotations

from quorbit.model.specialise.numbering import fold_numbers
from quorbit.model.specialise.start import Started
from quorbit.model.system.command import Command
from quorbit.model.system.expression import Atoms, Bound, Expr, NumberOf, Use, number
from quorbit.model.system.system import Definition, System
from quorbit.model.system.types import NONE
from quorbit.model.system.walk import expressions_of, map_command, map_parts, walk
from quorbit.source.frozen import replace

__all__ = ["write_numbers"]

Numbering = tuple[tuple[int, ...], int]  # the atoms in their order, and the first number


def write_numbers(started: Started) -> Started:
    """The System with the numbers of processes as constants; the same object if all processes are numbered in one
    way."""
    system = fold_numbers(started.system)
    names = {numbering: f"numbering {k + 1}" for k, numbering in enumerate(numberings_in(system))}
    if len(names) < 2:
        return started
    commands = tuple(with_constants(command, names) for command in system.commands)
    definitions = [
        Definition(name, number(first + k), (a,))
        for (atoms, first), name in names.items()
        for k, a in enumerate(atoms)
        if a != NONE
    ]
    return Started(replace(system, commands=commands, definitions=(*system.definitions, *definitions)), started.states)


def numberings_in(system: System) -> list[Numbering]:
    """The numberings of the processes that commands are about."""
    found: dict[Numbering, None] = {}
    for command in system.commands:
        for part in (part for e in expressions_of(command) for part in walk(e)):
            if isinstance(part, NumberOf) and is_constant(part, command):
                found[part.numbering, part.first] = None
    return list(found)


def is_constant(e: NumberOf, command: Command) -> bool:
    """Whether e is the number of a process that the command is about, and that has one."""
    ranged = {p.name: p.domain.atoms for p in command.parameters if isinstance(p.domain, Atoms)}
    return isinstance(e.atom, Bound) and e.atom.name in ranged and set(ranged[e.atom.name]) <= set(e.numbering)


def with_constants(command: Command, names: dict[Numbering, str]) -> Command:
    def change(e: Expr) -> Expr:
        e = map_parts(e, change)
        if isinstance(e, NumberOf) and is_constant(e, command):
            return Use(names[e.numbering, e.first], (e.atom,), e.span)
        return e

    return map_command(command, change)
