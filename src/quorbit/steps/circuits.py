"""Circuits: all questions about one go to the symbolic engine together, since what is reachable is the same for all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from quorbit.detection.detect import detect, keeping_the_start
from quorbit.engines.select import check_each, why_not, worst_of
from quorbit.groups.permutation import Permutation
from quorbit.model.system.system import Property, System, Temporal
from quorbit.report.record import CheckResult, Seconds
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.isolate import CAN_FORK, Limits, run_isolated
from quorbit.steps.ask import Asked
from quorbit.steps.model import Model
from quorbit.steps.options import CheckOptions
from quorbit.steps.prepare import no_symmetry
from quorbit.steps.search import remaining_time
from quorbit.steps.watch import Interrupted, Watch, in_search

SYMMETRY_SECONDS = 2.0  # to look for the symmetries of a circuit


def wants_circuit_engine(model: Model, questions: Sequence[Asked], options: CheckOptions) -> bool:
    """Whether all questions are about properties of a circuit that the symbolic engine answers together."""
    if options.engine not in ("auto", "symbolic") or options.strategy != "auto":
        return False
    return all(
        asked.properties and not why_not("symbolic", asked.system or model.system, asked.properties, options.search)
        for asked in questions
    )


def check_circuit(
    model: Model, questions: Sequence[Asked], options: CheckOptions, watch: Watch | None
) -> Iterator[CheckResult]:
    """The answers to all questions about a System come from one call, since what is reachable is the same for all."""
    systems = {id(system): system for asked in questions for system in (asked.system or model.system,)}
    answers: dict[int, CheckResult] = {}
    for key, system in systems.items():
        numbers = [k for k, asked in enumerate(questions) if id(asked.system or model.system) == key]
        together = [(k, p) for k in numbers for p in questions[k].properties]
        began = time.monotonic()
        search = remaining_time(options.search, model.parse_seconds)
        try:
            generators = circuit_symmetries(system, together, options)
            asked_now = tuple(p for _, p in together)
            outcomes = check_each(system, asked_now, search, in_search(watch), options.witnesses, generators)
        except Interrupted as interrupted:
            outcomes = [Outcome(Verdict.UNKNOWN, p.name, str(interrupted)) for _, p in together]
        seconds = Seconds(parse=model.parse_seconds, explore=time.monotonic() - began)
        seconds = replace(seconds, total=seconds.parse + seconds.explore)
        plain = no_symmetry(system, "the symbolic engine does not use plans")
        for k in numbers:
            asked = questions[k]
            own = worst_of([outcome for (j, _), outcome in zip(together, outcomes, strict=True) if j == k])
            name = str(model.path)
            answers[k] = CheckResult(system, name, asked.words, own, plain, seconds, asked.notes, model.options)
    yield from (answers[k] for k in range(len(questions)))


def circuit_symmetries(
    system: System, together: Sequence[tuple[int, Property]], options: CheckOptions
) -> tuple[Permutation, ...]:
    """Symmetries that spare work where several formulas may be images of each other; looked for only for a moment."""
    if options.symmetry == "off" or sum(isinstance(p, Temporal) for _, p in together) < 2 or not CAN_FORK:
        return ()
    found = run_isolated(
        lambda send: send(keeping_the_start(system, detect(system, ())).generators),
        Limits(3 * SYMMETRY_SECONDS, SYMMETRY_SECONDS),
    )
    return tuple(found.told[0]) if found.told else ()
