"""Temporal properties end to end: soundness of the quotient, stuttering, fairness, limits, faults."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.engines.temporal.explore import explore
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.formulas import formulas
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult
from quorbit.source.errors import UserError

MUTEX = """
processes {n}
states N, T, C
N -> T
T -> C when #C = 0
C -> N
"""  # [DM09, Figure 1]
ALTERNATION = """
processes 2
states A
shared x: process = any
A -> A with j when j != i and x = i do x := j
"""


def ask(
    tmp_path: Path, text: str, words: str, symmetry: str = "auto", suffix: str = ".edges", **search: object
) -> CheckResult:
    path = tmp_path / f"model{suffix}"
    path.write_text(text, encoding="utf-8")
    options = CheckOptions((words,), symmetry, search=SearchOptions(**search))  # type: ignore[arg-type]
    (result,) = check(load(path), options).results
    return result


@pytest.mark.parametrize("symmetry", ["auto", "off"])
@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("AG not (s[2] = C)", "fails"),  # holds on the quotient of [DM09, Figure 2]
        ("A G (s[2] = C -> A F s[2] = N)", "holds"),  # nobody else can do more than wait
        ("A G (s[2] = T -> A F s[2] = C)", "fails"),
        ("E F s[2] = C", "holds"),
        ("AG EF s[1] = C", "holds"),
        ("forall p: AG EF s[p] = C", "holds"),
        ("forall p: G F s[p] = C", "fails"),
        ("G F (exists p: s[p] = C)", "holds"),
        ("exists p: F G s[p] = N", "fails"),
    ],
)
def test_verdicts_about_single_processes(tmp_path: Path, words: str, verdict: str, symmetry: str) -> None:
    assert ask(tmp_path, MUTEX.format(n=3), words, symmetry).verdict == verdict


@pytest.mark.parametrize("symmetry", ["auto", "off"])
def test_alternation(tmp_path: Path, symmetry: str) -> None:
    """Both verdicts are wrong where liveness is checked on a quotient that forgets who is who."""
    fair = {"fairness": "weak"}
    assert ask(tmp_path, ALTERNATION, "forall p: G F x = p", symmetry, **fair).verdict == "holds"
    assert ask(tmp_path, ALTERNATION, "exists p: F G x = p", symmetry, **fair).verdict == "fails"


def test_one_process_stands_for_all_with_its_stabiliser(tmp_path: Path) -> None:
    result = ask(tmp_path, MUTEX.format(n=4), "forall p: AG EF s[p] = C")
    assert result.symmetry.order == 6
    assert any("1 of 4 conjuncts" in note for note in result.notes)
    whole = ask(tmp_path, MUTEX.format(n=4), "forall p: AG EF s[p] = C", "off")
    assert result.states < whole.states


def test_lost_symmetry_is_said(tmp_path: Path) -> None:
    result = ask(tmp_path, MUTEX.format(n=3), "s[1] = N W s[2] = T")
    assert result.symmetry.order == 1
    assert any("breaks the symmetry" in note for note in result.notes)


def test_strong_fairness_demands_more_than_weak(tmp_path: Path) -> None:
    verdicts = [
        ask(tmp_path, MUTEX.format(n=3), "forall p: G (s[p] = T -> F s[p] = C)", fairness=fairness).verdict
        for fairness in ("none", "weak", "strong")
    ]
    assert verdicts == ["fails", "fails", "holds"]


def test_a_run_that_ends_stutters(tmp_path: Path) -> None:
    text = "processes 3\nstates A, B\nA -> B\n"
    assert ask(tmp_path, text, "F G #B = 3").verdict == "holds"
    result = ask(tmp_path, text, "G F #B = 2")
    assert result.verdict == "fails"
    trace = result.outcome.trace
    assert trace is not None
    assert trace.loop == len(trace.steps) == 3
    assert "its last state counts as repeated forever" in result.outcome.message


def test_a_witness_of_what_some_run_does(tmp_path: Path) -> None:
    result = ask(tmp_path, MUTEX.format(n=3), "E F #C = 1")
    assert result.verdict == "holds"
    assert result.outcome.trace is not None


def test_limits_leave_the_answer_open(tmp_path: Path) -> None:
    result = ask(tmp_path, MUTEX.format(n=6), "G F #C = 1", "off", max_states=20)
    assert result.verdict == "unknown"
    assert "20 states" in result.outcome.message
    assert ask(tmp_path, MUTEX.format(n=6), "G F #C = 1", max_depth=2).verdict == "unknown"


def test_fairness_is_refused_where_nobody_knows_it(tmp_path: Path) -> None:
    path = tmp_path / "m.edges"
    path.write_text(MUTEX.format(n=2))
    with pytest.raises(UserError, match="fairness"):
        check(load(path), CheckOptions(search=SearchOptions(fairness="weak")))
    with pytest.raises(UserError, match="fairness"):
        check(load(path), CheckOptions(("G F #C = 1",), engine="symbolic", search=SearchOptions(fairness="weak")))


def test_only_formulas(tmp_path: Path) -> None:
    path = tmp_path / "m.edges"
    path.write_text(MUTEX.format(n=2) + "invariant mutex: #C <= 1\n")
    model = load(path)
    with pytest.raises(UserError, match="temporal formulas only"):
        explore(model.system, model.system.properties)


def test_a_proposition_without_a_value(tmp_path: Path) -> None:
    text = "byte x = 2;\nbyte a[2];\nactive proctype P() { x = 1; a[1] = 1; x = 3 }\nltl f { <> (a[x] == 1) }\n"
    result = ask(tmp_path, text, "f", suffix=".pml")
    assert result.verdict == "fails"
    assert result.outcome.property == "run-time errors"


def test_a_fault_on_the_way(tmp_path: Path) -> None:
    text = "byte x = 1;\nactive [2] proctype P() { x = 0; x = 1 / x }\nltl f { <> (x == 5) }\n"
    result = ask(tmp_path, text, "f", suffix=".pml")
    assert result.outcome.property == "run-time errors"
    assert result.outcome.trace is not None


def test_assertions_are_passed_over(tmp_path: Path) -> None:
    text = """byte x = 0;
active [2] proctype P() { x = 1; assert(x == 2); x = 3 }
ltl f { <>[] (x == 3) }
ltl g { <> (x == 2) }
"""
    assert ask(tmp_path, text, "f", suffix=".pml").verdict == "holds"
    result = ask(tmp_path, text, "g", suffix=".pml")
    assert result.verdict == "fails"
    assert result.outcome.trace is not None


def test_what_a_verdict_decides(tmp_path: Path) -> None:
    path = tmp_path / "m.edges"
    path.write_text(MUTEX.format(n=3))
    model = load(path, LoadOptions())
    (one,) = formulas(model, CheckOptions(("G F s[1] = C",)), 100)
    assert len(one.others.members) == 2
    assert one.others.complete
    ring = "(s[1] = T U s[2] = T) | (s[2] = T U s[3] = T) | (s[3] = T U s[1] = T)"  # [M97, 3.5.1]
    (found,) = formulas(model, CheckOptions((ring,)), 100)
    assert sorted(len(c.members) for c in found.classes) == [3, 3]
    (few,) = formulas(model, CheckOptions(("G F s[1] = C",)), 1)
    assert not few.others.complete
