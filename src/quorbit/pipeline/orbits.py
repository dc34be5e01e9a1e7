"""Sets of states for a moment, then one state per orbit where a property leaves symmetries, then sets for long."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from quorbit.detection.functions.choices import fewer_choices
from quorbit.engines.engine import Engine, Guide
from quorbit.engines.registry import find_engine
from quorbit.model.system.system import System, Temporal
from quorbit.pipeline.case import Case
from quorbit.pipeline.choose import choices
from quorbit.pipeline.explore import explore
from quorbit.pipeline.prepare import classify, detect, specialise
from quorbit.pipeline.steps import Steps
from quorbit.pipeline.tell import in_terms_of
from quorbit.report.record import Found, SymmetryResult
from quorbit.result.outcome import Attempt, Outcome, Verdict
from quorbit.source.frozen import frozen
from quorbit.source.interrupted import Interrupted
from quorbit.source.isolate import CAN_FORK, Limits, run_isolated

if TYPE_CHECKING:
    from quorbit.source.isolate import Send

ORBITS = "orbits, one by one"  # the member of the portfolio
SECONDS = 8.0  # of computing, to look at the orbits one by one, before sets of states get more time
STARVED = 8  # times as long as it computes, this may last
FEW_CHOICES = 2**10  # of a step, for a search that takes them one by one


def explore_sets(engine: Engine, case: Case) -> tuple[Case, list[Outcome]]:
    """The answers to all properties, and the case with the symmetry that each answer used."""
    if case.options.quotient != "auto" or not case.groups:
        return case, explore(engine, case)
    outcomes = explore(engine, replace(case, stage="first"))
    if len(outcomes) != len(case.groups):
        return case, outcomes
    symmetries = list(case.symmetries)
    try:
        answer_rest(engine, case, outcomes, symmetries)
    except Interrupted as interrupted:  # what is known stays
        for k in left(outcomes):
            outcomes[k] = replace(outcomes[k], message=str(interrupted))
    return replace(case, symmetries=tuple(symmetries)), outcomes


def answer_rest(engine: Engine, case: Case, outcomes: list[Outcome], symmetries: list[SymmetryResult]) -> None:
    """Answer what is left, on orbits and then on sets of states for as long as there is time."""
    for k in left(outcomes) if CAN_FORK and has_few_choices(case.system) else ():
        looked = explore_orbits(case, k)
        if looked is not None:
            outcomes[k] = after(looked.outcome or outcomes[k], outcomes[k], looked.attempt)
            symmetries[k] = looked.symmetry or symmetries[k]
    numbers = left(outcomes)
    if numbers:
        later = explore(engine, part_of(case, numbers))
        for k, outcome in zip(numbers, later, strict=True):
            outcomes[k] = after(outcome, outcomes[k], *outcome.attempts)


def after(outcome: Outcome, before: Outcome, *attempts: Attempt) -> Outcome:
    """An outcome, and what was tried before."""
    return replace(outcome, attempts=(*before.attempts, *attempts))


def has_few_choices(system: System) -> bool:
    """Whether the inputs of a step can be taken one by one; those that do the same count once."""
    return choices(fewer_choices(system).commands[0]) <= FEW_CHOICES


def left(outcomes: Sequence[Outcome]) -> list[int]:
    return [k for k, outcome in enumerate(outcomes) if outcome.verdict is Verdict.UNKNOWN]


def part_of(case: Case, numbers: Sequence[int]) -> Case:
    """The same about some of the properties, for as long as there is time."""
    properties = tuple(case.system.properties[k] for k in numbers)
    groups = tuple(case.groups[k] for k in numbers)
    return replace(case, system=replace(case.system, properties=properties), groups=groups, stage="later")


@frozen
class Looked:
    """What a search of the orbits found, if anything, and how that went."""

    outcome: Outcome | None
    symmetry: SymmetryResult | None
    attempt: Attempt


def explore_orbits(case: Case, k: int) -> Looked | None:
    """The answer to a property from one state per orbit, if its symmetries let it be found soon."""
    group = case.groups[k]
    rest = case.steps.remaining(case.options.search)
    if group is None or group.is_trivial or rest.timeout == 0:
        return None
    longest = STARVED * SECONDS if rest.timeout is None else min(STARVED * SECONDS, rest.timeout)
    ended = run_isolated(lambda send: search(case, k, send), Limits(longest, SECONDS, rest.memory))
    for outcome, symmetry in ended.told:
        if outcome.verdict is not Verdict.UNKNOWN:
            attempt = Attempt(ORBITS, "answered", ended.seconds)
            return Looked(replace(outcome, method=ORBITS), replace(symmetry, system=case.system), attempt)
    why = "no answer" if ended.ended == "finished" else f"out of {ended.ended}" if ended.error is None else "an error"
    return Looked(None, None, Attempt(ORBITS, why, ended.seconds))


def search(case: Case, k: int, send: Send) -> None:
    p = case.system.properties[k]
    limits = replace(case.options.search, timeout=None, memory=None)
    alone = replace(case.system, properties=(p,))
    orbits = classify(detect(specialise(Case(alone, Guide.PLAN, replace(case.options, search=limits), Steps()))))
    engine = find_engine("temporal" if isinstance(p, Temporal) else "explicit")
    outcome, system = in_terms_of(case.system, orbits.system, explore(engine, orbits)[0])
    if system is case.system and isinstance(orbits.symmetry, Found):
        send((outcome, replace(orbits.symmetry, system=None)))
