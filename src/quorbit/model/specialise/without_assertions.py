"""Assertions are not looked at by temporal properties: a run goes on whether they hold or not (SPIN's option -A)."""

from __future__ import annotations

from dataclasses import replace

from quorbit.model.meaning.evaluate import FAULTS
from quorbit.model.system.command import Command, Require
from quorbit.model.system.system import System

__all__ = ["without_assertions"]


def without_assertions(system: System) -> System:
    """The System without its assertions; faults stay."""
    commands = tuple(map(unasserted, system.commands))
    changed = any(a is not b for a, b in zip(commands, system.commands, strict=True))
    return replace(system, commands=commands) if changed else system


def unasserted(command: Command) -> Command:
    effect = tuple(step for step in command.effect if not isinstance(step, Require) or step.property == FAULTS)
    return command if len(effect) == len(command.effect) else replace(command, effect=effect)
