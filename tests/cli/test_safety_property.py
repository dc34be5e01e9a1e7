"""What is asked: everything the model states by default, by ``--property safety`` all safety properties only."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.cli.main import main
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
MODELS = ("mutex.edges", "promela/peterson.pml", "b/Scheduler.mch", "circuits/ping_pong.v")
BOTH = """byte x;
ltl safety { [] (x < 2) }
active proctype p() { do :: x < 2 -> x++ :: x > 0 -> x-- od }
"""
ASSERTED = """module m(input clk, input a); reg r = 0; reg q = 0;
always @(posedge clk) begin r <= a; q <= 0; end
always @(*) begin assert(!q); assert(!r); end
endmodule
"""


def asked(model: Path, *properties: str) -> dict[str, object]:
    return check(model, CheckOptions(properties)).to_json()


@pytest.mark.parametrize("name", MODELS)
def test_safety_is_what_was_asked_by_default(name: str) -> None:
    default = check(EXAMPLES / name).results[0]
    found = check(EXAMPLES / name, CheckOptions(("safety",)))
    assert len(found.results) == 1
    for key in ("verdict", "states", "transitions"):
        assert getattr(found.results[0], key) == getattr(default, key)
    assert found.to_json()["property"] == "safety"


def test_counts_are_those_of_safety_wherever_it_stands() -> None:
    alone = asked(EXAMPLES / "mutex.edges", "safety")
    for order in (("safety", "G !(s[1] = C)"), ("G !(s[1] = C)", "safety")):
        found = asked(EXAMPLES / "mutex.edges", *order)
        assert found["verdict"] == "fails"
        assert found["property"] == "G !(s[1] = C)"
        assert found["trace"]
        assert [found[key] for key in ("states", "transitions")] == [alone[key] for key in ("states", "transitions")]
        assert found["symmetry"]["order"] == alone["symmetry"]["order"] != "1"  # type: ignore[index]
        assert [each["property"] for each in found["results"]] == list(order)  # type: ignore[attr-defined]


def test_a_formula_called_safety_hides_nothing(tmp_path: Path) -> None:
    model = tmp_path / "both.pml"
    model.write_text(BOTH)
    found = check(model, CheckOptions(("safety",)))
    assert [(r.is_safety, r.verdict) for r in found.results] == [(True, "holds"), (False, "fails")]


def test_a_formula_called_safety_is_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "both.pml"
    model.write_text(BOTH)
    assert main(["check", str(model), "--property", "safety"]) == 1
    assert capsys.readouterr().out.endswith("  holds    safety\n  fails    safety (the formula)\n")


def test_all_errors_are_found_beside_a_formula_called_safety(tmp_path: Path) -> None:
    model = tmp_path / "both.pml"
    model.write_text(BOTH)
    found = check(model, CheckOptions(("safety",), search=SearchOptions(all_errors=True)))
    assert [(r.is_safety, r.verdict) for r in found.results] == [(True, "holds")]
    assert found.results[0].notes[0].startswith("not checked: the formula safety")


def test_every_assertion_of_a_circuit_has_its_answer(tmp_path: Path) -> None:
    model = tmp_path / "m.v"
    model.write_text(ASSERTED)
    found = check(model, CheckOptions(("safety", "AG !q=1")))
    assert [(r.is_safety, r.verdict) for r in found.results] == [(True, "holds"), (True, "fails"), (False, "holds")]


STATED = """byte x;
ltl low { [] (x < 3) }
ltl often { [] <> (x == 0) }
ltl first { [] (_nr_pr == 2 -> <> (p[0]:own == 1)) }
active [2] proctype p() { byte own;
progress: do :: atomic { x < 2 -> x++; own = 1 } :: atomic { x > 0 -> x-- } od }
"""


@pytest.fixture
def stated(tmp_path: Path) -> Path:
    model = tmp_path / "stated.pml"
    model.write_text(STATED)
    return model


def test_everything_stated_is_checked(stated: Path) -> None:
    results = check(stated)
    assert [(r.asked, r.verdict) for r in results.results[:3]] == [("", "holds"), ("low", "holds"), ("often", "fails")]
    found, safety = results.to_json(), asked(stated, "safety")
    assert (found["verdict"], found["property"]) == ("fails", "often")
    for key in ("states", "transitions", "symmetry"):
        assert found[key] == safety[key]
    assert results.results[0].symmetry.order == 2  # a formula that names a process does not shrink it
    assert results.results[3].symmetry.order == 1
    assert results.results[0].notes[0].startswith("not checked: progress")


@pytest.mark.parametrize("engine", ["explicit", "reference", "adaptive", "cluster"])
def test_formulas_that_the_engine_asked_for_cannot_check_are_for_another_one(engine: str, stated: Path) -> None:
    results, usual = check(stated, CheckOptions(engine=engine)), check(stated)
    assert [(r.asked, r.verdict) for r in results.results] == [(r.asked, r.verdict) for r in usual.results]
    assert [r.to_json()["engine"] for r in results.results] == [engine, *["temporal"] * 3]
    for result in results.results[1:]:
        assert any(note.startswith(f"checked by another engine, since the {engine} engine") for note in result.notes)


def test_a_formula_that_is_asked_for_is_refused_where_the_engine_cannot_check_it(stated: Path) -> None:
    with pytest.raises(UserError, match="not temporal formulas"):
        check(stated, CheckOptions(("often",), engine="explicit"))


@pytest.mark.parametrize(
    ("search", "words"),
    [
        (SearchOptions(threads=2), "--threads, which is"),
        (SearchOptions(workers=2), "--workers, which is"),
        (SearchOptions(search="mixed", alpha=0.25), "--search and --alpha, which are"),
        (
            SearchOptions(no_parents=True, represented=True, threads=2),
            "--threads, --no-parents and --represented, which are",
        ),
    ],
    ids=["threads", "workers", "mixed", "several"],
)
def test_how_errors_are_searched_for_changes_no_verdict_of_a_formula(
    search: SearchOptions, words: str, stated: Path
) -> None:
    results, usual = check(stated, CheckOptions(search=search)), check(stated)
    assert [(r.asked, r.verdict) for r in results.results] == [(r.asked, r.verdict) for r in usual.results]
    assert results.verdict == "fails"
    for result in results.results[1:]:
        assert f"checked without {words} for safety" in result.notes


def test_a_formula_that_partial_order_reduction_cannot_serve_is_checked_without(tmp_path: Path) -> None:
    model = tmp_path / "next.pml"
    model.write_text("byte x; active [2] proctype p() { do :: x = 1 - x od }\nltl next { [] X (x == 0) }\n")
    found = check(model, CheckOptions(search=SearchOptions(por="on")))
    assert [r.verdict for r in found.results] == [r.verdict for r in check(model).results] == ["holds", "fails"]
    assert any(note.startswith("checked without partial-order reduction") for note in found.results[1].notes)
    asked = check(model, CheckOptions(("[] X (x == 0)",), search=SearchOptions(por="auto")))
    assert asked.verdict == "fails"
    with pytest.raises(UserError, match="--por on cannot be used here"):
        check(model, CheckOptions(("[] X (x == 0)",), search=SearchOptions(por="on")))


def test_all_errors_are_those_of_safety(stated: Path) -> None:
    (result,) = check(stated, CheckOptions(search=SearchOptions(all_errors=True))).results
    assert result.verdict == "holds"
    assert any(note.startswith("not checked: low, often, first") for note in result.notes)


def test_fairness_is_for_the_formulas(stated: Path) -> None:
    results = check(stated, CheckOptions(search=SearchOptions(fairness="weak")))
    assert [r.outcome.verdict is not None for r in results.results] == [True] * 4


def test_text_is_one_summary(stated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(stated)]) == 1
    out = capsys.readouterr().out
    summary = out[out.index("In short:") :].split()[2:]
    assert summary[:6] == ["holds", "safety", "holds", "low", "fails", "often"]
    assert out.startswith("not checked: progress")


def test_expectations_are_about_safety(stated: Path) -> None:
    stated.write_text("// expect: verdict=holds\n" + STATED)
    assert main(["test", str(stated)]) == 0
    stated.write_text("// expect: property=often verdict=fails\n" + STATED)
    assert main(["test", str(stated)]) == 0


def test_property_files_beside_a_circuit_are_named() -> None:
    found = check(EXAMPLES / "circuits" / "ping_pong.v")
    assert "ping_pong.ctl" in next(note for note in found.results[0].notes if note.startswith("not checked"))
