"""Plan -> Outcome: one question about a model is prepared, searched by an engine, and told in terms of the model."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quorbit.canon.plan import Plan
from quorbit.detection.commands.orbits import with_images
from quorbit.detection.netlists.extend import is_circuit
from quorbit.detection.reveal import reveal
from quorbit.engines.replay import ReplayError
from quorbit.engines.select import can_reduce, explore_with, find_engines, refusal_of_extras, why_not
from quorbit.engines.translate import translate, translate_statistics
from quorbit.groups.group import orbits
from quorbit.groups.partition import labels_of
from quorbit.machine.options import SearchOptions
from quorbit.model.specialise.without_assertions import without_assertions
from quorbit.model.system.system import Property, System
from quorbit.report.record import CheckResult, Seconds
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.later import later
from quorbit.steps.ask import Asked, has_formulas
from quorbit.steps.describe import describe_group
from quorbit.steps.model import Model
from quorbit.steps.options import CheckOptions
from quorbit.steps.prepare import Prepared, no_symmetry, prepare
from quorbit.steps.watch import Watch, in_search

if TYPE_CHECKING:
    from quorbit.steps import adapt
else:
    adapt = later("quorbit.steps.adapt")

FEW_STATES = 20_000  # are searched at once; with an answer within so many, adaptive reduction must not need more
RUN_FILE = "run.json"  # what makes a directory a checkpoint
SLOW_ENGINES = ("reference", "temporal")  # where they have to do without the explicit engine


@frozen
class Search:
    """One question, prepared: what is asked of which model, and who answers."""

    model: Model
    asked: Asked
    options: CheckOptions
    engines: tuple[str, ...]
    prepared: Prepared
    began: float
    watch: Watch | None


def check_one(model: Model, asked: Asked, options: CheckOptions, watch: Watch | None) -> CheckResult:
    began = time.monotonic()
    engines = find_engines(options.engine, model.system, asked.properties, options.search)
    prepared = prepare_for(engines, model.system, asked.properties, options, watch)
    if isinstance(prepared.guide, Plan):
        engines = tuple(filter(can_reduce, engines))
    if has_formulas(asked) and options.symmetry != "off" and can_reduce(engines[0]):
        asked = replace(asked, notes=(*asked.notes, *lost_symmetry(model, prepared)))
    notes = (*missing_engine(engines, model.system, asked, options), *missing_checkpoint(options.search))
    asked = replace(asked, notes=(*asked.notes, *notes))
    search = Search(model, asked, options, engines, prepared, began, watch)
    return search_adapted(search) if may_adapt(search) and adapt.may_win(search) else search_prepared(search)


def missing_engine(engines: tuple[str, ...], system: System, asked: Asked, options: CheckOptions) -> tuple[str, ...]:
    """Where nobody asked for a slow engine and the quick one is not there, the run says so."""
    if options.engine != "auto" or engines[0] not in SLOW_ENGINES:
        return ()
    temporal = engines[0] == "temporal"  # its states come from the explicit engine, whatever is asked of them
    limits, properties = (SearchOptions(), ()) if temporal else (options.search, asked.properties)
    reason = why_not("explicit", system, properties, limits)
    return (f"the explicit engine {reason}: the search is slow",) if reason else ()


def missing_checkpoint(limits: SearchOptions) -> tuple[str, ...]:
    """A run may have ended before its first checkpoint; to go on from it is to begin anew, and the run says so."""
    if limits.resume is None or Path(limits.resume, RUN_FILE).exists():
        return ()
    return (f"there is no checkpoint in {limits.resume} yet: the search began anew",)


def may_adapt(search: Search) -> bool:
    """Whether adaptive reduction may be chosen and some processes of one kind are told apart by the model."""
    options, system, atoms = search.options, search.model.system, search.prepared.system.atoms
    wanted = options.adapt and (options.engine, options.strategy, options.symmetry) == ("auto", "auto", "auto")
    if not wanted or has_formulas(search.asked) or refusal_of_extras(options.search) or options.search.threads > 1:
        return False
    if is_circuit(system):
        return False  # all cells move at once, so there are no commands that tell fewer of them apart
    if system.count_once:
        return False  # moves are counted by the classes they lead to, and these are orbits [T07, Table 1]
    orbit = labels_of(orbits(search.prepared.symmetry.group))
    kinds = {(atom.sort, atom.colour, orbit[a]) for a, atom in enumerate(atoms)}
    return len(kinds) > len({(atom.sort, atom.colour) for atom in atoms})


def search_adapted(search: Search) -> CheckResult:
    """Adaptive reduction is preferred where it promises most, unless it looks at more states than there are orbits."""
    limits = search.options.search
    most = FEW_STATES if limits.max_states is None else min(FEW_STATES, limits.max_states)
    first = search_prepared(limit(search, replace(limits, max_states=most)))
    known = first.outcome.verdict is not Verdict.UNKNOWN
    if not known and first.states < most:
        return first
    if known:
        adapted = adapt.adapt(limit(search, replace(limits, max_states=first.states)))  # with more it is no reduction
        return first if adapted is None or adapted.outcome.verdict is Verdict.UNKNOWN else adapted
    adapted = adapt.adapt(search)
    if adapted is None:
        return search_prepared(search)
    if adapted.outcome.verdict is not Verdict.UNKNOWN:
        return adapted
    note = f"adaptive reduction was chosen and given up: {adapted.outcome.message}"
    return search_prepared(replace(search, asked=replace(search.asked, notes=(*search.asked.notes, note))))


def limit(search: Search, limits: SearchOptions) -> Search:
    return replace(search, options=replace(search.options, search=limits))


def search_prepared(given: Search) -> CheckResult:
    model, asked, options, prepared = given.model, given.asked, given.options, given.prepared
    searching = time.monotonic()
    search = remaining_time(options.search, searching - given.began + model.parse_seconds)
    system = prepared.system
    try:
        outcome = explore_with(given.engines, system, system.properties, prepared.guide, search, in_search(given.watch))
        outcome = reached_by_images(prepared, outcome)
        loaded = without_assertions(model.system) if has_formulas(asked) else model.system
        outcome = in_terms_of(loaded, system, outcome)
    except ReplayError as error:
        outcome = Outcome(
            Verdict.UNKNOWN, message=f"internal error, please report it: {error}", engine=given.engines[0]
        )
    ended = time.monotonic()
    explore_seconds = outcome.statistics.explore_seconds
    seconds = Seconds(
        parse=model.parse_seconds,
        detect=prepared.detect_seconds,
        classify=prepared.classify_seconds,
        compile=max(0.0, ended - searching - explore_seconds) if outcome.engine != "reference" else 0.0,
        explore=explore_seconds,
        total=ended - given.began + model.parse_seconds,
    )
    return CheckResult(
        model.system, str(model.path), asked.words, outcome, prepared.symmetry, seconds, asked.notes, model.options
    )


def reached_by_images(prepared: Prepared, outcome: Outcome) -> Outcome:
    """The search of representatives tells which statements were never reached; images reach them too."""
    if outcome.verdict is not Verdict.HOLDS or not isinstance(prepared.guide, Plan):
        return outcome
    fired = with_images(prepared.system, prepared.symmetry.group.generators, outcome.statistics.fired)
    return replace(outcome, statistics=replace(outcome.statistics, fired=fired))


def lost_symmetry(model: Model, prepared: Prepared) -> tuple[str, ...]:
    """A formula that names single processes may leave nothing of the model's symmetry; then the run says so."""
    if prepared.guide is not None:
        return ()
    group = reveal(model.system, ())[1].group
    if group.is_trivial:
        return ()
    return (f"the formula breaks the symmetry of the model ({describe_group(group)[1]}): nothing is reduced",)


