"""An answer that takes long to put into words: the time limit holds, the verdict stands, the run is told in short."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quorbit.cli import interrupt
from quorbit.cli.answer import json_text
from quorbit.cli.commands import check_command
from quorbit.cli.main import main
from quorbit.report.record import CheckResults

COUNTER = "byte n; active proctype p() { do :: n < 200 -> n++ :: else -> assert(false) od }"
LIMIT, FOREVER = 5.0, 60.0  # seconds


def slow(told: Callable[..., Any]) -> Callable[..., Any]:
    """As a very long run is told: not within any time limit, unless it is told in short."""

    def tell(results: CheckResults, *rest: object) -> Any:
        end = time.monotonic() + FOREVER
        while results.worst.most_steps is None and time.monotonic() < end:
            time.sleep(0.01)
        return told(results, *rest)

    return tell


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(check_command, "checks_object", slow(check_command.checks_object))
    monkeypatch.setattr(check_command, "show_checks", slow(check_command.show_checks))
    monkeypatch.setattr(interrupt, "WORDING", 0.1)
    path = tmp_path / "counter.pml"
    path.write_text(COUNTER, encoding="utf-8")
    return str(path)


def test_a_run_that_takes_too_long_to_tell_is_told_in_short(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    assert main(["check", model, "--json", "--timeout", str(LIMIT)]) == 1
    assert time.monotonic() - began < FOREVER / 2
    found = json.loads(capsys.readouterr().out)
    assert found["verdict"] == "fails"
    assert found["trace_steps"] > 200
    assert len(found["trace"]) == 1 + check_command.IN_SHORT
    assert found["trace"][-2]["state"]["n"] == 200
    assert found["replay"] is None
    assert any("time ran out while it was written" in note for note in found["notes"])


def test_the_text_says_how_many_steps_are_left_out(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", model, "--timeout", str(LIMIT)]) == 1
    told = capsys.readouterr().out
    assert "FAILS: assertions" in told
    assert "steps are not shown" in told
    assert "time ran out while it was written" in told


def test_an_answer_in_pieces_is_the_same_answer() -> None:
    found = {"a": [{"trace": [{"x": [1, "é\n", None]}, {}], "b": {}}, []], "c": 1.5, "d": {"e": {"f": {"g": {"h": 1}}}}}
    assert json_text(found) == json.dumps(found)
