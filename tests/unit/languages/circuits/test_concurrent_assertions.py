"""Concurrent assertions of SystemVerilog: verdicts by the own reader, and through Yosys where there is one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.assertions.rewrite import rewrite_assertions
from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize, tokenize_all
from quorbit.languages.circuits.yosys.run import find_yosys, read_through_yosys
from quorbit.languages.options import LoadOptions
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError
from quorbit.source.span import Source

NEEDS_YOSYS = [True] if find_yosys() is not None else []


def verdicts(directives: str) -> dict[str, str]:
    """Answers of the own reader about a shift register d -> q1 -> q2 and a counter n that stops at 3."""
    text = f"""module m(input clk, input d, input rst, input [2:0] w);
  reg q1, q2; reg [1:0] n;
  initial begin q1 = 0; q2 = 0; n = 0; end
  always @(posedge clk) begin q1 <= d; q2 <= q1; n <= rst ? 0 : n == 3 ? 3 : n + 1; end
  {directives}
endmodule
"""
    system = system_of(elaborate(parse_verilog(rewrite_assertions(tokenize(Source("m.v", text))))), [])
    return {o.property: o.verdict.value for o in check_all(system, system.properties)}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("d |=> q1", "holds"),
        ("d |-> ##2 q2", "holds"),
        ("d |-> ##[1:2] q2", "holds"),
        ("d |-> ##1 q2", "fails"),
        ("q1 ##1 q1 |-> q2", "holds"),
        ("d[*3] |-> q1 && q2", "holds"),
        ("d throughout (1 ##3 1) |-> q1 and q2", "holds"),
        ("disable iff (rst) n == 1 |=> n == 2", "holds"),
        ("n == 1 |=> n == 2", "fails"),
        ("disable iff (rst) n == 0 |-> ##3 n == 3", "holds"),
        ("$rose(q2) |-> q1 or !q1", "holds"),
        ("1 ##1 $past(d) |-> q1", "holds"),
        ("1 ##2 $past(d, 2) |-> q2", "holds"),
        ("1 ##1 $rose(q1) |-> $past(d) && !q2", "holds"),
        ("1 ##1 $fell(q1) |-> q2", "holds"),
        ("1 ##1 $stable(q1) |-> q1 == q2", "holds"),
        ("1 ##1 $changed(q1) |-> q1 == q2", "fails"),
        ("$onehot(w) |-> w != 0 && w != 3", "holds"),
        ("$onehot0(w) |-> w != 0", "fails"),
        ("$countones(w) == 3 |-> w == 7", "holds"),
        ("q1 |-> s_eventually !q1", "fails"),
        ("d |-> s_eventually q2", "holds"),
        ("d |-> strong(##[1:$] q2)", "holds"),
        ("d |-> !q2 s_until q1", "fails"),
        ("not (d ##1 !q1)", "holds"),
        ("always d |-> nexttime q1", "holds"),
        ("first_match(d ##[1:2] 1) |-> q1", "holds"),
        ("if (d) nexttime q1 else nexttime !q1", "holds"),
        ("(d ##1 1) intersect (1 ##[0:3] q1) |-> q1", "holds"),
        ("d [->2] |=> q1", "holds"),
    ],
)
def test_verdicts_of_the_own_reader(written: str, expected: str) -> None:
    assert verdicts(f"p: assert property (@(posedge clk) {written});")["p"] == expected


def test_named_sequences_properties_defaults_and_parameters() -> None:
    found = verdicts("""
  localparam FAR = 1 + 1;
  default clocking c @(posedge clk); endclocking
  default disable iff (rst);
  sequence later(x, k = 1); ##k x; endsequence
  property goes(from, into); from |-> later(into, FAR); endproperty
  a1: assert property (goes(d, q2)) else $error("no");
  a2: assert property (goes(.into(q1), .from(d)));
  assert property (d |-> later(q1));""")
    assert {name: v for name, v in found.items() if "left" not in name} == {
        "a1": "holds",
        "a2": "fails",
        "assert@13": "holds",
    }


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("assert property (d |=> q1);", "needs a clock"),
        ("assert property (@(posedge clk) (d, x = 1) ##1 q1);", "local variables"),
        ("assert property (@(posedge clk) d ##[2:1] q1);", "the range 2:1 is empty"),
        ("assert property (@(posedge clk) d ##[1:n] q1);", "n is not a number of ticks"),
        ("assert property (@(posedge clk) d[*0:1]);", "can be empty"),
        ("assert property (@(posedge clk) d |-> );", "expected at the end"),
        ("assert property (@(posedge clk) accept_on (d) q1);", "accept_on is not supported"),
        ("assert property (@(posedge clk) always s_eventually (d ##1 q1));", "cannot be watched"),
        ("assert property (@(posedge clk or negedge rst) d);", "is one edge"),
    ],
)
def test_what_is_refused_is_named(written: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        verdicts(written)
    assert caught.value.span.line == 5


def test_an_assumption_restricts_and_a_cover_is_reached() -> None:
    found = verdicts("""assume property (@(posedge clk) d |=> !d);
  a: assert property (@(posedge clk) q1 |-> !q2);
  c: cover property (@(posedge clk) d ##2 d);
  u: cover property (@(posedge clk) d ##1 d);""")
    assert (found["a"], found["c"], found["u"]) == ("holds", "holds", "fails")


DESIGN = """module m(input logic clk, input logic rst, input logic req, output logic gnt, output logic [1:0] n);
  default clocking cb @(posedge clk); endclocking
  default disable iff (rst);
  initial begin gnt = 0; n = 0; end
  always_ff @(posedge clk) begin gnt <= req && !rst; n <= rst ? 0 : n == 2 ? 0 : n + 1; end
  property follows;
    req |=> gnt;
  endproperty
  p1: assert property (follows) else $error("no grant");
  p2: assert property (n != 3);
  p3: assert property (gnt |-> $past(req));
  p4: assert property (@(posedge clk) disable iff (1'b0) req |=> gnt);
  p5: assert property (
    gnt
    |-> n == 0);
  assert property (@(posedge clk) req |=> !gnt);
endmodule
"""


@pytest.mark.parametrize("_", NEEDS_YOSYS)
def test_verdicts(_: bool, tmp_path: Path) -> None:
    path = tmp_path / "m.sv"
    netlist = read_through_yosys(tokenize_all([Source("m.sv", DESIGN)]), path, LoadOptions())
    system = system_of(netlist, [])
    found = {o.property: o.verdict.value for o in check_all(system, system.properties) if "left" not in o.property}
    expected = {"p1": "holds", "p2": "holds", "p3": "holds", "p4": "fails", "p5": "fails", "assert@16": "fails"}
    assert found == expected


def test_parameters_before_the_ports_are_numbers_of_ticks(tmp_path: Path) -> None:
    model = tmp_path / "m.sv"
    model.write_text(
        "module m #(parameter K = 1, parameter N = K + 1) (input clk, output reg [1:0] c);\n"
        "  initial c = 0; always @(posedge clk) c <= c + 1;\n"
        "  exact: assert property (@(posedge clk) c == 0 |-> ##N c == 2);\n"
        "  late: assert property (@(posedge clk) c == 0 |-> ##(N + 1) c == 2);\n"
        "endmodule\n"
    )
    assert [result.verdict for result in check(model).results] == ["holds", "fails"]


@pytest.mark.parametrize("suffix", [".v", ".sv"])
def test_assertions_in_a_block_with_a_name(suffix: str, tmp_path: Path) -> None:
    model = tmp_path / f"m{suffix}"
    model.write_text(
        "module m(input clk, output reg [1:0] c); initial c = 0;\n"
        "  default clocking @(posedge clk); endclocking\n"
        "  always @(posedge clk) begin : counting\n"
        "    c <= c == 2 ? 0 : c + 1; if (c != 2) low: assert property (c < 2); never: assert property (c != 2);\n"
        "  end\n"
        "endmodule\n"
    )
    assert [result.verdict for result in check(model).results] == ["holds", "fails"]
