"""The memory limit counts states, values and remembered calls; forgetting calls changes no answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quorbit.engines.explicit.explore import explore
from quorbit.languages.options import LoadOptions
from quorbit.machine import run
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import System
from quorbit.pipeline.load import load
from quorbit.result.outcome import Outcome, Verdict

SUBSETS = """MACHINE subsets VARIABLES s, t INVARIANT s <: INTEGER & t <: INTEGER & card(s) < 99
INITIALISATION s := {{}} || t := {{}}
OPERATIONS
  add(k) = PRE k : 1..{n} & k * 1000 /: s THEN s := s \\/ {{k * 1000}} END;
  put(k) = PRE k : 1..{n} & k * 1000 /: t THEN t := t \\/ {{k * 1000}} END;
  drop(k) = PRE k : 1..{n} & k * 1000 : s THEN s := s - {{k * 1000}} END
END"""
PLAIN = SearchOptions(native=False)


def subsets(directory: Path, n: int) -> System:
    file = directory / "subsets.mch"
    file.write_text(SUBSETS.format(n=n), encoding="utf-8")
    return load(file, LoadOptions()).system


def counts(outcome: Outcome) -> tuple[object, ...]:
    s = outcome.statistics
    return outcome.verdict, s.states, s.transitions, s.levels, s.fired


@pytest.mark.parametrize("threads", [1, 2])
def test_values_and_calls_count(threads: int, tmp_path: Path) -> None:
    system, most = subsets(tmp_path, 12), (1 << 20) if threads == 1 else 4 << 20  # threads have buffers
    outcome = explore(system, system.properties, options=replace(PLAIN, memory=most, threads=threads))
    assert outcome.verdict is Verdict.UNKNOWN
    assert "memory limit" in outcome.message
    assert outcome.statistics.states > 100
    assert outcome.statistics.memory_bytes < 2 * most


@pytest.mark.parametrize("threads", [1, 2])
def test_calls_that_are_forgotten_are_asked_again(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = subsets(tmp_path, 6)
    plain = explore(system, system.properties, options=PLAIN)
    monkeypatch.setattr(run, "SHARE", 1 << 20)
    limited = explore(system, system.properties, options=replace(PLAIN, memory=1 << 28, threads=threads))
    assert counts(limited) == counts(plain)
