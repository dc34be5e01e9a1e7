"""Of a large circuit a SAT solver is asked first, or sets of states are looked at; what is left goes the usual way."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.engines.engine import Engine
from quorbit.engines.symbolic import portfolio
from quorbit.languages.options import LoadOptions
from quorbit.pipeline import orbits
from quorbit.pipeline.case import Case
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import Found, NotLookedFor
from quorbit.result.outcome import Outcome, Verdict

pytest.importorskip("pysat")

PING_PONG = Path(__file__).parents[3] / "examples" / "circuits" / "ping_pong.mv"
NEVER_BOTH, LIVE = "AG !(ball_a=1 * ball_b=1)", "AG EG ball_a=1"


def asked(*properties: str, symmetry: str = "auto") -> CheckOptions:
    return CheckOptions(properties=properties, symmetry=symmetry)


def ask_a_solver(monkeypatch: pytest.MonkeyPatch, *bounds: str) -> None:
    """Any circuit counts as larger than these, and as one with many places."""
    monkeypatch.setattr(portfolio, "FEW_PLACES", 0)
    for bound in bounds:
        monkeypatch.setattr(orbits, bound, 0)


@pytest.mark.parametrize("bounds", [("MIDDLE",), ("MIDDLE", "LARGE")])
def test_nobody_looks_for_symmetries_of_what_a_solver_answered(
    bounds: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask_a_solver(monkeypatch, *bounds)
    (result,) = check(load(PING_PONG, LoadOptions()), asked(NEVER_BOTH)).results
    assert result.outcome.verdict is Verdict.FAILS
    assert result.outcome.method.startswith("SAT, ")
    assert isinstance(result.symmetry, NotLookedFor)


@pytest.mark.parametrize("bounds", [("MIDDLE",), ("MIDDLE", "LARGE")])
def test_what_it_leaves_is_answered_as_usual(bounds: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    usual = check(load(PING_PONG, LoadOptions()), asked(NEVER_BOTH, LIVE)).results
    ask_a_solver(monkeypatch, *bounds)
    safe, live = check(load(PING_PONG, LoadOptions()), asked(NEVER_BOTH, LIVE)).results
    assert [safe.outcome.verdict, live.outcome.verdict] == [one.outcome.verdict for one in usual]
    assert safe.outcome.method.startswith("SAT, ")
    assert not live.outcome.method.startswith("SAT")
    assert isinstance(live.symmetry, Found)


def test_of_a_large_circuit_with_few_places_sets_of_states_are_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = check(load(PING_PONG, LoadOptions()), asked(NEVER_BOTH, LIVE)).results
    for bound in ("MIDDLE", "LARGE"):
        monkeypatch.setattr(orbits, bound, 0)
    found = check(load(PING_PONG, LoadOptions()), asked(NEVER_BOTH, LIVE)).results
    assert [one.outcome.verdict for one in found] == [one.outcome.verdict for one in usual]
    assert [one.states for one in found] == [one.states for one in usual]
    assert all(isinstance(one.symmetry, NotLookedFor) for one in found)


def test_a_small_circuit_tells_its_symmetries() -> None:
    (result,) = check(load(PING_PONG, LoadOptions()), asked(NEVER_BOTH)).results
    assert isinstance(result.symmetry, Found)


@pytest.mark.parametrize(
    ("large", "stages"),
    [(0, ["clauses", "glance", "sets", "later"]), (10**6, ["glance at clauses", "glance", "first", "later"])],
)
def test_after_a_moment_the_solver_has_its_usual_turns(
    large: int, stages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(orbits, "MIDDLE", 0)
    monkeypatch.setattr(orbits, "LARGE", large)
    monkeypatch.setattr(orbits, "has_few_choices", lambda system: False)
    seen = []

    def explore(engine: Engine, case: Case) -> list[Outcome]:
        seen.append(case.stage)
        return [Outcome(Verdict.UNKNOWN)]

    monkeypatch.setattr(orbits, "explore", explore)
    check(load(PING_PONG, LoadOptions()), asked(NEVER_BOTH))
    assert seen == stages