def in_terms_of(loaded: System, searched: System, outcome: Outcome) -> Outcome:
    """The outcome told in terms of the System that was loaded."""
    if loaded.incomplete and outcome.verdict is Verdict.HOLDS:
        message = f"nothing wrong was found, but the search was incomplete: {'; '.join(loaded.incomplete)}"
        outcome = replace(outcome, verdict=Verdict.UNKNOWN, message=message)
    trace = None if outcome.trace is None else translate(outcome.trace, searched, loaded)
    return replace(outcome, trace=trace, statistics=translate_statistics(outcome.statistics, searched, loaded))


def prepare_for(
    engines: tuple[str, ...],
    system: System,
    properties: tuple[Property, ...],
    options: CheckOptions,
    watch: Watch | None,
) -> Prepared:
    """Engines that cannot use symmetry get none, and refuse a strategy that was asked for."""
    if can_reduce(engines[0]):
        return prepare(system, properties, options, watch)
    if engines == ("adaptive",) and options.strategy == "auto":
        return adapt.prepare_adaptive(system, properties, options, watch)
    if options.strategy != "auto":
        raise UserError(None, f"the {engines[0]} engine cannot use strategy {options.strategy}")
    asked = replace(system, properties=properties)
    return Prepared(asked, no_symmetry(system, f"the {engines[0]} engine does not use plans"), None, 0.0, 0.0)


def remaining_time(search: SearchOptions, spent: float) -> SearchOptions:
    """The time limit is for the whole run."""
    return search if search.timeout is None else replace(search, timeout=max(0.0, search.timeout - spent))
