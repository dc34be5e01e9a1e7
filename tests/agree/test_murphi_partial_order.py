"""Random Murphi programs, whose rules have branches, loops and procedures inside: with partial-order reduction every
verdict stays, with and without symmetry; both engines choose the same sets, and threads make no difference."""

from __future__ import annotations

from pathlib import Path

import pytest
from murphi_random import random_program, random_program_with_multisets

from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult
from quorbit.result.outcome import Verdict

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
    reduced, threads, both = (run(path, "off", "on"), run(path, "off", "on", threads=2), run(path, "auto", "on"))
    slow = run(path, "off", "on", engine="reference")
    assert {r.outcome.verdict for r in (reduced, threads, both, slow)} == {whole.outcome.verdict}
    if whole.outcome.verdict is Verdict.HOLDS:
        assert reduced.states == threads.states == slow.states <= whole.states


def run(path: Path, symmetry: str, por: str, engine: str = "explicit", threads: int = 1) -> CheckResult:
    search = SearchOptions(por=por, threads=threads, max_states=MOST)
    (result,) = check(load(path), CheckOptions(symmetry=symmetry, engine=engine, search=search)).results
    return result
