"""The explicit engine gives the reference engine's answers on random Systems."""

from __future__ import annotations

from dataclasses import replace

import pytest
from random_systems import random_system

from quorbit.engines.explicit.explore import explore
from quorbit.engines.reference.explore import explore as explore_plainly
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import Fault
from quorbit.model.system.expression import FALSE
from quorbit.model.system.system import System
from quorbit.result.outcome import Outcome
from quorbit.source.errors import UserError

LIMIT = 400


def answers(outcome: Outcome) -> tuple[object, ...]:
    s = outcome.statistics
    return outcome.verdict, s.states, s.transitions, s.levels, s.errors, s.fired


def compare(system: System) -> bool:
    """Whether there was something to compare."""
    options = SearchOptions(all_errors=True, max_states=LIMIT)
    try:
        plain = explore_plainly(system, system.properties, options=options)
    except Fault:
        return False  # an end condition without a value, which the reference engine does not catch
    try:
        fast = explore(system, system.properties, options=SearchOptions(all_errors=True, max_states=4 * LIMIT))
    except UserError:
        return False  # a set too large to lay out
    if plain.statistics.states > LIMIT or fast.message.startswith("a number does not fit"):
        return False
    assert answers(fast) == answers(plain)
    return True


def test_random_systems_agree() -> None:
    compared = sum(compare(random_system(seed)) for seed in range(60))
    assert compared > 50


def test_calls_through_transient_states_count_once() -> None:
    systems = [replace(random_system(seed), count_once=True) for seed in range(30)]
    assert sum(compare(system) for system in systems if system.transient != FALSE) > 2
    assert sum(compare(system) for system in systems[:8]) > 4


@pytest.mark.soak
def test_many_random_systems_agree() -> None:
    compared = sum(compare(random_system(seed)) for seed in range(60, 3000))
    assert compared > 2500


def test_first_error_agrees() -> None:
    for seed in range(40):
        system = random_system(seed)
        try:
            plain = explore_plainly(system, system.properties, options=SearchOptions(max_states=LIMIT))
            fast = explore(system, system.properties, options=SearchOptions(max_states=LIMIT))
        except (Fault, UserError):
            continue
        assert fast.verdict is plain.verdict
        if plain.trace is not None:
            assert fast.trace is not None
            assert abs(len(fast.trace.steps) - len(plain.trace.steps)) <= 1
