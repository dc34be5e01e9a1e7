"""No answer is lost: a member of the portfolio that runs out of memory or time, or is killed, ends alone."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from quorbit.engines.symbolic import answers, portfolio
from quorbit.engines.symbolic.answers import SymbolicOptions, Tell, explain
from quorbit.engines.symbolic.ctlstar.check import Checker
from quorbit.engines.symbolic.explore import on_all_paths
from quorbit.engines.symbolic.model import Model, open_model
from quorbit.engines.symbolic.portfolio import Portfolio, check_isolated
from quorbit.engines.symbolic.reach import Clock, OutOfTurn, Reached
from quorbit.languages.circuits.load import lower_for, read_circuit
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.system.formula import AllPaths, Eventually, Truth
from quorbit.model.system.system import Property, System, Temporal
from quorbit.result.outcome import Outcome, Trace, Verdict
from quorbit.source.frozen import replace

pytest.importorskip("pysat")

COUNT = """module count(clk); input clk; reg [3:0] n; initial n = 0;
  always @(posedge clk) if (n == 9) n = 0; else n = n + 1;
endmodule
"""
WANTED = {"p.ctl:1": Verdict.HOLDS, "p.ctl:2": Verdict.FAILS, "p.ctl:3": Verdict.HOLDS}


@pytest.fixture
def system(tmp_path: Path) -> System:
    (tmp_path / "count.v").write_text(COUNT)
    (tmp_path / "p.ctl").write_text("AG(n[3:0]<=9);\nAG(n[3:0]<=8);\nAG(n[3:0]=9 -> AX n[3:0]=0);\n")
    (found,) = lower_for(
        tmp_path / "count.v", read_circuit(tmp_path / "count.v", LoadOptions()), [tmp_path / "p.ctl"], LoadOptions()
    ).systems
    return found


def outcomes(system: System, options: SearchOptions | None = None) -> dict[str, Outcome]:
    asked = [on_all_paths(p) for p in system.properties]
    options = options or SearchOptions()
    found = check_isolated(system, asked, options, SymbolicOptions(), Clock(options.timeout), {})
    return {outcome.property: outcome for outcome in found}


def verdicts(found: dict[str, Outcome]) -> dict[str, Verdict]:
    return {name: outcome.verdict for name, outcome in found.items()}


def after_the_first_answer(end: Callable[[], None]) -> Callable[..., list[Outcome]]:
    """A search of the reachable states that ends in some way once it has told that the first property holds."""

    def search(
        model: Model,
        properties: Sequence[Property],
        options: SearchOptions,
        symbolic: SymbolicOptions,
        clock: Clock,
        tell: Tell,
    ) -> list[Outcome]:
        if properties[0].name == "p.ctl:1":
            tell(0, Outcome(Verdict.HOLDS, "p.ctl:1", method="told before the end"))
        end()
        return []

    return search


def out_of_memory() -> None:
    raise MemoryError


def killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def never_done() -> None:
    while True:
        pass


def patient(attempt: Callable[..., None]) -> Callable[..., None]:
    """The SAT solver has time enough, also on a busy machine."""

    def longer(self: Portfolio, task: Any, way: Any, again: bool = False) -> None:
        attempt(self, task, replace(way, seconds=60.0) if way.by_clauses else way, again)

    return longer


@pytest.mark.parametrize("end", [out_of_memory, killed, never_done])
def test_what_a_member_told_stays_and_another_answers_the_rest(
    system: System, monkeypatch: pytest.MonkeyPatch, end: Callable[[], None]
) -> None:
    monkeypatch.setattr(portfolio, "FIRST_SECONDS", 0.5)
    monkeypatch.setattr(Portfolio, "attempt", patient(Portfolio.attempt))
    monkeypatch.setattr(portfolio, "answer_all", after_the_first_answer(end))
    found = outcomes(system)
    assert verdicts(found) == WANTED
    assert found["p.ctl:1"].method == "told before the end"
    assert all(found[name].method.startswith("SAT") for name in ("p.ctl:2", "p.ctl:3"))
    ended = {"out_of_memory": "out of memory", "killed": "out of memory", "never_done": "out of time"}[end.__name__]
    assert [attempt.ended for attempt in found["p.ctl:2"].attempts] == [ended, "answered"]


def test_at_the_time_limit_what_was_told_stays(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(portfolio, "answer_all", after_the_first_answer(never_done))
    found = outcomes(system, SearchOptions(timeout=3.0))
    assert found["p.ctl:1"].verdict is Verdict.HOLDS
    assert {found[name].message for name in WANTED if found[name].verdict is Verdict.UNKNOWN} <= {
        "the time limit of 3 s was reached"
    }


def never_true() -> Temporal:
    return Temporal("never true", AllPaths(Eventually(Truth(False))))


def slow_at_first(flag: Path) -> Callable[..., Trace | None]:
    """What shows a verdict takes forever the first time."""

    def search(*given: Any) -> Trace | None:
        if flag.exists():
            return explain(*given)
        flag.touch()
        never_done()
        return None

    return search


def test_a_verdict_stays_without_the_run_that_shows_it(
    tmp_path: Path, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "explain", lambda *given: never_done())
    formula = never_true()
    found = check_isolated(system, [formula], SearchOptions(timeout=2.0), SymbolicOptions(), Clock(2.0), {})
    said = f"the search by BDDs of the reachable states was completed; {answers.UNSHOWN}"
    assert (found[0].verdict, found[0].trace, found[0].message) == (Verdict.FAILS, None, said)


def test_the_run_that_shows_a_verdict_is_looked_for_again(
    tmp_path: Path, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(portfolio, "FIRST_SECONDS", 0.5)
    monkeypatch.setattr(answers, "explain", slow_at_first(tmp_path / "once"))
    formula = never_true()
    found = check_isolated(system, [formula], SearchOptions(), SymbolicOptions(), Clock(), {})
    assert found[0].verdict is Verdict.FAILS
    assert found[0].trace is not None


def test_a_formula_that_takes_long_does_not_keep_others_waiting(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first formula takes forever, step by step; the others are told all the same."""
    honest = answers.answer

    def slow(model: Model, reached: Reached, checker: Checker, p: Property, symbolic: SymbolicOptions) -> Any:
        while p.name == "p.ctl:1":
            checker.structure.clock.tick()
        return honest(model, reached, checker, p, symbolic)

    monkeypatch.setattr(answers, "answer", slow)
    told: dict[int, Verdict] = {}
    asked = [on_all_paths(p) for p in system.properties]
    with pytest.raises(OutOfTurn):
        answers.answer_all(
            open_model(system),
            asked,
            SearchOptions(),
            SymbolicOptions(),
            Clock().sooner(3.0),
            lambda k, outcome: told.update({k: outcome.verdict}),
        )
    assert told == {1: Verdict.FAILS, 2: Verdict.HOLDS}
