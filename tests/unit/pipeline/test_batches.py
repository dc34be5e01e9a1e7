"""Questions that one search answers, an engine that refuses late, and what an answer says about symmetry."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quorbit.engines.engine import Engine, Work
from quorbit.engines.explicit.engine import EXPLICIT
from quorbit.engines.registry import ENGINES
from quorbit.pipeline.batches import batches_of
from quorbit.pipeline.choose import choose
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import ask
from quorbit.pipeline.run import check
from quorbit.report.record import Found, NotLookedFor, Off
from quorbit.result.outcome import Outcome
from quorbit.source.errors import UserError

EXAMPLES = Path(__file__).parents[3] / "examples"
MUTEX = EXAMPLES / "mutex.edges"
CIRCUIT = EXAMPLES / "circuits" / "ping_pong.mv"
FORMULAS = str(EXAMPLES / "circuits" / "ping_pong.ctl")


def batch_numbers(path: Path, *properties: str) -> list[tuple[int, ...]]:
    questions = ask(load(path), CheckOptions(properties=properties))
    return [batch.numbers for batch in batches_of(questions, [choose(question) for question in questions])]


def test_questions_about_one_circuit_go_together_others_alone() -> None:
    assert batch_numbers(CIRCUIT, FORMULAS) == [(0, 1)]
    assert batch_numbers(MUTEX, "mutex", "deadlock") == [(0,), (1,)]


def test_answers_come_in_the_order_of_the_questions() -> None:
    results = check(CIRCUIT, CheckOptions(properties=(FORMULAS,))).results
    assert [result.asked for result in results] == ["ping_pong.ctl:5", "ping_pong.ctl:7"]
    assert all(isinstance(result.symmetry, Found) and result.symmetry.order == 2 for result in results)
    assert [result.to_json()["symmetry"]["strategy"] for result in results] == ["formulas", "none"]


def test_after_a_late_refusal_the_next_engine_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse_late(work: Work) -> list[Outcome]:
        raise UserError(None, "the explicit engine cannot run this model")

    engines: tuple[Engine, ...] = (replace(EXPLICIT, explore=refuse_late), *ENGINES[1:])
    monkeypatch.setattr("quorbit.pipeline.choose.ENGINES", engines)
    result = check(MUTEX).worst
    assert (result.outcome.engine, result.states) == ("reference", 7)
    monkeypatch.setattr("quorbit.pipeline.choose.ENGINES", engines[:1])
    with pytest.raises(UserError, match="cannot run this model"):
        check(MUTEX)


def test_what_an_answer_says_about_symmetry() -> None:
    off = check(MUTEX, CheckOptions(symmetry="off")).worst
    assert isinstance(off.symmetry, Off)
    assert (off.to_json()["symmetry"]["order"], off.seconds.detect) == ("1", pytest.approx(0, abs=1))
    unlooked = check(MUTEX, CheckOptions(engine="symbolic", quotient="off")).worst
    assert isinstance(unlooked.symmetry, NotLookedFor)
    assert (unlooked.to_json()["symmetry"]["order"], unlooked.symmetry.order) == (None, None)
    found = check(MUTEX).worst
    assert (found.to_json()["symmetry"]["order"], found.to_json()["symmetry"]["structure"]) == ("6", "S3")


def test_seconds_are_measured_where_they_are_spent() -> None:
    seconds = check(MUTEX, CheckOptions(engine="explicit")).worst.seconds
    assert min(seconds.parse, seconds.detect, seconds.classify, seconds.compile, seconds.explore) > 0
    assert seconds.total >= seconds.parse + seconds.detect + seconds.classify + seconds.compile
    assert check(MUTEX, CheckOptions(engine="reference")).worst.seconds.compile == 0
