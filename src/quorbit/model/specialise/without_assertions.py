"""Assertions are not looked at by temporal properties: a run goes on whether they hold or not (SPIN's option -A)."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.model.meaning.evaluate import FAULTS
from quorbit.model.system.command import Branch, Command, Loop, Pick, Require, Step
from quorbit.model.system.once import Once
from quorbit.model.system.system import ASSUMED, BLOCKED, System
from quorbit.source.frozen import replace

KEPT = (FAULTS, ASSUMED, BLOCKED)

__all__ = ["without_assertions"]


def without_assertions(system: System) -> System:
    """The System without its assertions; faults stay."""
    commands = tuple(map(unasserted, system.commands))
    changed = any(a is not b for a, b in zip(commands, system.commands, strict=True))
    return replace(system, commands=commands) if changed else system


def unasserted(command: Command) -> Command:
    inner: Once[Step, Step] = Once(lambda step: inside(step, inner))
    effect = steps_without(command.effect, inner)
    return command if effect == command.effect else replace(command, effect=effect)


def steps_without(steps: tuple[Step, ...], inner: Callable[[Step], Step]) -> tuple[Step, ...]:
    return tuple(map(inner, (s for s in steps if not isinstance(s, Require) or s.property in KEPT)))


def inside(step: Step, inner: Callable[[Step], Step]) -> Step:
    match step:
        case Branch(test, then, other, span):
            return Branch(test, steps_without(then, inner), steps_without(other, inner), span)
        case Loop() | Pick():
            return replace(step, body=steps_without(step.body, inner))
        case _:
            return step
