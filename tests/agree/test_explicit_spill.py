"""Searches on disk: the counts of a search in memory, in less memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.models.systems import counters, mail, peterson
from random_systems import random_system

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.engines.explicit.explore import explore
from quorbit.groups.group import Group
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import System
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError


def counts(outcome: Outcome) -> tuple[object, ...]:
    s = outcome.statistics
    return outcome.verdict, s.states, s.transitions, s.levels, s.fired, s.errors


@pytest.mark.parametrize("system", [peterson(4), mail(3, 2), counters(5, 5)], ids=["peterson", "mail", "counters"])
def test_the_same_counts_as_in_memory(tmp_path: Path, system: System) -> None:
    on_disk = explore(system, system.properties, options=SearchOptions(spill=str(tmp_path)))
    assert counts(on_disk) == counts(explore(system, system.properties))
    assert list(tmp_path.iterdir()) == []


def test_random_systems(tmp_path: Path) -> None:
    compared = 0
    for seed in range(25):
        system = random_system(seed)
        options = SearchOptions(all_errors=True)
        try:
            in_memory = explore(system, system.properties, options=options)
        except UserError:
            continue
        on_disk = explore(system, system.properties, options=replace(options, spill=str(tmp_path)))
        assert counts(on_disk) == counts(in_memory)
        compared += 1
    assert compared > 20


def test_less_memory_than_the_states_need(tmp_path: Path) -> None:
    system = counters(7, 7)  # 823543 states
    limit = 12 << 20
    assert "memory limit" in explore(system, (), options=SearchOptions(memory=limit)).message
    outcome = explore(system, (), options=SearchOptions(memory=limit, spill=str(tmp_path)))
    assert (outcome.verdict, outcome.statistics.states) == (Verdict.HOLDS, 7**7)
    assert outcome.statistics.memory_bytes <= limit


def test_a_trace_is_found_backwards(tmp_path: Path) -> None:
    system = peterson(3)
    commands = [replace(c, guard=c.guard.operands[0]) if c.label == "pass" else c for c in system.commands]  # type: ignore[union-attr]
    system = replace(system, commands=tuple(commands))
    layout = layout_of(system)
    plan = classify(layout, Group(3, ((1, 0, 2), (0, 2, 1))))
    in_memory = explore(system, system.properties)
    assert in_memory.trace is not None
    for chosen in (None, plan):
        outcome = explore(system, system.properties, chosen, layout, SearchOptions(spill=str(tmp_path)))
        assert outcome.verdict is Verdict.FAILS
        assert outcome.trace is not None
        assert len(outcome.trace.steps) == len(in_memory.trace.steps)


def test_what_cannot_be_combined_is_refused(tmp_path: Path) -> None:
    for options in (
        SearchOptions(spill=str(tmp_path), threads=2),
        SearchOptions(spill=str(tmp_path), checkpoint=str(tmp_path)),
    ):
        with pytest.raises(UserError, match="spill"):
            explore(counters(2, 2), (), options=options)
