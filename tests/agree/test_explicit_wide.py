"""State numbers of 40 bits: the same states in the same order, also beyond number 2^32."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from benchmarks.models.systems import counters, mail, peterson
from random_systems import random_system

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.engines.explicit import explore as search
from quorbit.engines.explicit.explore import explore
from quorbit.groups.group import symmetric
from quorbit.machine import library, run
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import System
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError

PLAIN = SearchOptions(native=False, memory=1 << 30)
JUST_BELOW = 2**32 - 64  # a whole block of states, so that batches are the same; most numbers are beyond 2^32


def widen(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow: Callable[..., library.OptionsRecord] = run.options_record

    def wide(*given: Any) -> library.OptionsRecord:
        record = narrow(*given)
        record.wide = True
        return record

    monkeypatch.setattr(run, "options_record", wide)


def count_from(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """The first state gets this number."""
    usual = run.start

    def late(started: run.Run, words: list[int]) -> None:
        assert library.runtime().qb_count_from(started.engine, number)
        usual(started, words)

    monkeypatch.setattr(search, "start", late)
    monkeypatch.setattr(run, "can_squeeze", lambda _: False)


def told(outcome: Outcome) -> tuple[object, ...]:
    s = outcome.statistics
    steps = None if outcome.trace is None else outcome.trace.steps
    return outcome.verdict, s.states, s.transitions, s.levels, s.fired, s.errors, steps


def broken() -> System:
    system = peterson(4)
    commands = [replace(c, guard=c.guard.operands[0]) if c.label == "pass" else c for c in system.commands]  # type: ignore[union-attr]
    return replace(system, commands=tuple(commands))


OPTIONS = [
    PLAIN,
    replace(PLAIN, threads=2),
    replace(PLAIN, threads=3),
    replace(PLAIN, hash_compact=True),
    replace(PLAIN, hash_compact=True, threads=2),
    replace(PLAIN, no_parents=True),
]


@pytest.mark.parametrize("options", OPTIONS, ids=["one", "two", "three", "compact", "compact, two", "no parents"])
@pytest.mark.parametrize("system", [peterson(4), broken(), counters(5, 9)], ids=["holds", "fails", "many"])
def test_wide_numbers_change_nothing(monkeypatch: pytest.MonkeyPatch, system: System, options: SearchOptions) -> None:
    narrow = explore(system, system.properties, options=options)
    widen(monkeypatch)
    assert told(explore(system, system.properties, options=options)) == told(narrow)


def test_wide_numbers_of_representatives_and_squeezed_states(monkeypatch: pytest.MonkeyPatch) -> None:
    system = mail(4, 1)
    plan = classify(layout_of(system), symmetric(4))
    narrow = explore(system, system.properties, plan, options=PLAIN)
    widen(monkeypatch)
    assert told(explore(system, system.properties, plan, options=PLAIN)) == told(narrow)


def test_random_systems_with_wide_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for seed in range(30):
        try:
            found[seed] = told(explore(random_system(seed), random_system(seed).properties, options=PLAIN))
        except UserError:
            continue
    widen(monkeypatch)
    for seed, expected in found.items():
        assert told(explore(random_system(seed), random_system(seed).properties, options=PLAIN)) == expected
    assert len(found) > 20


@pytest.mark.parametrize("options", OPTIONS, ids=["one", "two", "three", "compact", "compact, two", "no parents"])
@pytest.mark.parametrize("system", [peterson(3), broken()], ids=["holds", "fails"])
def test_numbers_beyond_32_bits(monkeypatch: pytest.MonkeyPatch, system: System, options: SearchOptions) -> None:
    expected = explore(system, system.properties, options=options)
    count_from(monkeypatch, JUST_BELOW)
    # a limit that leaves room for so many states makes the store wide by itself
    beyond = explore(system, system.properties, options=replace(options, memory=1 << 42))
    assert beyond.statistics.states == JUST_BELOW + expected.statistics.states
    shown = replace(beyond, statistics=replace(beyond.statistics, states=expected.statistics.states))
    assert told(shown) == told(expected)


def test_plain_parents_stay_narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other orders have lists of 32-bit numbers: they never get a wide store, and the engine refuses to make one."""
    outcome = explore(peterson(3), (), options=replace(PLAIN, search="dfs", memory=1 << 42))
    assert outcome.verdict is Verdict.HOLDS
    widen(monkeypatch)
    with pytest.raises(UserError, match="cannot start"):
        explore(peterson(3), (), options=replace(PLAIN, search="dfs"))
