"""Replay a trace on the model's meaning, command by command, before anyone sees it."""

from __future__ import annotations

from quorbit.engines.replay import ReplayError
from quorbit.model.meaning.share import SharingMeaning
from quorbit.model.system.system import System
from quorbit.result.outcome import Trace

__all__ = ["check_trace"]


def check_trace(system: System, trace: Trace, meaning: SharingMeaning | None = None) -> None:
    """Every step is a step of the model.  A circuit has far too many parameter values to list all that are enabled, so
    the one firing of the trace is looked at.  ``meaning``: of the System, where it is compiled already."""
    meaning = meaning or SharingMeaning(system)
    s = trace.start
    for k, step in enumerate(trace.steps):
        for firing in step.firings:
            command = system.commands[firing.command]
            if not meaning.holds(command.guard, s, meaning.environment(firing)):
                raise ReplayError(f"step {k + 1} of the trace cannot run")
            s, violation = meaning.fire(s, firing)
            if violation is not None:
                raise ReplayError(f"step {k + 1} of the trace fails: {violation.message}")
        if s != step.state:
            raise ReplayError(f"step {k + 1} of the trace leads elsewhere")
    if trace.loop is not None and trace.steps:
        states = [trace.start, *(step.state for step in trace.steps)]
        if states[trace.loop] != s:
            raise ReplayError("the loop of the trace does not close")
