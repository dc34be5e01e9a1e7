"""``quorbit replay``: traces of check and simulate run again; others are refused in plain words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quorbit.cli.main import main

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "tests" / "models"
BROKEN = ROOT / "examples" / "broken_mutex.edges"


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main([*arguments, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, found


def saved_answer(capsys: pytest.CaptureFixture[str], tmp_path: Path, *arguments: str) -> tuple[Path, dict[str, Any]]:
    code, found = run_json(capsys, "check", *arguments, "--engine", "reference")
    assert code == 1
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(found), encoding="utf-8")
    return file, found


@pytest.mark.parametrize(
    "model",
    [
        BROKEN,
        MODELS / "promela" / "assert_fails.pml",
        MODELS / "promela" / "deadlock_two_locks.pml",
        MODELS / "promela" / "array_bounds.pml",
        MODELS / "b" / "goal.mch",
        ROOT / "examples" / "b" / "PhoneBookErr.mch",
    ],
    ids=lambda path: path.name,
)
def test_answers_of_check(capsys: pytest.CaptureFixture[str], tmp_path: Path, model: Path) -> None:
    file, answer = saved_answer(capsys, tmp_path, str(model))
    code, found = run_json(capsys, "replay", str(model), str(file))
    assert (code, found["replays"], found["changed"]) == (1, True, False)
    assert (found["property"], found["verdict"]) == (answer["property"], "fails")
    assert found["trace"][0]["state"] == answer["trace"][0]["state"]
    assert found["trace"][-1]["state"] == answer["trace"][-1]["state"]


def test_options_are_those_of_the_trace(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = ROOT / "examples" / "b" / "PhoneBookErr.mch"
    file, answer = saved_answer(capsys, tmp_path, str(model), "--set", "NAME=4")
    assert answer["replay"]["options"]["set_sizes"] == [["NAME", 4]]
    assert run_json(capsys, "replay", str(model), str(file))[0] == 1


def test_runs_of_simulate(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = str(tmp_path / "run.json")
    for model in (MODELS / "promela" / "alternating_bit.pml", ROOT / "examples" / "circuits" / "philosophers20.mv"):
        _, simulated = run_json(capsys, "simulate", str(model), "--steps", "12", "--trace", file)
        code, found = run_json(capsys, "replay", str(model), file)
        assert (code, found["steps"], found["verdict"]) == (0, 12, None)
        assert found["trace"] == simulated["trace"]


def test_printf_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model, file = tmp_path / "m.pml", str(tmp_path / "run.json")
    model.write_text('init { byte x = 4; printf("x is %d\\n", x) }', encoding="utf-8")
    main(["simulate", str(model), "--trace", file])
    capsys.readouterr()
    assert main(["replay", str(model), file]) == 0
    assert "\nx is 4\n" in capsys.readouterr().out


def test_a_model_that_was_mended(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text("byte x; init { x = 3; x = 4; assert(x < 3) }", encoding="utf-8")
    file, _ = saved_answer(capsys, tmp_path, str(model))
    model.write_text("byte x; init { x = 3; x = 4; assert(x < 9) }", encoding="utf-8")
    assert main(["replay", str(model), str(file)]) == 2
    message = capsys.readouterr().err
    assert "'assert(x < 3)'" in message
    assert "the model has changed since the trace was written" in message


def test_a_change_that_does_not_matter(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text("byte x; init { x = 3; assert(x < 3) }", encoding="utf-8")
    file, _ = saved_answer(capsys, tmp_path, str(model))
    model.write_text("/* better */ byte x; init { x = 3; assert(x < 3) }", encoding="utf-8")
    assert main(["replay", str(model), str(file)]) == 1
    assert "still a run of it" in capsys.readouterr().out


def change(found: dict[str, Any], what: str) -> None:
    steps = found["replay"]["steps"]
    match what:
        case "order":
            steps[0], steps[-1] = steps[-1], steps[0]
        case "command":
            steps[0][0]["command"] = 999
        case "label":
            steps[0][0]["label"] = "something else"
        case "binding":
            steps[0][0]["binding"] = [77]
        case "too many values":
            steps[0][0]["binding"] = [0, 0, 0, 0]
        case "start":
            found["replay"]["start"][0] = 1
        case "places":
            found["replay"]["start"].append(0)
        case "loop":
            found["replay"]["loop"] = 0
        case "no trace":
            found["replay"] = None
        case "version":
            found["replay"]["version"] = 7
        case "format":
            found["replay"]["format"] = "other"
        case "steps":
            found["replay"]["steps"] = 5
        case "value":
            found["replay"]["start"] = [None]
        case "option":
            found["replay"]["options"]["magic"] = 1


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("order", "cannot run where it stands"),
        ("command", "no command number 999"),
        ("label", "'something else'"),
        ("binding", "cannot run where it stands"),
        ("too many values", "cannot run where it stands"),
        ("start", "initial state"),
        ("places", "places"),
        ("loop", "does not come back"),
        ("no trace", "has no trace"),
        ("version", "version 7"),
        ("format", "not a saved trace"),
        ("steps", "should be a list"),
        ("value", "a value should be"),
        ("option", "magic is unknown"),
    ],
)
def test_traces_that_do_not_fit(capsys: pytest.CaptureFixture[str], tmp_path: Path, what: str, message: str) -> None:
    file, found = saved_answer(capsys, tmp_path, str(BROKEN))
    change(found, what)
    file.write_text(json.dumps(found), encoding="utf-8")
    code, answer = run_json(capsys, "replay", str(BROKEN), str(file))
    assert code == 2
    assert message in answer["error"]["message"]


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '"x"', "[" * 100_000, "\x00"])
def test_files_that_are_no_traces(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    file = tmp_path / "t.json"
    file.write_text(text, encoding="utf-8")
    code, answer = run_json(capsys, "replay", str(BROKEN), str(file))
    assert code == 2
    assert str(file) in answer["error"]["message"]


def test_trace_of_another_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, _ = saved_answer(capsys, tmp_path, str(BROKEN))
    assert main(["replay", str(ROOT / "examples" / "token_ring.edges"), str(file)]) == 2
    assert "is not a run of" in capsys.readouterr().err


PASSES = """byte x;
active proctype A() { assert(x == 1); x = 2; assert(x == 3); x = 5; x == 7 }
ltl small { [] (x < 5) }
ltl grows { <> (x == 9) }
"""


@pytest.mark.parametrize("asked", ["end states", "small", "grows", "AG (x != 5)"])
def test_a_run_past_assertions_that_nobody_asked_about(
    asked: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model = tmp_path / "m.pml"
    model.write_text(PASSES, encoding="utf-8")
    _, answer = run_json(capsys, "check", str(model), "--property", asked)
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(answer), encoding="utf-8")
    code, found = run_json(capsys, "replay", str(model), str(file))
    assert (code, found["replays"]) == (1, True)
    assert [step["state"] for step in found["trace"]] == [step["state"] for step in answer["trace"]]


def test_a_run_of_a_check_for_all_errors(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Each assertion has companions that go past it, so that commands behind it have other numbers in the search."""
    model = tmp_path / "m.pml"
    model.write_text("byte x; active proctype A() { assert(x < 9); x++; assert(x < 9); x++; assert(x == 1) }", "utf-8")
    file, answer = saved_answer(capsys, tmp_path, str(model), "--all-errors")
    assert [len(step) for step in answer["replay"]["steps"]] == [1] * 5
    code, found = run_json(capsys, "replay", str(model), str(file))
    assert (code, found["property"]) == (1, "assertions")
