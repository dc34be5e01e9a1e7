"""Sets of states for a moment, then one state per orbit where a property leaves symmetries; the same for longer.

Of a large circuit, what a SAT solver answers within two seconds is not asked of anybody else, and of one of middle size
what it answers in a moment: to look for symmetries alone often takes as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quorbit.detection.detect import Symmetry
from quorbit.detection.functions.choices import fewer_choices
from quorbit.detection.functions.sizes import has_more_parts
from quorbit.engines.engine import Engine, Guide
from quorbit.engines.registry import find_engine
from quorbit.groups.group import Group
from quorbit.model.specialise.specialise import searchable
from quorbit.model.system.system import System, Temporal
from quorbit.pipeline.case import Case
from quorbit.pipeline.choose import choices
from quorbit.pipeline.explore import explore
from quorbit.pipeline.prepare import classify
from quorbit.pipeline.steps import Steps
from quorbit.pipeline.tell import as_stored, in_terms_of
from quorbit.report.record import Found, SymmetryResult
from quorbit.result.outcome import Attempt, Outcome, Verdict
from quorbit.source.frozen import frozen, replace
from quorbit.source.interrupted import Interrupted
from quorbit.source.isolate import CAN_FORK, Limits, run_isolated

if TYPE_CHECKING:
    from quorbit.source.isolate import Send

ORBITS = "orbits, one by one"  # the member of the portfolio
FIRST_SECONDS = 2.0  # of computing, to look at the orbits one by one, after a glance at sets of states
SECONDS = 8.0  # the same once more, before sets of states get more time
STARVED = 8  # times as long as it computes, this may last
LARGE = 3_500  # parts of expressions, of a circuit that a SAT solver is asked about first
MIDDLE = 2_000  # parts, of one that it is asked about for a moment
FEW_CHOICES = 2**10  # of a step, for a search that takes them one by one


def answer_soon(engine: Engine, case: Case) -> Case:
    """What a SAT solver says at once of a circuit that is not small."""
    is_automatic = case.options.quotient == "auto" and case.options.symmetry != "off"
    if not (is_automatic and CAN_FORK and case.system.synchronous and has_more_parts(case.system, MIDDLE)):
        return case
    outcomes = explore(engine, replace(case, stage="clauses" if is_large(case.system) else "glance at clauses"))
    return replace(case, soon=tuple(outcomes)) if len(outcomes) == len(case.system.properties) else case


def is_large(system: System) -> bool:
    return has_more_parts(system, LARGE)


def explore_sets(engine: Engine, case: Case) -> tuple[Case, list[Outcome]]:
    """The answers to all properties, and the case with the symmetry that each answer used."""
    if case.soon and not left(case.soon):
        return case, list(case.soon)
    if case.options.quotient != "auto" or not case.groups:
        return case, explore(engine, case)
    is_reduced = CAN_FORK and any(map(is_moved, group_of_each(case)))
    outcomes = explore_first(engine, case, "glance" if is_reduced else "first")
    if len(outcomes) != len(case.groups):
        return case, outcomes
    symmetries = list(case.symmetries)
    try:
        if is_reduced and left(outcomes) and not has_few_choices(case.system):
            answer_on_sets(engine, case, outcomes, first_stage(case))
        elif is_reduced:
            answer_on_orbits(case, outcomes, symmetries, FIRST_SECONDS)
            answer_on_sets(engine, case, outcomes, "first")
            answer_on_orbits(case, outcomes, symmetries, SECONDS)
        answer_on_sets(engine, case, outcomes, "later")
    except Interrupted as interrupted:  # what is known stays
        for k in left(outcomes):
            outcomes[k] = replace(outcomes[k], message=str(interrupted))
    outcomes = [known_of_all(case, k, outcome) for k, outcome in enumerate(outcomes)]
    return replace(case, symmetries=tuple(symmetries)), outcomes


def explore_first(engine: Engine, case: Case, stage: str) -> list[Outcome]:
    if not case.soon:
        return explore(engine, replace(case, stage=stage))
    outcomes = list(case.soon)
    answer_on_sets(engine, case, outcomes, first_stage(case) if stage == "first" else stage)
    return outcomes


def first_stage(case: Case) -> str:
    """Without the SAT solver where that had its first turn."""
    return "sets" if case.soon and is_large(case.system) else "first"


def known_of_all(case: Case, k: int, outcome: Outcome) -> Outcome:
    """Sets of states are counted by orbits of the symmetries of the bits: not where more are told."""
    if case.decoded[k] is None or outcome.method == ORBITS:
        return outcome
    return replace(outcome, statistics=replace(outcome.statistics, orbits=None))


def group_of_each(case: Case) -> list[Group | None]:
    """The group that a search of the orbits uses for each property."""
    decoded = case.decoded or (None,) * len(case.groups)
    return [group if wider is None else wider.group for group, wider in zip(case.groups, decoded, strict=True)]


def is_moved(group: Group | None) -> bool:
    return group is not None and not group.is_trivial


def answer_on_orbits(case: Case, outcomes: list[Outcome], symmetries: list[SymmetryResult], seconds: float) -> None:
    """Answer what is left from one state per orbit, each in so many seconds of computing."""
    for k in left(outcomes):
        looked = explore_orbits(case, k, seconds)
        if looked is not None:
            outcomes[k] = after(looked.outcome or outcomes[k], outcomes[k], looked.attempt)
            symmetries[k] = looked.symmetry or symmetries[k]


def answer_on_sets(engine: Engine, case: Case, outcomes: list[Outcome], stage: str) -> None:
    """Answer what is left on sets of states."""
    numbers = left(outcomes)
    if numbers:
        found = explore(engine, part_of(case, numbers, stage))
        for k, outcome in zip(numbers, found, strict=True):
            outcomes[k] = after(outcome, outcomes[k], *outcome.attempts)


def after(outcome: Outcome, before: Outcome, *attempts: Attempt) -> Outcome:
    """An outcome, and what was tried before."""
    return replace(outcome, attempts=(*before.attempts, *attempts))


def has_few_choices(system: System) -> bool:
    """Whether the inputs of a step can be taken one by one; those that do the same count once."""
    return choices(fewer_choices(system).commands[0]) <= FEW_CHOICES


def left(outcomes: Sequence[Outcome]) -> list[int]:
    return [k for k, outcome in enumerate(outcomes) if outcome.verdict is Verdict.UNKNOWN]


def part_of(case: Case, numbers: Sequence[int], stage: str) -> Case:
    """The same about some of the properties."""
    properties = tuple(case.system.properties[k] for k in numbers)
    groups, decoded = tuple(case.groups[k] for k in numbers), tuple(case.decoded[k] for k in numbers)
    system = replace(case.system, properties=properties)
    return replace(case, system=system, groups=groups, decoded=decoded, stage=stage)


@frozen
class Looked:
    """What a search of the orbits found, if anything, and how that went."""

    outcome: Outcome | None
    symmetry: SymmetryResult | None
    attempt: Attempt


def explore_orbits(case: Case, k: int, seconds: float) -> Looked | None:
    """The answer to a property from one state per orbit, if its symmetries let it be found soon."""
    group = group_of_each(case)[k]
    rest = case.steps.remaining(case.options.search)
    if not is_moved(group) or rest.timeout == 0:
        return None
    longest = STARVED * seconds if rest.timeout is None else min(STARVED * seconds, rest.timeout)
    ended = run_isolated(lambda send: search(case, k, send), Limits(longest, seconds, rest.memory))
    for outcome, symmetry in ended.told:
        if outcome.verdict is not Verdict.UNKNOWN:
            attempt = Attempt(ORBITS, "answered", ended.seconds)
            return Looked(replace(outcome, method=ORBITS), replace(symmetry, system=system_of(case, k)), attempt)
    why = "no answer" if ended.ended == "finished" else f"out of {ended.ended}" if ended.error is None else "an error"
    return Looked(None, None, Attempt(ORBITS, why, ended.seconds))


def search(case: Case, k: int, send: Send) -> None:
    orbits = classify(with_known_group(case, k))
    engine = find_engine("temporal" if isinstance(case.system.properties[k], Temporal) else "explicit")
    outcome, searched = as_stored(orbits, explore(engine, orbits)[0])
    outcome, system = in_terms_of(case.system, searched, outcome)
    if system is case.system and isinstance(orbits.symmetry, Found):
        send((outcome, replace(orbits.symmetry, system=None)))


def system_of(case: Case, k: int) -> System:
    """The System whose atoms the symmetries of a property permute."""
    wider = case.decoded[k]
    return case.system if wider is None or wider.decoded is None else wider.decoded.system


def with_known_group(case: Case, k: int) -> Case:
    """The case about one property, with the symmetries that were found for it."""
    group, wider = case.groups[k], case.decoded[k]
    assert group is not None
    limits = replace(case.options.search, timeout=None, memory=None)
    if wider is not None:
        alone, found = fewer_choices(searchable(system_of(case, k))), wider
    else:
        alone = fewer_choices(searchable(replace(case.system, properties=(case.system.properties[k],))))
        found = Symmetry(group)
    return Case(alone, Guide.PLAN, replace(case.options, search=limits), Steps(), found=found)
