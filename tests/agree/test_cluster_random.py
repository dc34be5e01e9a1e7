"""Random Systems, shared by three processes: the reference engine's answers, and the same trace for any number."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from random_systems import random_system
from tests.agree.cluster_cases import AT_ONCE, counts_of, told

from quorbit.engines.cluster.explore import explore
from quorbit.engines.cluster.pipes import Pipes
from quorbit.engines.reference.explore import explore as explore_plainly
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import Fault
from quorbit.model.system.system import System
from quorbit.source.errors import UserError

LIMIT = 300
FEW, MANY = 20, 1000


@pytest.fixture(scope="module")
def pipes() -> Iterator[Pipes]:
    transport = Pipes(3)
    yield transport
    transport.close()


def compare(system: System, pipes: Pipes) -> bool:
    """Whether there was something to compare."""
    options, generous = SearchOptions(all_errors=True, max_states=LIMIT), SearchOptions(all_errors=True, native=False)
    try:
        plain = explore_plainly(system, system.properties, options=options)
    except Fault:
        return False  # an end condition without a value, which the reference engine does not catch
    if plain.statistics.states > LIMIT:
        return False
    try:
        shared = explore(system, system.properties, None, generous, transport=pipes, settings=AT_ONCE)
    except UserError:
        return False  # a set too large to lay out
    if shared.message.startswith("a number beyond"):
        return False
    assert counts_of(shared) == counts_of(plain)
    assert told(shared)[:3] == told(plain)[:3]
    return True


@pytest.mark.parametrize("first", [0, pytest.param(FEW, marks=pytest.mark.soak)])
def test_random_systems_agree(first: int, pipes: Pipes) -> None:
    seeds = range(first, MANY if first else FEW)
    pipes.workers = 3
    assert sum(compare(random_system(seed), pipes) for seed in seeds) > 0.7 * len(seeds)


def test_the_first_error_is_the_same_for_any_number_of_workers(pipes: Pipes) -> None:
    options, compared = SearchOptions(native=False, max_states=LIMIT), 0
    for seed in range(12):
        system = random_system(seed)
        found = []
        for pipes.workers in (1, 2, 3):
            try:
                found.append(explore(system, system.properties, None, options, transport=pipes, settings=AT_ONCE))
            except UserError:
                continue
        assert all(told(outcome) == told(found[0]) for outcome in found)
        assert all(outcome.trace == found[0].trace for outcome in found)
        compared += any(outcome.trace is not None for outcome in found)
    assert compared > 3
