"""Random Murphi programs, whose rules have branches, loops and procedures inside: with partial-order reduction every
verdict stays, with and without symmetry; both engines choose the same sets, and threads make no difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from murphi_random import random_program, random_program_with_multisets

from quorbit.machine.options import SearchOptions
from quorbit.model.dependence.footprint import Steps
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError

FEW, MANY = 5, 500
MOST = 3_000  # states


@pytest.mark.parametrize("seed", range(FEW))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(FEW, MANY))
def test_many_random_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)


def compare(seed: int, folder: Path) -> None:
    path = folder / "random.m"
    path.write_text((random_program, random_program_with_multisets)[seed % 2](seed))
    whole = run(path, "off", "off")
    if whole.outcome.verdict is Verdict.UNKNOWN:
        return
    try:
        reduced = run(path, "off", "on")
    except UserError as refused:
        if "has one command" in str(refused):
            return  # the others can never be used
        raise
    threads, both = run(path, "off", "on", threads=2), run(path, "auto", "on")
    slow = run(path, "off", "on", engine="reference")
    assert {r.outcome.verdict for r in (reduced, threads, both, slow)} == {whole.outcome.verdict}
    if whole.outcome.verdict is Verdict.HOLDS:
        assert reduced.states == threads.states == slow.states <= whole.states


def run(path: Path, symmetry: str, por: str, engine: str = "explicit", threads: int = 1) -> CheckResult:
    search = SearchOptions(por=por, threads=threads, max_states=MOST)
    (result,) = check(load(path), CheckOptions(symmetry=symmetry, engine=engine, search=search)).results
    return result


ORDER_MATTERS = """
var x, y : 0 .. 1; a, b : boolean;
startstate x := 0; y := 0; a := false; b := false; end;
rule "a" !a ==> begin a := true; if y = 0 then x := 1; end; end;
rule "b" !b ==> begin b := true; if x = 0 then y := 1; end; end;
rule "end" a & b ==> begin a := false; b := false; x := 0; y := 0; end;
invariant "a first" !(a & b & y = 1);
"""

LEFT_BY_STUTTERING_ONLY = """
var p, q : 0 .. 2;
startstate p := 0; q := 0; end;
rule "stay" begin if p = 2 then p := 2; end; end;
rule "p" p < 2 ==> begin p := p + 1; end;
rule "q" q < 2 ==> begin q := q + 1; end;
"""


def verdict(folder: Path, text: str, por: str, engine: str) -> Verdict:
    path = folder / "model.m"
    path.write_text(text)
    return run(path, "off", por, engine).outcome.verdict


@pytest.mark.parametrize("engine", ["explicit", "reference"])
@pytest.mark.parametrize("text", [ORDER_MATTERS, LEFT_BY_STUTTERING_ONLY], ids=["branches", "stuttering"])
def test_no_error_is_lost(text: str, engine: str, tmp_path: Path) -> None:
    assert verdict(tmp_path, text, "off", engine) is verdict(tmp_path, text, "on", engine) is Verdict.FAILS


def test_an_error_is_lost_if_branches_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Steps, "one_of", lambda steps, *ways: None)
    assert verdict(tmp_path, ORDER_MATTERS, "on", "explicit") is Verdict.HOLDS
