"""The whole way: text -> Program -> System -> Group -> Plan -> Outcome, and how long each step took.

The only file that names all steps.  ``load`` reads a model, ``check`` answers about its properties, ``symmetry`` finds
its group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quorbit.languages.registry import has_property_files
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.report.record import CheckResult, CheckResults, Seconds, SymmetryResult
from quorbit.result.outcome import Outcome, Statistics, Verdict
from quorbit.source.errors import UserError
from quorbit.source.later import later
from quorbit.steps.ask import Asked, asked_together, find_asked
from quorbit.steps.model import Model, faults_at_the_start, load
from quorbit.steps.options import CheckOptions, refuse_combinations
from quorbit.steps.prepare import no_symmetry, prepare
from quorbit.steps.question import check_question
from quorbit.steps.watch import Interrupted, Watch

if TYPE_CHECKING:
    from quorbit.steps import circuits
else:
    circuits = later("quorbit.steps.circuits")

__all__ = ["CheckOptions", "Model", "check", "load", "symmetry"]
MOST_DOUBLINGS = 10  # of the bounds a front end chooses by itself


def check(model: Model | str | Path, options: CheckOptions | None = None, watch: Watch | None = None) -> CheckResults:
    """Answer about every property asked for, one after the other."""
    options = options or CheckOptions()
    refuse_combinations(options)
    model = model if isinstance(model, Model) else load(model)
    for _ in range(MOST_DOUBLINGS):
        try:
            with faults_at_the_start():
                return CheckResults(tuple(check_all(model, find_asked(model, options), options, watch)))
        except BoundExceeded:
            model = load(model.path, replace(model.options, bounds=2 * model.options.bounds))
    raise UserError(None, f"{model.path}: processes are created without end")


def symmetry(
    model: Model | str | Path, options: CheckOptions | None = None, watch: Watch | None = None
) -> SymmetryResult:
    """The symmetry of a model together with the properties asked for, and the plan that would use it."""
    options = options or CheckOptions()
    model = model if isinstance(model, Model) else load(model)
    system, properties = asked_together(model, options)
    with faults_at_the_start():
        return prepare(system, properties, options, watch).symmetry


def check_all(
    model: Model, questions: Sequence[Asked], options: CheckOptions, watch: Watch | None
) -> Iterator[CheckResult]:
    """An answer to every question; once the run is interrupted the others stay open."""
    if has_property_files(model.path) and circuits.wants_circuit_engine(model, questions, options):
        yield from circuits.check_circuit(model, questions, options, watch)
        return
    reason, known = "", [Statistics()]

    def remember(step: str, statistics: Statistics) -> bool:
        known[0] = statistics
        return watch is not None and watch(step, statistics)

    for asked in questions:
        try:
            if reason or remember("prepare", Statistics()):
                yield leave_open(model, asked, reason or "interrupted")
            else:
                yield check_question(model, asked, options, remember)
        except Interrupted as interrupted:
            reason = str(interrupted)
            yield leave_open(model, asked, reason, known[0])


def leave_open(model: Model, asked: Asked, reason: str, known: Statistics | None = None) -> CheckResult:
    """No answer, only what was known when the run was left."""
    symmetry_result = no_symmetry(model.system, "the run ended before its answer was complete")
    outcome = Outcome(Verdict.UNKNOWN, message=reason, statistics=known or Statistics())
    seconds = Seconds(parse=model.parse_seconds, total=model.parse_seconds)
    return CheckResult(
        model.system, str(model.path), asked.words, outcome, symmetry_result, seconds, asked.notes, model.options
    )
