"""``quorbit bench w07``: figures, pictures and Table 1, as text and as JSON; the other papers answer in JSON too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quorbit.cli.main import main


def bench(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["bench", *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_figures_and_pictures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = bench(capsys, "w07", "--only", "figures 8", "--svg", str(tmp_path), "--limit", "60")
    states = {row["scheme"]: [row[way]["states"] for way in ("plain", "standard", "adaptive")] for row in found["rows"]}
    assert states == {"n/2 classes of two": [1276, 321, 105], "two classes of n/2": [1888, 97, 81]}
    assert all(row[way]["states"] == row[way]["closed_form"] for row in found["rows"] for way in ("plain", "adaptive"))
    names = {f"w07-figure{k}-{side}.svg" for k in (3, 4) for side in ("left", "right")}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert "<svg" in (tmp_path / "w07-figure3-left.svg").read_text()


def test_table_1(capsys: pytest.CaptureFixture[str]) -> None:
    found = bench(capsys, "w07", "--only", "table k=2 m=2", "--limit", "60")
    assert [(row["states"], row["published_states"], row["closed_form"]) for row in found["rows"]] == [(789, 789, 789)]
    assert found["lines"][-1] == "2 of 2 comparisons with published numbers and closed forms agree."


def test_what_is_not_measured_in_time_is_left_open(capsys: pytest.CaptureFixture[str]) -> None:
    found = bench(capsys, "w07", "--only", "figures 18", "--limit", "0.01")
    assert any(row["plain"]["states"] is None for row in found["rows"])
    assert "not measured within the limit" in found["lines"][-1]


def test_unknown_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "w07", "--only", "nothing"]) == 2
    assert "no row is called nothing" in capsys.readouterr().err


def test_rows_of_other_papers(capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = bench(capsys, "dm05", "--only", "three-tiered")["rows"]
    assert (row["published"]["order"], row["measured"]["order"]) == (144, 144)
    rows = bench(capsys, "t07", "--only", "phonebook_err", "--limit", "60")["rows"]
    assert [row["card"] for row in rows] == [4, 5, 6]
    assert all(run["verdict"] == "fails" for row in rows for run in row["measured"])
