"""Steps of atomic sections written as one: the same states, in the same order, with the same counts of commands."""

from __future__ import annotations

import pytest

from quorbit.engines.explicit.explore import explore
from quorbit.languages.promela.lower.system import lower
from quorbit.languages.promela.parse.units import parse
from quorbit.machine.compile.lower import chains
from quorbit.machine.options import SearchOptions
from quorbit.machine.run import opened
from quorbit.model.system.system import System
from quorbit.result.outcome import Outcome
from quorbit.source.span import Source

STEPS = """byte x, y, z; byte a[3];
active [2] proctype P() {
  do
  :: d_step { x < 3 -> x++; y = x; z = (z + y) % 5; a[z % 3] = y; x = a[y % 3] }
  :: atomic { y > 0 -> y--; z = y; a[0] = z }
  :: atomic { z > 1; z--; if :: x > 0 -> x-- :: else -> y = 1 fi; a[1] = x }
  od
}"""
BROKEN = "byte x; active proctype P() { d_step { x++; x = x + 1; assert(x < 2); x = 0 } }"
BLOCKED = """byte x, y;
active proctype P() { d_step { x = 1; y = x; y++ }; atomic { x > 5; x = y } }
active proctype Q() { atomic { x == 1; d_step { y = 3; x = 7; x = y + x }; y > 5; x = 0 } }"""
ENDLESS = "byte x; active proctype P() { atomic { x = 1; again: x = 3 - x; x = x; goto again } }"


def searched(text: str, monkeypatch: pytest.MonkeyPatch, longest: int, **options: object) -> tuple[Outcome, int]:
    monkeypatch.setattr(chains, "LONGEST_CHAIN", longest)
    system = system_of(text)
    search = SearchOptions(native=False, por="off", **options)  # type: ignore[arg-type]
    with opened(system, system.properties, search) as run:
        count = len(run.program.chains)
    return explore(system, system.properties, options=search), count


def system_of(text: str) -> System:
    return lower(parse(Source("chains.pml", text))).system


@pytest.mark.parametrize("text", [STEPS, BROKEN, BLOCKED, ENDLESS])
@pytest.mark.parametrize("threads", [1, 2])
def test_chains_change_nothing_but_time(text: str, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, none = searched(text, monkeypatch, 1, threads=threads)
    chained, some = searched(text, monkeypatch, 64, threads=threads)
    assert none == 0
    assert some > 0
    assert chained.verdict == whole.verdict
    assert chained.trace == whole.trace
    a, b = whole.statistics, chained.statistics
    assert (a.states, a.transitions, a.levels) == (b.states, b.transitions, b.levels)
    assert a.fired == b.fired or text == ENDLESS  # where a way that never ends is given up is not said
