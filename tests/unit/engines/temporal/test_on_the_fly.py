"""Searches that end at the first accepting cycle, and those that go deep through many states."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.engines.temporal import compiled_search
from quorbit.engines.temporal import explore as temporal
from quorbit.engines.temporal.compiled_space import explored_space
from quorbit.engines.temporal.space import SpaceSource
from quorbit.engines.temporal.stored import stored_space
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult

COUNTERS = """byte sum = 0;
active [{n}] proctype P() {{
  byte x = 0;
  do
  :: x < 9 -> atomic {{ x++; sum++ }}
  :: x == 9 -> atomic {{ x = 0; sum = sum - 9 }}
  od
}}
ltl low {{ <>[] (sum < 5) }}
ltl zero {{ []<> (sum == 0) }}
ltl bounded {{ [] (sum <= 54) }}
ltl moves {{ [] (sum == 1 -> (sum >= 0 W sum == 5)) }}
"""


def ask(tmp_path: Path, n: int, name: str, symmetry: str = "off", fairness: str = "none") -> CheckResult:
    path = tmp_path / "counters.pml"
    path.write_text(COUNTERS.format(n=n))
    options = CheckOptions((name,), symmetry, search=SearchOptions(fairness=fairness, max_states=40_000))
    (result,) = check(load(path), options).results
    return result


@pytest.mark.parametrize("fairness", ["none", "weak", "strong"])
def test_a_failing_formula_is_answered_early(tmp_path: Path, fairness: str) -> None:
    assert ask(tmp_path, 6, "low", fairness=fairness).verdict == "fails"  # of a million states


def test_a_limit_leaves_the_answer_open(tmp_path: Path) -> None:
    assert ask(tmp_path, 6, "bounded").verdict == "unknown"


@pytest.mark.parametrize("name", ["low", "zero", "bounded", "moves"])
@pytest.mark.parametrize("fairness", ["none", "weak", "strong"])
@pytest.mark.parametrize("symmetry", ["auto", "off"])
def test_the_two_searches_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, fairness: str, symmetry: str
) -> None:
    in_turn = ask(tmp_path, 3, name, symmetry, fairness)
    with monkeypatch.context() as patched:
        patched.setattr(compiled_search, "FIRST_ROUND", 1 << 40)
        wide = ask(tmp_path, 3, name, symmetry, fairness)
    monkeypatch.setattr(compiled_search, "FIRST_ROUND", 1)
    monkeypatch.setattr(compiled_search, "nodes_for", lambda _size: 1 << 40)
    deep = ask(tmp_path, 3, name, symmetry, fairness)
    expected = {"bounded": "holds", "moves": "holds"}.get(name, "fails")
    assert (in_turn.verdict, wide.verdict, deep.verdict) == (expected, expected, expected)


@pytest.mark.parametrize(("formula", "steps"), [("[] !(sum == 3)", 6), ("[] (sum == 1 -> X (sum != 2))", 4)])
@pytest.mark.parametrize("symmetry", ["auto", "off"])
def test_a_safety_formula_has_a_counterexample_that_ends(
    tmp_path: Path, formula: str, steps: int, symmetry: str
) -> None:
    path = tmp_path / "counters.pml"
    path.write_text(COUNTERS.format(n=2) + f"ltl safe {{ {formula} }}\n")
    (result,) = check(load(path), CheckOptions(("safe",), symmetry)).results
    trace = result.outcome.trace
    assert trace is not None
    assert (result.verdict, trace.loop, len(trace.steps)) == ("fails", None, steps)
    assert "whatever follows" in result.outcome.message
    (result,) = check(load(path), CheckOptions(("safe",), search=SearchOptions(fairness="weak"))).results
    assert result.outcome.trace is not None
    assert result.outcome.trace.loop is not None  # a fair run is shown whole


def test_runs_that_end_are_fair(tmp_path: Path) -> None:
    """SPIN 6.5.2 with -f overlooks the run that ends in 3: by it both of these hold, and yet <>(x == 7) fails."""
    path = tmp_path / "ends.pml"
    path.write_text(
        "byte x = 0;\nactive proctype A() { x = 1; if :: x = 3 :: x = 7 fi }\n"
        "ltl seven { <>[] (x == 7) }\nltl not_three { <>[] (x != 3) }\n"
    )
    for name in ("seven", "not_three"):
        options = CheckOptions((name,), search=SearchOptions(fairness="weak"))
        (result,) = check(load(path), options).results
        assert result.verdict == "fails"


@pytest.mark.parametrize("count", [3, 7, 40])
def test_every_state_is_met_whatever_its_length(tmp_path: Path, count: int) -> None:
    """Squeezed states may end in the middle of a word; the graph has to find them again where they are kept."""
    free = min(count, 8)
    flips = " ".join(f":: a[{k}] = 1 - a[{k}]" for k in range(free)) + f" :: a[{count - 1}] = 0"
    all_set = " && ".join(f"a[{k}] == 1" for k in range(free - 1))
    path = tmp_path / "flips.pml"
    path.write_text(
        f"int a[{count}]; active proctype p() {{ do {flips} od }}\n"
        f"ltl small {{ [] (a[0] < 2) }}\nltl never {{ [] !({all_set}) }}\n"
    )
    small, never = check(load(path), CheckOptions(("small", "never"), "off")).results
    assert small.outcome.statistics.states == 2**free
    assert (small.verdict, never.verdict) == ("holds", "fails")


FAULTY = """byte a[2], i, ready;
active proctype P() { ready = 1; i = 1; i = 2; a[i] = 1 }
ltl decided { <> (ready == 1) }
ltl open { [] (a[0] == 0) }
"""


@pytest.mark.parametrize(("name", "verdict"), [("decided", "holds"), ("open", "fails")])
@pytest.mark.parametrize("por", ["off", "on"])
@pytest.mark.parametrize("source", [explored_space, stored_space])
def test_an_error_counts_on_runs_where_the_formula_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, verdict: str, por: str, source: SpaceSource
) -> None:
    """SPIN 6.5.2 says the same: no errors for `decided`, an invalid array index for `open`."""
    monkeypatch.setattr(temporal, "explored_space", source)
    path = tmp_path / "faulty.pml"
    path.write_text(FAULTY)
    (result,) = check(load(path), CheckOptions((name,), search=SearchOptions(por=por))).results
    assert result.verdict == verdict


def test_any_error_fails_a_formula_about_all_states(tmp_path: Path) -> None:
    path = tmp_path / "faulty.pml"
    path.write_text(FAULTY)
    (result,) = check(load(path), CheckOptions(("AF (ready == 1)",))).results
    assert result.verdict == "fails"
