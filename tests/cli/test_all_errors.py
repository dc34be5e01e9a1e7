"""``quorbit check --all-errors``: what is told of a search that goes on after errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quorbit.cli.main import main

MODEL = """byte n;
active [3] proctype p() {
    atomic { n < 4 -> n++ };
    assert(n != 2);
    n--;
    if :: n > 9 -> skip :: else fi
}
"""


def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    model = tmp_path / "m.pml"
    model.write_text(MODEL)
    assert main(["check", str(model), "--all-errors", "--json", *options]) == 1
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("engine", ["explicit", "reference", "cluster"])
def test_coverage_is_complete_although_something_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: str
) -> None:
    found = ask(tmp_path, capsys, "--engine", engine)
    assert found["coverage"]["complete"]
    assert [u["statement"] for u in found["coverage"]["unreached"]] == ["n > 9"]
    assert "more errors" not in found["message"]


@pytest.mark.parametrize("engine", ["explicit", "reference"])
def test_a_limit_that_may_hide_errors_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    found = ask(tmp_path, capsys, "--engine", engine, "--max-states", "6")
    assert not found["coverage"]["complete"]
    assert found["message"].endswith("there may be more errors: the limit of 6 states was reached")


def test_a_search_by_bits_is_never_complete(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not ask(tmp_path, capsys, "--bitstate", "1M")["coverage"]["complete"]


def test_a_statement_of_two_commands_is_counted_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command and the one that goes on where the assertion fails have one name and one place."""
    model = tmp_path / "m.pml"
    model.write_text("byte n; init { do :: n < 3 -> n++; assert(n < 9) :: n == 3 -> break od }")
    counts = []
    for options in ((), ("--all-errors",)):
        main(["check", str(model), "--coverage", *options])
        shown = capsys.readouterr().out.splitlines()
        counts.append(next(line.split()[1] for line in shown if "assert(n < 9)" in line))
    assert counts == ["3", "3"]


def test_receivers_of_one_send_are_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both commands of the send have its name and its place; each performs another receive too."""
    model = tmp_path / "m.pml"
    receivers = "active proctype R() { end: c?1; end2: c?0 } active proctype Q() { end: c?1 }"
    model.write_text(f"chan c = [0] of {{ bit }}; active proctype S() {{ c!1 }} {receivers}")
    main(["check", str(model), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert [u["statement"] for u in found["coverage"]["unreached"]] == ["c?0"]
