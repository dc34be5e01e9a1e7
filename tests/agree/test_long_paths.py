"""Long paths are lifted by the engine: the runs are those of the model, as if its meaning had lifted them."""

from __future__ import annotations

from pathlib import Path

import pytest

import quorbit
from quorbit.engines import follow
from quorbit.engines.replay import check as replay
from quorbit.machine.path import Path as StoredPath
from quorbit.machine.path import path_in_memory
from quorbit.machine.run import Run
from quorbit.model.meaning.evaluate import Meaning, Violation
from quorbit.pipeline.tell import TOLD_AS_SEARCHED
from quorbit.report.text import Paint, show_check
from quorbit.result.outcome import Trace

COUNTERS = """
byte a, b, c;
active proctype P() {
  do
  :: c < 250 -> c++
  :: c == 250 && b < 250 -> c = 0; b++
  :: c == 250 && b == 250 && a < LAST -> c = 0; b = 0; a++
  :: a == LAST && b == 240 && c > 200 -> assert(false)
  od
}
"""
WORKERS = """
byte c, d;
chan q = [2] of { byte };
proctype P(byte me) {
  byte k;
  do
  :: atomic { c < 20 -> c++; k = c; q!k; q?k }
  :: atomic { c == 20 && d < MOST -> c = 0; d++ }
  :: d == MOST && c == 19 -> assert(k != 19)
  od
}
init { atomic { run P(1); run P(2); run P(3) } }
"""
DEEP = quorbit.SearchOptions(search="dfs")


def fail(path: Path, text: str, symmetry: str = "auto", **defines: int) -> quorbit.CheckResult:
    path.write_text(text, encoding="utf-8")
    options = quorbit.LoadOptions(defines=tuple((name, str(value)) for name, value in defines.items()))
    model = quorbit.load(path, options)
    result = quorbit.check(model, quorbit.CheckOptions(search=DEEP, symmetry=symmetry)).worst
    assert result.verdict == "fails"
    return result


@pytest.mark.parametrize("symmetry", ["auto", "off"])
def test_the_run_replays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, symmetry: str) -> None:
    monkeypatch.setattr(follow, "LONG", 0)
    followed = fail(tmp_path / "m.pml", WORKERS, symmetry, MOST=3)
    monkeypatch.setattr(follow, "LONG", 10**9)
    lifted = fail(tmp_path / "m.pml", WORKERS, symmetry, MOST=3)
    for result in (followed, lifted):
        trace = result.outcome.trace
        assert trace is not None
        replay(Meaning(result.system), Trace(trace.start, tuple(trace.steps)), Violation("assertions", ""))
    assert followed.outcome.trace is not None
    assert lifted.outcome.trace is not None
    assert len(followed.outcome.trace.steps) == len(lifted.outcome.trace.steps) > 80
    assert followed.outcome.message == lifted.outcome.message


def test_a_million_steps(tmp_path: Path) -> None:
    result = fail(tmp_path / "m.pml", COUNTERS, LAST=7)
    trace = result.outcome.trace
    assert trace is not None
    assert len(trace.steps) > 1_000_000
    assert TOLD_AS_SEARCHED in result.notes
    told = result.to_json()
    assert told["trace_steps"] == len(trace.steps)
    assert len(told["trace"]) == 10_001
    assert told["replay"] is None
    assert "steps are not shown" in show_check(result, Paint())


def test_a_path_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine does not follow what the model does not do."""
    whole = path_in_memory
    monkeypatch.setattr(follow, "LONG", 0)

    def torn(run: Run, state: int) -> StoredPath:
        path = whole(run, state)
        return StoredPath(path.words[: 2 * path.width] + path.words[4 * path.width :], path.width)

    monkeypatch.setattr("quorbit.machine.findings.path_in_memory", torn)
    path = tmp_path / "m.pml"
    path.write_text(WORKERS.replace("MOST", "3"), encoding="utf-8")
    result = quorbit.check(path, quorbit.CheckOptions(search=DEEP)).worst
    assert result.verdict == "unknown"
    assert "internal error" in result.outcome.message
