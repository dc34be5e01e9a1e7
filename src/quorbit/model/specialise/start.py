"""Start commands written down as the state they lead to, so that the order of their steps hides no symmetry.

An atom that a place holds by default is written down too: it is told apart from others by that.
"""

from __future__ import annotations

from dataclasses import replace

from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.system.command import Assign, Command, Together
from quorbit.model.system.expression import Literal, Read, atom, number
from quorbit.model.system.system import State, System
from quorbit.model.system.types import atoms_in, default


def write_starts(system: System) -> tuple[Command, ...]:
    """The start commands; those without parameters as one step that writes what is not there by default."""
    meaning = Meaning(system)
    blank: State = tuple(default(place.type) for place in system.places)
    return tuple(command if command.parameters else written(meaning, command, blank) for command in system.start)


def written(meaning: Meaning, command: Command, blank: State) -> Command:
    try:
        state = meaning.run_effect(command, blank, {})
    except Fault:
        return command
    assignments = [
        Assign(
            Read(place.variable, tuple(map(atom, place.owners)), tuple(map(number, place.indices))),
            Literal(value, place.type),
        )
        for place, value, silent in zip(meaning.system.places, state, blank, strict=True)
        if value != silent or any(True for _ in atoms_in(place.type, value))
    ]
    return replace(command, effect=(Together(tuple(assignments)),))
