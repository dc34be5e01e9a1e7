"""``--property safety``: all safety properties and nothing else, in every language, alone and beside others."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

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


def test_every_assertion_of_a_circuit_has_its_answer(tmp_path: Path) -> None:
    model = tmp_path / "m.v"
    model.write_text(ASSERTED)
    found = check(model, CheckOptions(("safety", "AG !q=1")))
    assert [(r.is_safety, r.verdict) for r in found.results] == [(True, "holds"), (True, "fails"), (False, "holds")]
