"""Parents of states: in two bits for each they are those that 32 bits tell, and without them traces stay the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from benchmarks.models.systems import counters, mail, peterson
from random_systems import random_system

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.engines.explicit.explore import drive, explore
from quorbit.groups.group import symmetric
from quorbit.machine import library
from quorbit.machine.options import SearchOptions
from quorbit.machine.run import ask, initial_words, opened, start
from quorbit.model.system.system import System
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError

PLAIN = SearchOptions(native=False)
BARE = replace(PLAIN, no_parents=True)


def parents(system: System, options: SearchOptions, own_store: bool, begun: list[int] | None = None) -> list[int]:
    with opened(system, (), options, own_store=own_store) as run:
        start(run, begun or initial_words(run))
        drive(run)
        return [library.runtime().qb_parent(run.engine, k) for k in range(ask(run).states)]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("system", [peterson(4), mail(3, 2), counters(4, 9)], ids=["peterson", "mail", "counters"])
def test_two_bits_tell_what_32_tell(system: System, threads: int) -> None:
    options = replace(PLAIN, threads=threads)
    told = parents(system, options, own_store=True)
    assert told == parents(system, options, own_store=False)
    assert told.count(library.NO_PARENT) == 1


def words_of(system: System, states: tuple[int, ...]) -> list[int]:
    with opened(system, (), PLAIN) as run:
        start(run, initial_words(run))
        drive(run)
        words = (library.u64 * run.layout.words)()
        found = []
        for k in states:
            assert library.runtime().qb_state(run.engine, k, words)
            found += list(words)
        return found


def test_several_initial_states_have_no_parents() -> None:
    system = peterson(3)
    begun = words_of(system, (0, 17, 40, 300))
    told = parents(system, PLAIN, own_store=True, begun=begun)
    assert told == parents(system, PLAIN, own_store=False, begun=begun)
    assert [k for k, parent in enumerate(told) if parent == library.NO_PARENT] == [0, 1, 2, 3]


def broken(n: int) -> System:
    """Peterson's protocol whose processes do not look at the others."""
    system = peterson(n)
    commands = [replace(c, guard=c.guard.operands[0]) if c.label == "pass" else c for c in system.commands]  # type: ignore[union-attr]
    return replace(system, commands=tuple(commands))


def steps(outcome: Outcome) -> tuple[object, ...]:
    assert outcome.trace is not None
    return outcome.verdict, outcome.trace.steps, outcome.statistics.states, outcome.statistics.transitions


@pytest.mark.parametrize("threads", [1, 2])
def test_without_parents_the_trace_is_the_same(threads: int) -> None:
    system, options = broken(4), replace(PLAIN, threads=threads)
    told = explore(system, system.properties, options=options)
    bare = explore(system, system.properties, options=replace(options, no_parents=True))
    assert told.verdict is Verdict.FAILS
    assert steps(bare) == steps(told)


def test_without_parents_among_representatives() -> None:
    system = broken(4)
    plan = classify(layout_of(system), symmetric(4))
    told, bare = (explore(system, system.properties, plan, options=options) for options in (PLAIN, BARE))
    assert steps(bare) == steps(told)


def test_without_parents_by_partial_order() -> None:
    system = broken(3)
    outcome = explore(system, system.properties, options=replace(BARE, por="on"))
    assert outcome.verdict is Verdict.FAILS
    assert outcome.trace is not None


def test_random_traces_without_parents() -> None:
    failing = 0
    for seed in range(60):
        system = random_system(seed)
        try:
            told = explore(system, system.properties, options=PLAIN)
        except UserError:
            continue
        bare = explore(system, system.properties, options=BARE)
        assert (bare.verdict, bare.statistics.states) == (told.verdict, told.statistics.states)
        if told.trace is not None:
            assert steps(bare) == steps(told)
            failing += 1
    assert failing > 10


def test_parents_take_about_a_quarter_of_a_byte() -> None:
    system = counters(5, 8)
    told, bare = (explore(system, (), options=options).statistics for options in (PLAIN, BARE))
    assert told.states == bare.states == 8**5
    assert 0.2 < (told.memory_bytes - bare.memory_bytes) / told.states < 0.3


@pytest.mark.parametrize(
    "options",
    [
        replace(BARE, hash_compact=True),
        replace(BARE, bitstate=1 << 20),
        replace(BARE, checkpoint="d"),
        replace(BARE, resume="d"),
        replace(BARE, search="dfs"),
    ],
)
def test_what_needs_parents_is_refused(options: SearchOptions) -> None:
    with pytest.raises(UserError, match="cannot combine --no-parents with"):
        explore(peterson(2), (), options=options)
