"""Runs go on after assertions that fail when all errors are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

ALL = SearchOptions(all_errors=True)


def model(folder: Path, body: str) -> Path:
    path = folder / "m.pml"
    path.write_text(f"byte x;\nactive proctype P() {{ {body} }}\n")
    return path


@pytest.mark.parametrize("engine", ["explicit", "reference"])
def test_every_failing_assertion_of_a_step_is_counted(tmp_path: Path, engine: str) -> None:
    path = model(tmp_path, "atomic { x = 1; assert(x == 2); assert(x == 1); assert(x == 3) } x = 2; x = x + 1")
    outcome = check(load(path), CheckOptions(engine=engine, symmetry="off", search=ALL)).results[0].outcome
    assert (outcome.verdict.value, outcome.statistics.errors) == ("fails", 2)
    assert outcome.statistics.states == 4


def test_many_assertions_of_one_step_hide_no_state(tmp_path: Path) -> None:
    asserts = "; ".join(f"assert(x == {k})" for k in range(8))
    path = model(tmp_path, f"atomic {{ x = 1; {asserts} }} x = 2; x = x + 1")
    outcome = check(load(path), CheckOptions(symmetry="off", search=ALL)).results[0].outcome
    assert (outcome.verdict.value, outcome.statistics.states) == ("fails", 4)


def test_an_assertion_nobody_asks_about_hides_no_deadlock(tmp_path: Path) -> None:
    path = model(tmp_path, "assert(x == 1); x = 2; x == 3")
    assert check(load(path), CheckOptions(properties=("end states",))).results[0].outcome.verdict.value == "fails"
