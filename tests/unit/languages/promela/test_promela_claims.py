"""Never claims and labels as automata."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load, load_for
from quorbit.model.system.formula import TRUE, Accepted, Formula, Not
from quorbit.model.system.system import System, Temporal
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError
from quorbit.source.span import Source, Span

PROCESS = "byte x;\nactive [2] proctype P() { do :: x = 1 - x od }\n"


def read(tmp_path: Path, text: str) -> System:
    path = tmp_path / "m.pml"
    path.write_text(text)
    return load(path, LoadOptions())


def ask(tmp_path: Path, text: str, words: str) -> tuple[System, object]:
    read(tmp_path, text)
    span = Span(Source("<property>", words), 0, len(words))
    return load_for(tmp_path / "m.pml", LoadOptions(), span, words)


def claim_of(system: System, name: str) -> Accepted:
    (p,) = (p for p in system.properties if p.name == name)
    assert isinstance(p, Temporal)
    return automaton(p.formula)


def automaton(formula: Formula) -> Accepted:
    assert isinstance(formula, Not)
    assert isinstance(formula.operand, Accepted)
    return formula.operand


def test_a_claim_is_an_automaton(tmp_path: Path) -> None:
    claim = claim_of(
        read(tmp_path, PROCESS + "never { do :: true :: x == 1 -> break od; accept: do :: x == 1 od }\n"), "never"
    )
    assert claim.edges == ((0, 0), (0, 1), (1, 1))
    assert claim.guards[0] == TRUE
    assert claim.guards[1] == claim.guards[2]
    assert claim.accepting == (1,)
    assert not claim.endless


def test_else_is_the_negation_of_the_others_and_the_end_accepts_all(tmp_path: Path) -> None:
    claim = claim_of(read(tmp_path, PROCESS + "never { do :: x == 1 -> break :: else od }\n"), "never")
    assert len(claim.guards) == 3
    assert claim.accepting == (1,)
    assert (1, 1) in claim.edges


def test_labels_make_properties_only_where_there_are_labels(tmp_path: Path) -> None:
    names = {p.name for p in read(tmp_path, PROCESS).properties}
    assert not names & {"accept", "progress"}
    text = "byte x;\nactive proctype P() { do :: x = 1; progress_a: x = 0 od }\n"
    assert claim_of(read(tmp_path, text), "progress").endless


def test_a_label_property_can_be_asked_for_anyway(tmp_path: Path) -> None:
    _, p = ask(tmp_path, PROCESS, "progress")
    assert isinstance(p, Temporal)
    assert automaton(p.formula).guards[1] == TRUE  # nobody ever makes progress


def test_what_a_formula_looks_at_is_stored(tmp_path: Path) -> None:
    text = "byte seen;\nactive proctype P() { byte mine; mine = 1; seen = 1; mine = 2 }\n"
    assert all(v.name != "seen" for v in read(tmp_path, text).variables)
    system, _ = ask(tmp_path, text, "<> (seen == 1)")
    assert any(v.name == "seen" for v in system.variables)
    _, p = ask(tmp_path, text, "<> (P:mine == 2)")
    assert isinstance(p, Temporal)


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("never { do :: x = 1 od }", "look at the state"),
    ],
)
def test_claims_that_cannot_be_read_wait_to_be_asked_for(tmp_path: Path, claim: str, message: str) -> None:
    assert all(p.name != "never" for p in read(tmp_path, PROCESS + claim).properties)
    with pytest.raises(UserError, match=message):
        ask(tmp_path, PROCESS + claim, "never")


@pytest.mark.parametrize("words", ["done", "<> (x == 2)"])
def test_a_claim_is_not_counted_as_a_process(words: str, tmp_path: Path) -> None:
    """pan counts it, and waits for ever while a formula is checked; whether init goes on does not depend on that."""
    model = tmp_path / "waits.pml"
    model.write_text(
        "byte x; proctype p() { x = 1 }\ninit { run p(); _nr_pr == 1 -> x = 2 }\nltl done { <> (x == 2) }\n"
    )
    assert check(model, CheckOptions((words,))).verdict == "holds"


NO_PROGRESS = "never { do :: true :: np_ -> break od; accept: do :: %s od }\n"


@pytest.mark.parametrize(
    ("process", "claim", "verdict"),
    [  # as pan says, which takes np_ for false while nothing but the claim moves
        ("do :: x < 2 -> x++ :: x == 2 -> progress: x = 0 :: x == 1 -> break od", "np_", "holds"),
        ("do :: x < 2 -> x++ :: x == 2 -> progress: x = 0 :: x == 1 -> x = 0 od", "np_", "fails"),
        ("x = 1; L: timeout -> goto L", "np_", "fails"),
        ("x = 1", "x < 2", "fails"),
    ],
)
def test_a_run_that_ends_is_not_one_without_progress(tmp_path: Path, process: str, claim: str, verdict: str) -> None:
    path = tmp_path / "m.pml"
    path.write_text(f"byte x; active proctype P() {{ {process} }}\n" + NO_PROGRESS % claim)
    assert check(path, CheckOptions(properties=("never",))).verdict == verdict


@pytest.mark.parametrize(
    ("process", "verdict"),
    [  # as pan -a says ("accept stutter")
        ("x = 1; accept: x == 2", "fails"),
        ("x = 1; accept: end: x == 2", "fails"),
        ("x = 1; accept: skip; x == 2", "holds"),
        ("x = 1; accept: skip", "holds"),
    ],
)
def test_a_run_that_stops_at_an_accept_label_is_accepted(tmp_path: Path, process: str, verdict: str) -> None:
    path = tmp_path / "m.pml"
    path.write_text(f"byte x; active proctype P() {{ {process} }}\n")
    assert check(path, CheckOptions(properties=("accept",))).verdict == verdict
