"""Run-time errors in odd places: real SPIN gives the verdict, and states and transitions where the model holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from promela_faulty_random import faulty_program
from spin_safety import QUICK, REFUSED, TOO_LONG, Answer, ask_spin, is_installed

from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult
from quorbit.source.errors import UserError

SOAK = 5000  # programs
FEW = (2013, 121, 5, 602, 966, 1773)  # each was answered wrongly once, or tells much
needs_spin = pytest.mark.skipif(not is_installed(), reason="spin or a C compiler is not installed")


def answered(path: Path, count_like: str, symmetry: str = "auto") -> CheckResult:
    limits = SearchOptions(timeout=60, native=False, all_errors=symmetry == "off")
    return check(load(path, LoadOptions(count_like=count_like)), CheckOptions(symmetry=symmetry, search=limits)).worst


def difference(path: Path, count_like: str, theirs: Answer) -> str:
    """What we say that SPIN does not say; "" where all is as it should be."""
    if theirs.verdict == TOO_LONG:
        return ""
    try:
        ours = answered(path, count_like, "off")
    except UserError as error:
        return "" if theirs.verdict == REFUSED else f"refused: {error}"
    if theirs.verdict == REFUSED:
        return ""  # SPIN calls it dubious to combine else with channels
    own = answered(path, "own").outcome.verdict.value
    statistics = ours.outcome.statistics
    found = Answer(ours.outcome.verdict.value, statistics.states, statistics.transitions)
    if found.verdict == "fails":
        found = Answer("fails")
    return "" if found == theirs and own == theirs.verdict else f"{found}, by default {own}, instead of {theirs}"


@needs_spin
@pytest.mark.parametrize("seed", [*FEW, *(pytest.param(k, marks=pytest.mark.soak) for k in range(SOAK))])
def test_the_same_errors_as_spin(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "faulty.pml"
    path.write_text(faulty_program(seed))
    count_like = "spin" if seed % 3 else "plain"
    if difference(path, count_like, ask_spin(path, tmp_path, count_like, QUICK)):
        assert not difference(path, count_like, ask_spin(path, tmp_path, count_like))
