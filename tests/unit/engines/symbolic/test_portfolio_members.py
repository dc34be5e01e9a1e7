"""An answer about a circuit says which member of the portfolio found it, and what the others did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorbit.cli.main import main
from quorbit.engines.symbolic import portfolio
from quorbit.engines.symbolic.answers import SymbolicOptions, all_states
from quorbit.engines.symbolic.portfolio import Portfolio, Task, Way, work
from quorbit.engines.symbolic.reach import Clock
from quorbit.languages.circuits.load import lower_for, read_circuit
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
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


def test_a_glance_ends_by_what_it_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not by a time: who answers then counts orbits, not states."""
    monkeypatch.setattr(portfolio, "GLANCE_NODES", 10)
    (result,) = check(load(CACHE), CheckOptions(properties=("AG two=0",))).results
    glance, last = result.outcome.attempts
    assert (glance.member, glance.ended) == ("BDDs of the reachable states", "too many nodes for a glance")
    assert (last.member, last.ended) == ("orbits, one by one", "answered")


def test_an_engine_with_one_way_lists_no_members() -> None:
    (result,) = check(load(CACHE), CheckOptions(engine="explicit")).results
    assert (result.outcome.method, result.outcome.attempts) == ("", ())


def test_sat_may_wait_where_only_diagrams_can_answer(tmp_path: Path) -> None:
    """On all states properties come first that no SAT solver is for: an invariant may take all the time."""
    stated = tmp_path / "some.ctl"
    stated.write_text("AG two=0;\nAG EG two=0;\nAG AF two=0;\nAG !two=1;\n", encoding="utf-8")
    (system,) = lower_for(Path(CACHE), read_circuit(Path(CACHE), LoadOptions()), [stated], LoadOptions()).systems
    way = Way(9.0, "oxidd", False, 1 << 22, lambda model, clock: all_states(model))
    told: list[int] = []
    work(
        Task(None, system, [0, 1, 2, 3]),
        way,
        system.properties,
        SearchOptions(),
        SymbolicOptions(),
        lambda answer: told.append(answer[0]),
    )
    first = [k for k, p in enumerate(system.properties) if not portfolio.may_answer(system, p)]
    assert first
    assert 0 not in first
    assert list(dict.fromkeys(told))[: len(first)] == first


def test_many_properties_get_more_time_on_all_states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stated = tmp_path / "some.ctl"
    stated.write_text("AG EG two=0;\n" * 13, encoding="utf-8")
    (system,) = lower_for(Path(CACHE), read_circuit(Path(CACHE), LoadOptions()), [stated], LoadOptions()).systems
    given: list[float] = []

    def attempt(self: Portfolio, task: Task, way: Way, again: bool = False) -> None:
        if way.universe is not None and not way.by_clauses:
            given.append(way.seconds)

    monkeypatch.setattr(Portfolio, "attempt", attempt)
    monkeypatch.setattr(Portfolio, "answers", lambda self: [])
    Portfolio(system, system.properties, SearchOptions(), SymbolicOptions(stage="later"), Clock(), {}).run()
    assert given[0] == portfolio.EVERYWHERE_SECONDS + 6
