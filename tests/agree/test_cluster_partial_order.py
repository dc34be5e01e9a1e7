"""Partial-order reduction on a cluster: the verdicts of a search in full, and one count for any number of workers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from interleaved_systems import interleaved_system
from random_systems import random_system
from tests.agree.cluster_cases import AT_ONCE, FILES, counts_of, prepared, told

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.canon.plan import Plan
from quorbit.detection.detect import detect
from quorbit.engines.cluster.driver import Settings
from quorbit.engines.cluster.explore import explore
from quorbit.engines.cluster.pipes import Pipes
from quorbit.engines.explicit.explore import explore as explore_in_one
from quorbit.engines.partial_order import LONGER, refusal
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.model.specialise.ground import ground
from quorbit.model.system.command import Command, Require, assign
from quorbit.model.system.expression import FALSE, TRUE, Condition, Literal, Read, equal, number
from quorbit.model.system.system import Assertions, NoDeadlock, System, Variable
from quorbit.model.system.types import Number, SetOf
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError

LIMIT = 2_000
FEW, MANY = 12, 1_000
IN_FULL = SearchOptions(native=False, max_states=LIMIT)
IN_PART = SearchOptions(native=False, por="on")
WAYS = ((1, AT_ONCE), (2, AT_ONCE), (3, AT_ONCE), (2, Settings(alone=8)))  # workers; the last begin alone


@pytest.fixture(scope="module")
def pipes() -> Iterator[Pipes]:
    transport = Pipes(3)
    yield transport
    transport.close()


def compare(system: System, plan: Plan | None, pipes: Pipes) -> int:
    """How many states were saved; -1 if there was nothing to compare."""
    try:
        full = explore_in_one(system, system.properties, plan, options=IN_FULL)
    except (BoundExceeded, UserError):
        return -1
    if full.statistics.states > LIMIT or full.message.startswith("a number beyond"):
        return -1
    if refusal(system, system.properties, plan, IN_PART):
        return -1
    found = shared(system, plan, IN_PART, pipes)
    assert found[0].verdict is full.verdict
    if plan is None and (dead := dead_ends(system)):
        all_of_them = shared(system, None, replace(IN_PART, all_errors=True), pipes)
        assert all_of_them[0].statistics.errors == dead
    return full.statistics.states - found[0].statistics.states


def shared(system: System, plan: Plan | None, options: SearchOptions, pipes: Pipes) -> list[Outcome]:
    found: list[Outcome] = []
    for pipes.workers, settings in WAYS:
        found.append(explore(system, system.properties, plan, options, transport=pipes, settings=settings))
    for outcome in found:
        assert outcome.verdict is found[0].verdict
        assert outcome.por.used
        assert told(outcome) == told(found[0])
        assert counts_of(outcome) == counts_of(found[0])
        assert outcome.por == found[0].por
        assert outcome.trace == found[0].trace
    return found


def dead_ends(system: System) -> int:
    """How many reachable states are deadlocks, if these are the only errors; else 0."""
    if [type(p) for p in system.properties] != [NoDeadlock] or system.transient != FALSE:
        return 0
    in_full = replace(IN_FULL, all_errors=True)
    without = explore_in_one(system, (), options=in_full)
    return (
        explore_in_one(system, system.properties, options=in_full).statistics.errors
        if not without.statistics.errors
        else 0
    )


def compare_seed(seed: int, pipes: Pipes) -> int:
    if seed % 4 == 0:
        return compare(ground(random_system(seed)), None, pipes)
    symmetric = seed % 4 == 1
    system = ground(interleaved_system(seed, symmetric, properties=seed % 4 != 3))
    if seed % 4 == 3:
        system = replace(system, properties=(NoDeadlock(),))
    return compare(system, plan_of(system) if symmetric else None, pipes)


def plan_of(system: System) -> Plan | None:
    group = detect(system, system.properties).group
    return None if group.is_trivial else classify(layout_of(system), group)


@pytest.mark.parametrize("first", [0, pytest.param(FEW, marks=pytest.mark.soak)])
def test_random_systems(first: int, pipes: Pipes) -> None:
    saved = [compare_seed(seed, pipes) for seed in range(first, MANY if first else FEW)]
    assert sum(n >= 0 for n in saved) > len(saved) / 2
    assert any(n > 0 for n in saved)


IGNORING = """bool x;
active proctype P() { do :: x = !x od }
active proctype Q() { assert(false) }
"""


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_nothing_is_put_off_forever(workers: int, pipes: Pipes, tmp_path: Path) -> None:
    """P goes round alone unless one of its states is expanded in full, which only the owner of the next can tell."""
    (tmp_path / "ignoring.pml").write_text(IGNORING, encoding="ascii")
    found = prepared(tmp_path / "ignoring.pml", "off")
    assert found is not None
    pipes.workers = workers
    outcome = explore(found[0], found[0].properties, None, IN_PART, transport=pipes, settings=AT_ONCE)
    assert (outcome.verdict, outcome.por.used) == (Verdict.FAILS, True)
    assert outcome.message.endswith(LONGER)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_nothing_is_put_off_forever_where_states_name_values(workers: int, pipes: Pipes) -> None:
    """The same with a set of numbers without bounds: a state holds its name, its owner knows it by its value."""
    loop, done = Read("numbers"), Read("done")
    none, some = (Literal(frozenset(values), SetOf(Number())) for values in ((), (7,)))
    commands = (
        Command("turns", TRUE, (assign((loop, Condition(equal(loop, none), some, none))),)),
        Command("errs", equal(done, number(0)), (Require(FALSE, "bad"), assign((done, number(1))))),
    )
    variables = (Variable("numbers", SetOf(Number())), Variable("done", Number(0, 1)))
    system = System("values", (), variables, commands, properties=(Assertions(),))
    pipes.workers = workers
    outcome = explore(system, system.properties, None, IN_PART, transport=pipes, settings=AT_ONCE)
    assert (outcome.verdict, outcome.por.used) == (Verdict.FAILS, True)


@pytest.mark.soak
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_models(file: Path, pipes: Pipes) -> None:
    for symmetry in ("auto", "off"):
        if (found := prepared(file, symmetry)) is not None:
            compare(*found, pipes)
