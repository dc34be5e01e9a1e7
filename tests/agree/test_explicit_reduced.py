"""Reduced runs: the counts of the reference engine for every strategy, and traces of the unreduced model."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from benchmarks.models.systems import counters, mail, peterson

from quorbit.canon.classify import STRATEGIES, classify
from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.engines.explicit.explore import explore
from quorbit.engines.reference.explore import explore as explore_plainly
from quorbit.groups.group import Group
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import System
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError


def symmetric(n: int) -> Group:
    swaps = []
    for a in range(n - 1):
        g = list(range(n))
        g[a], g[a + 1] = a + 1, a
        swaps.append(tuple(g))
    return Group(n, tuple(swaps))


def broken_peterson(n: int) -> System:
    system = peterson(n)
    commands = [replace(c, guard=c.guard.operands[0]) if c.label == "pass" else c for c in system.commands]  # type: ignore[union-attr]
    return replace(system, commands=tuple(commands))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_counts_agree_for_every_strategy(strategy: str) -> None:
    system = peterson(3)
    layout = layout_of(system)
    try:
        plan = classify(layout, symmetric(3), strategy)
    except UserError:
        pytest.fail("every strategy serves a symmetric group")
    fast = explore(system, system.properties, plan, layout)
    plain = explore_plainly(system, system.properties, reducer(layout, plan))
    a, b = fast.statistics, plain.statistics
    assert (a.states, a.transitions, a.levels) == (b.states, b.transitions, b.levels)
    if plan.exact:
        assert a.states == 148


@pytest.mark.parametrize(
    ("system", "n", "orbits"), [(peterson(4), 4, 1019), (peterson(5), 5, 6039), (mail(3, 2), 3, 36579)]
)
def test_known_numbers_of_orbits(system: System, n: int, orbits: int) -> None:
    layout = layout_of(system)
    for strategy in ("auto", "exact"):
        outcome = explore(system, system.properties, classify(layout, symmetric(n), strategy), layout)
        assert (outcome.verdict, outcome.statistics.states) == (Verdict.HOLDS, orbits)


def test_a_trace_of_a_reduced_run_is_a_run_of_the_model() -> None:
    system = broken_peterson(4)
    layout = layout_of(system)
    whole = explore(system, system.properties)
    assert whole.trace is not None
    for strategy in ("auto", "exact", "minimising", "local", "enumerate"):
        outcome = explore(system, system.properties, classify(layout, symmetric(4), strategy), layout)
        assert outcome.verdict is Verdict.FAILS
        assert outcome.trace is not None
        assert len(outcome.trace.steps) == len(whole.trace.steps)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_slow_strategy_is_stopped_within_a_state(threads: int) -> None:
    system = counters(10, 8)
    layout = layout_of(system)
    plan = classify(layout, symmetric(10), "chain")  # 3.6 million images of every state
    began = time.monotonic()
    outcome = explore(system, (), plan, layout, SearchOptions(timeout=0.3, threads=threads))
    assert (outcome.verdict, "time limit" in outcome.message) == (Verdict.UNKNOWN, True)
    assert time.monotonic() - began < 20  # whole, one state takes minutes
