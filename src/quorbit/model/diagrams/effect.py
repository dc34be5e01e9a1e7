"""What a command does, as functions: the values of the places it assigns."""

from __future__ import annotations

from quorbit.bdd.function import Manager
from quorbit.model.diagrams.cases import Cases, Unsupported, choose
from quorbit.model.diagrams.encode import Encoder
from quorbit.model.system.command import Command, Together

__all__ = ["run_effect"]


def run_effect(m: Manager, encoder: Encoder, command: Command) -> dict[int, Cases]:
    """The values of the assigned places after the command."""
    assigned: dict[int, Cases] = {}
    for step in command.effect:
        if not isinstance(step, Together):
            raise Unsupported("assertions and branches inside commands")
        changed: dict[int, Cases] = {}
        for assignment in step.assignments:
            value = encoder.cases(assignment.value)
            for i, condition in encoder.targets(assignment.target):
                changed[i] = choose(m, condition, value, changed.get(i, encoder.place(i)))
        encoder.update(changed)
        assigned.update(changed)
    return assigned
