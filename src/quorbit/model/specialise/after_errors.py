"""All errors: a run goes on after an assertion that fails, as if it had held (SPIN's option -c0).

A command with assertions gets companions, each for some of its assertions failing: they go through exactly where those
fail.  Assertions inside a branch or a loop end a run all the same.  A ``Require`` whose property nobody asks for ends a
move silently, so the search needs to know nothing of this.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from quorbit.model.system.command import Command, Require, Step
from quorbit.model.system.expression import TRUE, negation
from quorbit.model.system.system import Assertions, System
from quorbit.source.frozen import replace

__all__ = ["continue_after_errors", "is_companion"]

UNASKED = "the way past an assertion"  # the name of no property
MOST_TOGETHER = 4  # assertions of one command of which each that fails is counted


def continue_after_errors(system: System) -> System:
    """The System whose runs go past its assertions; run-time errors still end them."""
    names = {p.name for p in system.properties if isinstance(p, Assertions)}
    return replace(system, commands=tuple(c for command in system.commands for c in companions(command, names)))


def is_companion(command: Command) -> bool:
    """Whether the command goes past an assertion that fails; the original is tried wherever this one is."""
    return any(isinstance(step, Require) and step.property == UNASKED for step in command.effect)


def companions(command: Command, names: set[str]) -> Iterator[Command]:
    yield command
    places = [k for k, s in enumerate(command.effect) if isinstance(s, Require) and s.property in names]
    if len(places) > MOST_TOGETHER:
        for n in range(len(places)):
            yield past(command, places, (places[n],), set(places[n + 1 :]))
        return
    for size in range(1, len(places) + 1):
        for failing in combinations(places, size):
            yield past(command, places, failing, set())


def past(command: Command, places: list[int], failing: tuple[int, ...], unseen: set[int]) -> Command:
    """The command where just these assertions fail; those after the last of them are looked at as ever, or not at all
    (``unseen``)."""
    effect: list[Step] = []
    for k, step in enumerate(command.effect):
        if isinstance(step, Require) and k in unseen:
            step = replace(step, condition=TRUE)
        elif isinstance(step, Require) and k in failing:
            step = replace(step, condition=negation(step.condition, step.span), property=UNASKED)
        elif isinstance(step, Require) and k in places and k < failing[-1]:
            step = replace(step, property=UNASKED)
        effect.append(step)
    return replace(command, effect=tuple(effect))
