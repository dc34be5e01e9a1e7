"""Orders of search, hash compaction and the count of states represented: on models, random systems, every group."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import pytest
from benchmarks.models.systems import counters, mail, peterson
from random_systems import random_system
from test_explicit_models import FILES, LIMIT, SOME, answers, loaded
from test_explicit_reduce import GROUPS, MODELS, value
from test_explicit_reduced import broken_peterson, symmetric

from quorbit.canon.classify import classify
from quorbit.canon.layout import act, layout_of
from quorbit.engines.explicit.explore import explore
from quorbit.groups.group import Group
from quorbit.languages.options import LoadOptions
from quorbit.machine.compile.packing import pack_state
from quorbit.machine.options import SearchOptions
from quorbit.machine.run import loss_probability, opened, start
from quorbit.machine.run import represented as represented_by
from quorbit.model.system.system import State, System
from quorbit.model.system.types import NONE, AtomOf, Number, SetOf, TupleOf, Type, Value
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError

PLAIN = SearchOptions(all_errors=True, native=False)
OTHERS = (
    replace(PLAIN, search="dfs"),
    replace(PLAIN, search="mixed", alpha=0.3),
    replace(PLAIN, search="mixed", alpha=0.9, seed=5),
)
COMPACT = (replace(PLAIN, hash_compact=True), replace(PLAIN, hash_compact=True, threads=2))


def counts(outcome: Outcome) -> tuple[object, ...]:
    s = outcome.statistics
    return outcome.verdict, s.states, s.transitions, s.errors, s.fired


def compare_orders(system: System) -> None:
    whole = explore(system, system.properties, options=PLAIN)
    for options in OTHERS:
        assert counts(explore(system, system.properties, options=options)) == counts(whole)
    for options in COMPACT:
        found = explore(system, system.properties, options=options)
        assert answers(found) == answers(whole)
        assert found.statistics.loss_probability is not None


def test_random_systems() -> None:
    compared = 0
    for seed in range(10):
        try:
            compare_orders(random_system(seed))
            compared += 1
        except UserError:
            continue
    assert compared > 6


def check_model(file: Path) -> None:
    found = loaded(file)
    if found is None or found[1].statistics.states > LIMIT:
        return
    compare_orders(found[0])


@pytest.mark.parametrize("file", SOME[::2], ids=lambda f: f.name)
def test_some_models_in_every_order(file: Path) -> None:
    check_model(file)


@pytest.mark.soak
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_all_models_in_every_order(file: Path) -> None:
    check_model(file)


@pytest.mark.parametrize("search", ["bfs", "dfs", "mixed"])
def test_traces_in_every_order(search: str) -> None:
    system = broken_peterson(4)
    layout = layout_of(system)
    for plan in (None, classify(layout, symmetric(4))):
        outcome = explore(system, system.properties, plan, layout, SearchOptions(search=search))
        assert outcome.verdict is Verdict.FAILS
        assert outcome.trace is not None
        assert search == "bfs" or outcome.statistics.depth >= len(outcome.trace.steps)


def test_depth_first_goes_deeper() -> None:
    system = peterson(3)
    wide, deep = (explore(system, (), options=SearchOptions(search=search)).statistics for search in ("bfs", "dfs"))
    assert deep.depth > wide.depth
    assert (deep.levels, len(wide.levels)) == ((), wide.depth + 1)


def test_a_mixed_search_depends_on_its_seed_only() -> None:
    system = peterson(3)
    found = [
        explore(system, (), options=SearchOptions(search="mixed", alpha=0.8, seed=seed)).statistics.depth
        for seed in (1, 1, 2, 3, 4)
    ]
    assert found[0] == found[1]
    assert len(set(found)) > 1
    none, all_ = (explore(system, (), options=SearchOptions(search="mixed", alpha=a)).statistics for a in (0.0, 1.0))
    assert none.depth == explore(system, ()).statistics.depth
    assert all_.depth == explore(system, (), options=SearchOptions(search="dfs")).statistics.depth


def test_limits_in_other_orders() -> None:
    system = counters(4, 6)
    for options, word in (
        (SearchOptions(search="dfs", max_depth=3), "depth"),
        (SearchOptions(search="mixed", max_states=100), "states"),
        (SearchOptions(search="dfs", memory=200_000), "memory"),
    ):
        outcome = explore(counters(6, 8) if options.memory else system, (), options=options)
        assert (outcome.verdict, word in outcome.message) == (Verdict.UNKNOWN, True)
    assert explore(system, (), options=SearchOptions(search="dfs", max_depth=10**6)).verdict is Verdict.HOLDS


# Hash compaction.


def test_compaction_is_honest_and_smaller() -> None:
    system = mail(3, 2)
    exact, compact = (explore(system, (), options=SearchOptions(hash_compact=compact)) for compact in (False, True))
    assert compact.statistics.states == exact.statistics.states == 219429
    assert compact.statistics.memory_bytes < exact.statistics.memory_bytes or compact.statistics.loss_probability == 0
    assert exact.statistics.loss_probability is None
    probability = compact.statistics.loss_probability
    assert probability is not None
    assert (f"{probability:.1e}" if probability else "without loss") in compact.message
    assert loss_probability(10**9, 1) == 0
    assert 0.02 < loss_probability(10**9, 2) < 0.03


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("all_errors", [False, True])
def test_a_trace_is_found_again(threads: int, all_errors: bool) -> None:
    system = broken_peterson(4)
    layout = layout_of(system)
    whole = explore(system, system.properties)
    assert whole.trace is not None
    for plan in (None, classify(layout, symmetric(4))):
        options = SearchOptions(hash_compact=True, threads=threads, all_errors=all_errors)
        outcome = explore(system, system.properties, plan, layout, options)
        assert (outcome.verdict, outcome.property) == (Verdict.FAILS, whole.property)
        assert outcome.trace is not None
        assert len(outcome.trace.steps) == len(whole.trace.steps)


def test_a_trace_that_is_not_found_again_in_time_is_no_verdict() -> None:
    system = broken_peterson(4)
    told = []

    def stop_the_second_search(statistics: object) -> bool:
        told.append(statistics)
        return False

    options = SearchOptions(hash_compact=True, timeout=1e-9)
    outcome = explore(system, system.properties, options=options, progress=stop_the_second_search)
    assert outcome.verdict in (Verdict.UNKNOWN, Verdict.FAILS)
    assert (outcome.trace is None) == (outcome.verdict is Verdict.UNKNOWN)


# States represented.


def sparse_state(system: System, random: Random, busy: float) -> State:
    """A state in which most places hold the same, so that it has symmetries."""
    drawn = [(value(place.type, random), quiet(place.type)) for place in system.places]
    return tuple(lively if random.random() < busy else still for lively, still in drawn)


def quiet(type: Type) -> Value:
    match type:
        case Number(low, high):
            return 0 if (low or 0) <= 0 <= (high or 0) else 1
        case AtomOf(atoms):
            return 0 if 0 in atoms else NONE
        case SetOf():
            return frozenset()
        case TupleOf(parts):
            return tuple(quiet(part) for part in parts)
        case _:
            return ()


def orbit_size(system: System, group: Group, s: State) -> int:
    layout, found, new = layout_of(system), {s}, [s]
    while new:
        images = {act(layout, g, t) for t in new for g in group.generators}
        new = list(images - found)
        found |= images
    return len(found)


@pytest.mark.parametrize(("group", "model"), list(product(GROUPS, MODELS)))
def test_orbits_of_every_group_are_counted(group: str, model: str) -> None:
    degree, g = GROUPS[group]
    system, random = MODELS[model](degree), Random(7)
    plan = classify(layout_of(system), g, "exact")
    for case in range(12):
        s = sparse_state(system, random, case / 20)
        with opened(system, (), SearchOptions(represented=True), plan) as run:
            start(run, pack_state(run.layout, s))
            assert represented_by(run) == orbit_size(system, g, s)


def represented(system: System, group: Group, strategy: str, options: SearchOptions) -> int | None:
    layout = layout_of(system)
    plan = classify(layout, group, strategy)
    return explore(system, (), plan, layout, replace(options, represented=True)).statistics.represented


@pytest.mark.parametrize("strategy", ["auto", "exact", "enumerate", "chain", "orbit", "graph"])
def test_known_numbers_of_states(strategy: str, tmp_path: Path) -> None:
    for options in (
        SearchOptions(),
        SearchOptions(threads=2),
        SearchOptions(search="dfs"),
        SearchOptions(hash_compact=True),
        SearchOptions(spill=str(tmp_path)),
    ):
        assert represented(peterson(4), symmetric(4), strategy, options) == 20184
        assert represented(counters(6, 3), symmetric(6), strategy, options) == 3**6
    assert represented(mail(3, 2), symmetric(3), strategy, SearchOptions()) == 219429


def test_represented_needs_an_exact_plan() -> None:
    with pytest.raises(UserError, match="exact"):
        represented(mail(3, 2), symmetric(3), "local", SearchOptions())


def test_a_created_process_takes_one_place_of_its_orbit() -> None:
    file = next(f for f in FILES if f.name == "worker_pool.pml")
    with pytest.raises(UserError, match="created"):
        check(load(file, LoadOptions()), CheckOptions(engine="explicit", search=SearchOptions(represented=True)))


def check_represented(file: Path) -> None:
    """The number of states represented is that of the whole search."""
    try:
        model = load(file, LoadOptions())
        limit = SearchOptions(all_errors=True, native=False, max_states=20_000)
        whole = check(model, CheckOptions(symmetry="off", engine="explicit", search=limit)).worst
        if whole.states > 20_000:
            return
        asked = replace(limit, represented=True)
        for strategy in ("auto", "exact"):
            found = check(model, CheckOptions(strategy=strategy, engine="explicit", search=asked)).worst
            assert found.outcome.statistics.represented == whole.states
            assert found.states <= whole.states
    except UserError:
        return


@pytest.mark.parametrize("file", SOME[::2], ids=lambda f: f.name)
def test_some_models_represent_all_their_states(file: Path) -> None:
    check_represented(file)


@pytest.mark.soak
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_all_models_represent_all_their_states(file: Path) -> None:
    check_represented(file)


# What cannot be combined.


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(search="dfs", threads=2),
        SearchOptions(search="mixed", hash_compact=True),
        SearchOptions(search="dfs", checkpoint="d"),
        SearchOptions(search="mixed", spill="d"),
        SearchOptions(search="sideways"),
        SearchOptions(search="mixed", alpha=1.5),
        SearchOptions(alpha=0.5),
        SearchOptions(search="dfs", seed=3),
        SearchOptions(hash_compact=True, spill="d"),
        SearchOptions(hash_compact=True, checkpoint="d"),
    ],
)
def test_refused(options: SearchOptions) -> None:
    with pytest.raises(UserError):
        explore(counters(2, 2), (), options=options)
