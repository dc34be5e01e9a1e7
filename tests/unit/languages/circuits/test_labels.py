"""Labels of enumerations in designs that Yosys or slang reads: in formulas and in counterexamples."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.circuits.load import read_netlist
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.languages.circuits.yosys.labels import declared_labels
from quorbit.languages.circuits.yosys.run import find_slang, find_yosys
from quorbit.languages.options import LoadOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.text import Paint, show_check
from quorbit.source.errors import UserError
from quorbit.source.span import Source

BODY = """  state_t state;
  initial state = IDLE;
  always_ff @(posedge clk) case (state) IDLE: if (go) state <= RUN; RUN: state <= DONE; default: state <= IDLE; endcase
endmodule
"""
TYPE = "  typedef enum logic [1:0] {IDLE, RUN = 2'b10, DONE} state_t;\n"
PLAIN = f"module light(input logic clk, input logic go);\n{TYPE}{BODY}"
PACKAGE = (
    f"package kinds;\n{TYPE}endpackage\nmodule light(input logic clk, input logic go);\n  import kinds::*;\n{BODY}"
)
WRAPPED = "module top(input logic clk, input logic go);\n  light one(clk, go);\nendmodule\n"
NAMED = {0: "IDLE", 2: "RUN", 3: "DONE"}
READERS = [
    pytest.param(PLAIN, marks=pytest.mark.skipif(find_yosys() is None, reason="Yosys reads this"), id="yosys"),
    pytest.param(PACKAGE, marks=pytest.mark.skipif(find_slang() is None, reason="slang reads this"), id="slang"),
]


@pytest.mark.parametrize("text", READERS)
@pytest.mark.parametrize("inside", [False, True])
def test_formulas_and_counterexamples_know_labels(text: str, inside: bool, tmp_path: Path) -> None:
    model = tmp_path / "light.sv"
    model.write_text(text + WRAPPED * inside, encoding="utf-8")
    state = "one.state" if inside else "state"
    assert read_netlist(model, LoadOptions()).labels[state] == NAMED
    asked = {
        f"AG {state}!=DONE": "fails",
        f"AG({state}==RUN -> AX {state}=DONE)": "holds",
        f"AG {state}={{IDLE,RUN,DONE}}": "holds",
        f"AG {state}!=2'b01": "holds",
    }
    for formula, verdict in asked.items():
        result = check(load(model), CheckOptions(properties=(formula,)))
        assert [one.verdict for one in result.results] == [verdict]
        if verdict == "fails":
            shown = show_check(result.results[0], Paint())
            assert f"{state} = IDLE" in shown
            assert f"{state} = DONE" in shown
    with pytest.raises(UserError, match="whose labels are IDLE, RUN, DONE; did you mean DONE"):
        check(load(model), CheckOptions(properties=(f"AG {state}=DNOE",)))


def labels_in(text: str) -> dict[str, dict[int, str]]:
    """By the names of variables."""
    found = declared_labels(tokenize(Source("m.sv", text)))
    return {text[start:].split()[0].strip(",;)="): dict(labels) for (_, start), labels in found.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("module m(input state_t p, q, input r); enum {A, B} x, y = A; endmodule", {"x": "AB", "y": "AB"}),
        ("typedef enum {A, B} s; module m(input s p, q, input r); s x; endmodule", {"p": "AB", "q": "AB", "x": "AB"}),
        ("package k; typedef enum {A, B} s; endpackage module m; k::s x; s y; endmodule", {"x": "AB", "y": "AB"}),
        ("typedef enum {A, B} s; typedef s t; module m; t x; endmodule", {"x": "AB"}),
        # Not plain: computed values, ranges of labels, arrays, other types of the same name.
        ("module m; enum {A = W, B} x; enum {C[2]} y; endmodule", {}),
        ("typedef enum {A, B} s; module m; s x[2]; s [1:0] y; endmodule", {}),
        ("typedef enum {A, B} s; module m; typedef logic [1:0] s; s x; endmodule", {}),
        ("typedef enum {A, B} s; module m #(parameter type s = int) (input s x); endmodule", {}),
        (
            "package k; typedef enum {A} s; endpackage package l; typedef enum {B} s; endpackage module m; s x;",
            {},
        ),
        ("module m; enum {A, B = 2'sb11} x; endmodule", {}),
    ],
)
def test_only_plain_labels_are_taken(text: str, expected: dict[str, str]) -> None:
    assert {name: "".join(labels.values()) for name, labels in labels_in(text).items()} == expected
