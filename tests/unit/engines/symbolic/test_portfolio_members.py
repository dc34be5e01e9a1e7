"""An answer about a circuit says which member of the portfolio found it, and what the others did."""

from __future__ import annotations

import json

import pytest

from quorbit.cli.main import main
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

CACHE = "examples/circuits/cache.v"


def test_the_text_names_the_member(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", CACHE, "--property", "AG two=0"]) == 0
    assert "  answered by BDDs of the reachable states\n" in capsys.readouterr().out


def test_json_lists_what_each_member_did(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quorbit.engines.symbolic.portfolio.FIRST_SECONDS", 0.0)
    monkeypatch.setattr("quorbit.engines.symbolic.portfolio.SMALL", 1 << 5)  # nodes: too few for any diagram
    assert main(["check", CACHE, "--property", "AG two=0", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "holds"
    *others, last = told["attempts"]
    assert [set(a) for a in told["attempts"]] == [{"member", "ended", "seconds"}] * len(told["attempts"])
    assert last["ended"] == "answered"
    assert others
    assert all(a["ended"] != "answered" for a in others)
    assert last["member"] in told["method"]


def test_an_engine_with_one_way_lists_no_members() -> None:
    (result,) = check(load(CACHE), CheckOptions(engine="explicit")).results
    assert (result.outcome.method, result.outcome.attempts) == ("", ())
