"""What is to be reached is asked in one way, whatever the language and the engine: each cover by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.coverage import goal_table

CIRCUIT = """module m(input clk, input go); reg [1:0] n = 0;
always @(posedge clk) if (go) n <= n + 1;
a1: assert property (@(posedge clk) n != 3);
c1: cover property (@(posedge clk) n == 2);
c2: cover property (@(posedge clk) n == 2 ##1 n == 0);
endmodule
"""
MURPHI = """var n : 0..3; go : boolean;
startstate begin n := 0; go := false; end;
rule "go" begin go := !go; end;
rule "up" go & n < 3 ==> begin n := n + 1; end;
invariant "a1" n != 3;
cover "c1" n = 2;
cover "c2" n = 3 & n = 0;
"""
EXPECTED = [("a1", "fails"), ("c1", "holds"), ("c2", "fails")]


@pytest.fixture(params=[("m.sv", CIRCUIT), ("m.m", MURPHI)], ids=["circuit", "murphi"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    name, text = request.param
    found = tmp_path / name
    found.write_text(text, encoding="utf-8")
    return found


@pytest.mark.parametrize("engine", ["auto", "explicit", "reference"])
def test_an_assertion_that_fails_is_not_lost_in_a_cover(path: Path, engine: str) -> None:
    results = check(path, CheckOptions(engine=engine)).results
    assert [(r.outcome.property or r.asked, r.verdict) for r in results] == EXPECTED
    witness = results[1].outcome.trace
    assert witness is not None
    assert len(witness.steps) >= 2
    assert results[2].outcome.trace is None
    assert [row.split()[1:] for row in goal_table(results)[1:]] == [["yes", "c1"], ["never", "c2"]]


def test_a_cover_is_not_part_of_safety(path: Path) -> None:
    assert [r.outcome.property for r in check(path, CheckOptions(("safety",))).results] == ["a1"]
    (one,) = check(path, CheckOptions(("c1",))).results
    assert one.verdict == "holds"


def test_a_model_that_states_only_covers_is_asked_only_for_them(tmp_path: Path) -> None:
    path = tmp_path / "m.sv"
    path.write_text("\n".join(line for line in CIRCUIT.splitlines() if "a1" not in line), encoding="utf-8")
    results = check(path).results
    assert [(r.asked, r.verdict) for r in results] == EXPECTED[1:]
    assert not any("nothing was checked" in note for r in results for note in r.notes)


def test_a_run_time_error_on_the_way_is_told_as_one(tmp_path: Path) -> None:
    path = tmp_path / "m.m"
    path.write_text(MURPHI.replace("go := false", "undefine go"), encoding="utf-8")
    (one,) = check(load(path), CheckOptions(("c1",))).results
    assert (one.verdict, one.outcome.property) == ("fails", "run-time errors")
    assert one.outcome.trace is not None


def test_a_model_that_states_only_formulas_is_asked_only_for_them(tmp_path: Path) -> None:
    """That nothing was asked was said first, and the states explored for it."""
    model = tmp_path / "j.btor2"
    model.write_text("1 sort bitvec 1\n2 state 1 s\n3 zero 1\n4 init 1 2 3\n5 next 1 2 -2\n6 justice 2 2 -2 both\n")
    results = check(model).results
    assert [(r.asked, r.verdict) for r in results] == [("both", "fails")]
    assert not any("nothing was checked" in note for r in results for note in r.notes)
