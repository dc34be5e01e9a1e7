"""What a search of the machine answers when something is violated: the violation, and a trace that leads to it."""

from __future__ import annotations

from quorbit.engines.follow import can_follow, follow
from quorbit.engines.replay import check_stuck, lift
from quorbit.machine import library
from quorbit.machine.findings import find_violation, violating_moves
from quorbit.machine.path import Path
from quorbit.machine.run import Run
from quorbit.model.meaning.evaluate import Meaning, Violation
from quorbit.result.outcome import Outcome, Statistics, Step, Trace, Verdict, among_all_errors

__all__ = ["failing"]


def failing(run: Run, path: Path, kind: int, statistics: Statistics, limit: str) -> Outcome:
    """``limit``: what ended a search for all errors early, "" if nothing did."""
    if can_follow(run, path):
        violation, trace = lift_long(run, path, kind)
    else:
        states = path.states(run.layout)
        violation = find_violation(run, states[-1], kind)
        trace = lift(run.system, states, run.reduce, violation if kind == library.BY_MOVE else None)
    if kind == library.STUCK:
        check_stuck(Meaning(run.system), run.properties, trace.steps[-1].state if trace.steps else trace.start)
    outcome = Outcome(Verdict.FAILS, violation.property, violation.message, trace, statistics, "explicit")
    return among_all_errors(outcome, limit) if run.options.all_errors else outcome


def lift_long(run: Run, path: Path, kind: int) -> tuple[Violation, Trace]:
    steps = follow(run, path)
    end = steps.state(len(steps))
    if kind != library.BY_MOVE:
        return find_violation(run, end, kind), Trace(steps.start, steps)
    move = next(violating_moves(run, end))
    assert move.violation is not None
    steps.last = (Step(move.firings, move.target),)
    return move.violation, Trace(steps.start, steps)
