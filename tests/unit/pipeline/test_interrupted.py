"""What is known when a run is left stays known, wherever that happens."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quorbit.machine.options import SearchOptions
from quorbit.pipeline import run, tell
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.interrupted import Interrupted
from quorbit.source.time_limit import TimeIsUp, left_to_signals, time_limit

MODEL = """byte x; active [2] proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
ltl never_two { [] (x != 2) }
ltl small { [] (x < 9) }
"""
PROPERTIES = ("never_two", "small")


def once(number: int, function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which is interrupted when it is called for the nth time."""
    calls: list[int] = []

    def called(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == number:
            raise Interrupted("time is up")
        return function(*arguments)

    return called


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.pml"
    path.write_text(MODEL)
    return path


def asked(model: Path) -> list[tuple[str, str, str]]:
    results = check(model, CheckOptions(properties=PROPERTIES)).results
    return [(result.asked, result.verdict, result.outcome.message) for result in results]


def test_an_answer_that_is_being_told(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tell, "with_doubt", once(1, tell.with_doubt))
    assert [verdict for _, verdict, _ in asked(model)] == ["fails", "holds"]


def test_the_moment_between_two_answers(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "answer", once(2, run.answer))
    first, second = asked(model)
    assert first[:2] == ("never_two", "fails")
    assert second == ("small", "unknown", "time is up")


def test_the_moment_before_the_first_answer(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "batches_of", once(1, run.batches_of))
    assert asked(model) == [(name, "unknown", "time is up") for name in PROPERTIES]


def last(seconds: float) -> None:
    with time_limit(0.0):
        for _ in range(int(seconds / 0.01)):
            time.sleep(0.01)


def test_a_time_limit_is_left_to_signals() -> None:
    with left_to_signals():
        last(0.8)
    with pytest.raises(TimeIsUp):
        last(5.0)


def test_the_limit_of_one_run_is_none_of_the_next(model: Path) -> None:
    check(model, CheckOptions(search=SearchOptions(timeout=0.3)))
    time.sleep(0.9)
    assert check(model).verdict == "fails"


def test_questions_that_stay_open_together_took_one_time(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "answer", once(1, run.answer))
    results = check(model, CheckOptions(properties=PROPERTIES)).results
    assert [result.verdict for result in results] == ["unknown", "unknown"]
    assert len({result.seconds.total for result in results}) == 1  # else the time of the run would be their sum
