"""Answers about what is to be reached: covers, and the left sides of implications.

The engines look for a state that violates an invariant; of a cover that state is the good news, so its answer is turned
round.  An assertion that holds although its left side is never reached says nothing, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from quorbit.model.system.system import Invariant
from quorbit.pipeline.questions import Question
from quorbit.report.record import CheckResult
from quorbit.result.outcome import Verdict

NEVER_REACHED = "no reachable state satisfies it"
VACUOUS = "it holds vacuously: its left side never happens"


def settle(answers: Iterable[tuple[Question, CheckResult]]) -> tuple[CheckResult, ...]:
    """The answers to show: covers turned round, those about left sides as notes of the assertions they belong to."""
    listed = list(answers)
    vacuous = {
        about
        for question, result in listed
        if (about := premise_of(question)) and result.outcome.verdict is Verdict.HOLDS
    }
    shown = [
        noted(turned(result) if is_cover(question) else result, vacuous)
        for question, result in listed
        if not premise_of(question)
    ]
    return tuple(shown) or tuple(result for _, result in listed)


def premise_of(question: Question) -> str:
    return next((p.premise_of for p in question.properties if isinstance(p, Invariant)), "")


def is_cover(question: Question) -> bool:
    return any(isinstance(p, Invariant) and p.cover for p in question.properties)


def turned(result: CheckResult) -> CheckResult:
    """What violates the invariant is the witness of the cover."""
    outcome = result.outcome
    if outcome.verdict is Verdict.FAILS:
        return replace(result, outcome=replace(outcome, verdict=Verdict.HOLDS, message=""))
    if outcome.verdict is Verdict.HOLDS:
        return replace(result, outcome=replace(outcome, verdict=Verdict.FAILS, message=NEVER_REACHED))
    return result


def noted(result: CheckResult, vacuous: set[str]) -> CheckResult:
    if result.asked in vacuous and result.outcome.verdict is Verdict.HOLDS:
        return replace(result, notes=(*result.notes, VACUOUS))
    return result
