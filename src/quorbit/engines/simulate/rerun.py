"""A saved run on a model: does it start there, and can each of its commands run where it stands?

A model may have changed since; the first step that does not fit is what its author wants to hear of.  Where assertions
were not asked for, or all errors were, a run goes on after an assertion that fails; so it does here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from quorbit.engines.replay import check
from quorbit.engines.simulate.choices import can_run, is_flat, is_listable
from quorbit.engines.simulate.session import problem_in
from quorbit.model.meaning.evaluate import BoundExceeded, Fault, Firing, Meaning, Violation
from quorbit.model.meaning.show import show_firing
from quorbit.model.specialise.without_assertions import without_assertions
from quorbit.model.system.system import Assertions, State, System
from quorbit.model.system.types import contains
from quorbit.result.outcome import Step, Trace
from quorbit.source.errors import UserError

__all__ = ["DoesNotFit", "rerun"]


class Recorded(Protocol):
    """A command of a recorded run."""

    @property
    def label(self) -> str: ...

    @property
    def firing(self) -> Firing: ...


class DoesNotFit(Exception):
    """The run is none of this model; the message says where it goes wrong."""


def rerun(
    system: System, start: State, steps: Sequence[Sequence[Recorded]], loop: int | None, property: str = ""
) -> tuple[Trace, Violation | None]:
    """The trace with its states, and what is wrong at its end.  ``property``: what the run was saved as violating."""
    meaning, passing = Meaning(system), Meaning(without_assertions(system))
    assertions = {p.name for p in system.properties if isinstance(p, Assertions)}
    check_start(meaning, start)
    s, violation, passed = start, None, False
    done: list[Step] = []
    for k, recorded in enumerate(steps, 1):
        for n, each in enumerate(recorded, 1):
            if violation is not None:
                raise DoesNotFit(f"step {k} comes after a violation ({violation.message})")
            before, is_last = s, k == len(steps) and n == len(recorded)
            s, violation = run_recorded(meaning, before, each, k)
            is_the_end = is_last and loop is None and (not property or property in assertions)
            if violation is not None and violation.property in assertions and not is_the_end:
                s, violation = run_recorded(passing, before, each, k)
                passed = True
        done.append(Step(tuple(each.firing for each in recorded), s))
    trace = Trace(start, tuple(done), loop)
    check_loop(trace)
    if not can_be_listed(meaning, start):
        return trace, violation or problem_in(meaning, s, can_move=True)
    if violation is None and done:
        before = done[-2].state if len(done) > 1 else start
        violation = meaning.guard_fault(s) or meaning.endless(before, done[-1].firings)
    if passed and violation is not None and violation.property in assertions:
        check(passing, Trace(start, tuple(done[:-1])), None)
    else:
        check(passing if passed else meaning, trace, violation)
    return trace, violation or problem_in(meaning, s, bool(meaning.enabled(s)))


def can_be_listed(meaning: Meaning, start: State) -> bool:
    """Whether the moves of the model are few enough for the plain replay, which lists them all."""
    commands = meaning.system.commands
    return not is_flat(commands) or is_listable(meaning, commands, start)


def check_start(meaning: Meaning, start: State) -> None:
    places = meaning.system.places
    if len(start) != len(places):
        raise DoesNotFit(f"its states have {len(start)} places, those of the model {len(places)}")
    if not all(contains(place.type, value) for place, value in zip(places, start, strict=True)):
        raise DoesNotFit("its start is not a state of the model")
    try:
        if is_listable(meaning, meaning.system.start, start) and start not in meaning.initial_states():
            raise DoesNotFit("it does not start in an initial state of the model")
    except Fault as fault:
        raise UserError(fault.span, f"run-time error before the first state: {fault.message}") from None


def run_recorded(meaning: Meaning, s: State, recorded: Recorded, k: int) -> tuple[State, Violation | None]:
    commands, firing = meaning.system.commands, recorded.firing
    if not 0 <= firing.command < len(commands):
        raise DoesNotFit(f"step {k}: the model has no command number {firing.command} ({recorded.label})")
    label = commands[firing.command].label
    if recorded.label and label != recorded.label:
        raise DoesNotFit(f"step {k} is {recorded.label!r}; this command of the model is {label!r}")
    try:
        if not can_run(meaning, s, firing):
            raise DoesNotFit(f"step {k}: {describe(meaning.system, recorded)} cannot run where it stands")
        return meaning.fire(s, firing)
    except Fault as fault:
        raise DoesNotFit(f"before step {k} the model has a run-time error: {fault.message}") from None
    except BoundExceeded:
        raise DoesNotFit(f"step {k} creates more processes than the trace was made for") from None


def describe(system: System, recorded: Recorded) -> str:
    command = system.commands[recorded.firing.command]
    if len(command.parameters) != len(recorded.firing.binding):
        return command.label
    try:
        return show_firing(system, recorded.firing)
    except (IndexError, TypeError, ValueError):  # values that are none of the parameters'
        return command.label


def check_loop(trace: Trace) -> None:
    if trace.loop is None:
        return
    states = [trace.start, *(step.state for step in trace.steps)]
    if not 0 <= trace.loop < len(states) or states[trace.loop] != states[-1]:
        raise DoesNotFit(f"it should go on forever from step {trace.loop}, but does not come back there")
