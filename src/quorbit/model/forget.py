"""Values that nobody reads, kept as they are.

Where no symmetry is gained, a value that nobody reads stays the number it was: states that differ only in whether it
was written or forgotten would be counted twice.
"""

from __future__ import annotations

from dataclasses import replace

from quorbit.model.command import Command, Step, Together
from quorbit.model.system import System


def forgets(system: System) -> bool:
    """Whether some assignment says that nobody reads what it writes."""
    return any(
        a.forgets
        for command in (*system.start, *system.commands)
        for step in command.effect
        if isinstance(step, Together)
        for a in step.assignments
    )


def remember(system: System) -> System:
    """The System without these words."""
    return replace(
        system,
        commands=tuple(map(remember_all, system.commands)),
        start=tuple(map(remember_all, system.start)),
    )


def remember_all(command: Command) -> Command:
    return replace(command, effect=tuple(map(remember_step, command.effect)))


def remember_step(step: Step) -> Step:
    if not isinstance(step, Together):
        return step
    return Together(tuple(replace(a, forgets=False) for a in step.assignments))
