"""States stored without the bits that never change: the same search, in less memory."""

from __future__ import annotations

from dataclasses import replace

import pytest
from wide_models import late, steps, wide

from quorbit.engines.explicit.explore import explore
from quorbit.machine import run
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import System
from quorbit.result.outcome import Outcome

OPTIONS = SearchOptions(native=False, max_states=20_000)


def explore_whole(monkeypatch: pytest.MonkeyPatch, system: System, options: SearchOptions) -> Outcome:
    """The same search without squeezing."""
    with monkeypatch.context() as patched:
        patched.setattr(run, "can_squeeze", lambda _: False)
        return explore(system, system.properties, options=options)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("width", "steps", "fails"), [(1, 3000, False), (3, 700, False), (20, 60, True)])
def test_the_search_is_that_of_whole_states(
    monkeypatch: pytest.MonkeyPatch, width: int, steps: int, fails: bool, threads: int
) -> None:
    system = wide(width, steps, fails)
    squeezed = explore(system, system.properties, options=replace(OPTIONS, threads=threads))
    whole = explore_whole(monkeypatch, system, OPTIONS)
    assert squeezed.verdict == whole.verdict
    assert squeezed.trace == whole.trace
    assert (squeezed.trace is not None) == fails
    a, b = squeezed.statistics, whole.statistics
    assert (a.states, a.transitions, a.levels, a.fired) == (b.states, b.transitions, b.levels, b.fired)


def test_bits_that_never_change_take_no_memory() -> None:
    system = wide(60, 30)  # 60 * 40 bits
    statistics = explore(system, system.properties, options=OPTIONS).statistics
    assert statistics.states > 10_000
    assert statistics.memory_bytes / statistics.states < 150


@pytest.mark.parametrize("threads", [1, 2])
def test_bits_that_are_met_late_come_behind_the_others(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    """Beyond 65,536 states these keep their words."""
    system, options = late(9_000, 12_000), replace(OPTIONS, max_states=1_000_000, threads=threads)
    squeezed = explore(system, system.properties, options=options).statistics
    whole = explore_whole(monkeypatch, system, options).statistics
    assert squeezed.states > 70_000
    assert (squeezed.states, squeezed.levels, squeezed.fired) == (whole.states, whole.levels, whole.fired)
    assert 4 * squeezed.memory_bytes < 3 * whole.memory_bytes


def test_nor_do_they_with_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside mailboxes, which take about two megabytes."""
    system, options = wide(60, 40), replace(OPTIONS, threads=2, max_states=100_000)
    squeezed = explore(system, system.properties, options=options).statistics
    whole = explore_whole(monkeypatch, system, options).statistics
    assert (squeezed.states, squeezed.levels) == (whole.states, whole.levels)
    assert 3 * squeezed.memory_bytes < 2 * whole.memory_bytes


def test_few_different_words_are_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen numbers of 32 bits that have a handful of values: their words are numbered once there are many states."""
    system = steps(16, 5)
    options = SearchOptions(native=False, max_states=100_000)
    numbered = explore(system, (), options=options).statistics
    whole = explore_whole(monkeypatch, system, options).statistics
    assert (numbered.states, numbered.levels, numbered.fired) == (whole.states, whole.levels, whole.fired)
    assert 2 * numbered.memory_bytes < whole.memory_bytes
