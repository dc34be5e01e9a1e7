"""``--trail``: what is written for SPIN, and where it is refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from quorbit.cli import trail_file
from quorbit.cli.main import main
from quorbit.languages.promela import trail

ROOT = Path(__file__).parents[2]
FAILING = "byte x; proctype P(byte n) { x = n } init { atomic { run P(3); run P(4) }; x > 0; assert(x < 4) }"
NUMBERS = {"P:1": 0, "P:2": 1, ":init::1": 2, ":init::2": 3, ":init::4": 5, ":init::5": 6, ":init::6": 7}


@pytest.fixture
def spin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A spin that is there and numbers the statements of FAILING."""
    monkeypatch.setattr(trail_file, "which", lambda name: name)
    monkeypatch.setattr(trail, "statement_ids", lambda path, options: NUMBERS)


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    path = tmp_path / "m.pml"
    path.write_text(FAILING, encoding="utf-8")
    return path


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main([*arguments, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, found


def test_check_writes_single_statements(capsys: pytest.CaptureFixture[str], failing: Path, spin: None) -> None:
    file = failing.with_suffix(".trail")
    code, found = run_json(capsys, "check", str(failing), "--trail", str(file), "--engine", "reference")
    assert code == 1
    assert found["notes"][-1] == f"the trail was written to {file}, for spin -t -p"
    lines = [line.split(":") for line in file.read_text(encoding="utf-8").splitlines()]
    assert [int(k) for k, _, _ in lines] == list(range(1, len(lines) + 1))
    assert lines[0][1:] == ["0", "2"]
    assert lines[1][1:] == ["0", "3"]
    assert ["2", "0"] in [line[1:] for line in lines]  # process 2 sets x to 4
    assert lines[-1][1:] == ["0", "6"]


def test_replay_writes_it_too(capsys: pytest.CaptureFixture[str], failing: Path, spin: None, tmp_path: Path) -> None:
    answer, file = tmp_path / "a.json", tmp_path / "t"
    answer.write_text(json.dumps(run_json(capsys, "check", str(failing), "--engine", "reference")[1]), encoding="utf-8")
    assert main(["replay", str(failing), str(answer), "--trail", str(file)]) == 1
    assert file.read_text(encoding="utf-8").endswith(":0:6\n")


def test_nothing_to_write(capsys: pytest.CaptureFixture[str], spin: None, tmp_path: Path) -> None:
    model, file = tmp_path / "m.pml", tmp_path / "t"
    model.write_text("init { skip }", encoding="utf-8")
    code, found = run_json(capsys, "check", str(model), "--trail", str(file), "--engine", "reference")
    assert (code, found["notes"][-1]) == (0, "no trail was written: nothing fails")
    assert not file.exists()


def test_a_run_without_end(capsys: pytest.CaptureFixture[str], spin: None, tmp_path: Path) -> None:
    model, file = tmp_path / "m.pml", tmp_path / "t"
    model.write_text("byte x; active proctype P() { do :: x = 1 - x od } ltl p { <> (x == 3) }", encoding="utf-8")
    code, found = run_json(capsys, "check", str(model), "--property", "p", "--trail", str(file))
    assert code == 1
    assert "an infinite run" in found["notes"][-1]
    assert not file.exists()


def test_refusals(capsys: pytest.CaptureFixture[str], failing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, found = run_json(capsys, "check", str(ROOT / "examples" / "mutex.edges"), "--trail", "t")
    assert (code, "edge diagrams" in found["error"]["message"]) == (2, True)
    monkeypatch.setattr(trail_file, "which", lambda name: None)
    code, found = run_json(capsys, "check", str(failing), "--trail", "t")
    assert (code, "not installed" in found["error"]["message"]) == (2, True)


def test_spin_agrees_with_these_numbers(failing: Path) -> None:
    """Where spin is installed, it calls the statements what the tests above say."""
    try:
        subprocess.run(["spin", "-V"], capture_output=True, check=False)
    except OSError:
        return
    found = trail.statement_ids(failing, trail.LoadOptions(stepwise=True))
    assert NUMBERS.items() <= found.items()
