"""MAX_OPERATIONS: so many moves of each operation are followed, whichever engine follows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult

TEXT = """MACHINE M VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0
OPERATIONS to(y) = PRE y : 0..9 THEN x := y END; up = PRE x < 9 THEN x := x + 1 END END"""
FAST = {"explicit": ({}, {"threads": 2}, {"search": "dfs"}), "reference": ({},)}


def ask(folder: Path, most: int, engine: str, asked: tuple[str, ...] = (), **search: object) -> CheckResult:
    path = folder / "M.mch"
    path.write_text(TEXT, encoding="utf-8")
    loaded = load(path, LoadOptions(preferences=(("MAX_OPERATIONS", str(most)),)))
    options = SearchOptions(**search)  # type: ignore[arg-type]
    return check(loaded, CheckOptions(engine=engine, properties=asked, search=options)).results[0]


@pytest.mark.parametrize(("engine", "search"), [(e, s) for e, ways in FAST.items() for s in ways])
def test_so_many_moves_of_each_operation(tmp_path: Path, engine: str, search: dict[str, object]) -> None:
    few, all_of_them = (ask(tmp_path, most, engine, **search) for most in (3, 10))
    assert few.outcome.verdict.value == "unknown"
    assert "to has more than 3 moves" in few.outcome.message
    assert few.outcome.statistics.transitions == 1 + 10 * 3 + 9
    assert all_of_them.outcome.verdict.value == "holds"
    assert all_of_them.outcome.statistics.transitions == 1 + 10 * 10 + 9


@pytest.mark.parametrize(("formula", "few"), [("G {x <= 9}", "unknown"), ("G {x = 0}", "fails")])
def test_a_formula_about_runs_that_were_not_all_followed(tmp_path: Path, formula: str, few: str) -> None:
    """A run that breaks a formula is one, whatever was left out."""
    assert ask(tmp_path, 3, "auto", (formula,)).outcome.verdict.value == few
    expected = "holds" if few == "unknown" else "fails"
    assert ask(tmp_path, 10, "auto", (formula,)).outcome.verdict.value == expected
