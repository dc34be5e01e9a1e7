"""Answers about what is to be reached: covers, and the left sides of implications.

A cover is asked as whether its condition is never reached (``cover_question`` in questions.py), for every engine looks
for states that violate an invariant; of a cover that state is the good news, so the answer is turned round.  An
assertion that holds although its left side is never reached says nothing, and a note says so.
"""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.model.system.system import Temporal
from quorbit.pipeline.questions import Question
from quorbit.report.record import CheckResult
from quorbit.result.outcome import Verdict
from quorbit.source.frozen import replace

NEVER_REACHED = "no reachable state satisfies it"
VACUOUS = "it holds vacuously: its left side never happens"


def settle(answers: Iterable[tuple[Question, CheckResult]]) -> tuple[CheckResult, ...]:
    """The answers to show: covers turned round, those about left sides as notes of the assertions they belong to."""
    listed = list(answers)
    vacuous = {
        question.cover.premise_of
        for question, result in listed
        if question.cover is not None and question.cover.premise_of and result.outcome.verdict is Verdict.HOLDS
    }
    shown = [
        noted(result if question.cover is None else turned(result, question.cover), vacuous)
        for question, result in listed
        if question.cover is None or not question.cover.premise_of
    ]
    return tuple(shown) or tuple(result for _, result in listed)


def turned(result: CheckResult, cover: Temporal) -> CheckResult:
    """What violates the invariant is the witness of the cover.  A run-time error on the way stays one."""
    outcome = result.outcome
    if outcome.verdict is Verdict.FAILS:
        if outcome.property != cover.name:
            return result
        return replace(result, outcome=replace(outcome, verdict=Verdict.HOLDS, message=""))
    if outcome.verdict is Verdict.HOLDS:
        return replace(result, outcome=replace(outcome, verdict=Verdict.FAILS, message=NEVER_REACHED))
    return result


def noted(result: CheckResult, vacuous: set[str]) -> CheckResult:
    if result.asked in vacuous and result.outcome.verdict is Verdict.HOLDS:
        return replace(result, notes=(*result.notes, VACUOUS))
    return result
