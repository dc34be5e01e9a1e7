"""Concurrent assertions of SystemVerilog: what they are rewritten to, and verdicts through Yosys where there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.load import system_of
from quorbit.languages.circuits.verilog.concurrent_assertions import rewrite_assertions
from quorbit.languages.circuits.yosys.run import find_yosys, read_through_yosys
from quorbit.source.errors import UserError
from quorbit.source.span import Source

NEEDS_YOSYS = [True] if find_yosys() is not None else []


def rewritten(text: str) -> str:
    return rewrite_assertions(Source("m.sv", text))


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("assert property (@(posedge clk) a);", "always @(posedge clk) assert ( a);"),
        ("x: assert property (@(posedge clk) a |-> b);", "always @(posedge clk) x: assert (!(a) || (b));"),
        (
            "x: assume property (@(negedge clk) disable iff (r || s) a);",
            "always @(negedge clk) if (!(r || s)) x: assume (a);",
        ),
        ("cover property (@(posedge clk) a |-> b) ;", "always @(posedge clk) cover ((a) && (b));"),
        ('assert property (@(posedge clk) a) else $error("no a");', "always @(posedge clk) assert (a);"),
        ("assert property (f(a, b) == (c | d));", "assert property (f(a, b) == (c | d));"),
        ("assert property (a |-> b);", "always @* assert (!(a) || (b));"),
        ("// assert property (@(posedge clk) a);\nx = 1;", "// assert property (@(posedge clk) a);\nx = 1;"),
    ],
)
def test_one_directive(written: str, expected: str) -> None:
    assert rewritten(written).replace("( ", "(") == expected.replace("( ", "(")


def test_the_next_tick_is_remembered() -> None:
    text = rewritten("p: assert property (@(posedge clk) disable iff (r) a |=> b);")
    assert "quorbit_held_1 <= ((a) && !(r)) ? 1'b1 : 1'b0;" in text
    assert text.endswith("always @(posedge clk) if (!(r)) p: assert (!quorbit_held_1 || (b));")


def test_named_properties_and_defaults_are_put_in_and_lines_stay() -> None:
    text = """default clocking c @(posedge clk); endclocking
default disable iff (r);
property p;
  a
  |-> b;
endproperty
assert property (p);
assert property (
  a);
last
"""
    found = rewritten(text).split("\n")
    assert len(found) == len(text.split("\n"))
    assert found[6] == "always @(posedge clk) if (!((r))) assert (!(a) || (b));"
    assert found[7] == "always @(posedge clk) if (!((r))) assert (a);"
    assert found[9] == "last"


@pytest.mark.parametrize("words", ["a ##1 b", "s_eventually a", "a until b", "a [*2]", "strong(a)"])
def test_what_spans_ticks_is_refused_by_name(words: str) -> None:
    with pytest.raises(UserError, match="is not supported; write the property with registers or as CTL") as caught:
        rewritten(f"\n assert property (@(posedge clk) {words});")
    assert caught.value.span.line == 2


def test_a_property_about_ticks_needs_a_clock() -> None:
    with pytest.raises(UserError, match="needs a clock"):
        rewritten("assert property (a |=> b);")


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
    path.write_text(DESIGN)
    system = system_of(read_through_yosys(path, ()), [])
    found = {o.property: o.verdict.value for o in check_all(system, system.properties)}
    expected = {"p1": "holds", "p2": "holds", "p3": "holds", "p4": "fails", "p5": "fails", "assert@16": "fails"}
    assert found == expected
