"""Variables that are declared ``hidden``: SPIN keeps them out of the state, so they carry nothing from step to step.

They are places here, for they have values within an atomic section; whenever a state is stored they are back at 0.
"""

from __future__ import annotations

from dataclasses import replace

from quorbit.languages.promela.lower.places import OWNER, Layout
from quorbit.model.system.command import Assign, Command, Together
from quorbit.model.system.expression import Literal, Read, number
from quorbit.model.system.system import Place, System, places_of
from quorbit.model.system.types import NONE, Number, Truth


def forget_scratch(layout: Layout, system: System) -> System:
    """The System in which every command that ends a step resets the hidden variables."""
    names = {
        leaf.name
        for leaf in layout.leaves_of(None)
        if leaf.variables[0].visibility == "hidden" and not layout.is_hidden(leaf.variables[0])
    }
    variables = [v for v in system.variables if v.name in names and isinstance(v.type, Number | Truth)]
    places = [place for variable in variables for place in places_of(variable)]
    if not places:
        return system
    reset = Together(tuple(Assign(target(place), number(0)) for place in places))
    return replace(system, commands=tuple(ended(command, reset) for command in system.commands))


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
