"""Names of nets inside instances: Yosys's own reader takes them for new nets that nobody drives."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.load import load, read_netlist
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.languages.circuits.yosys.run import find_slang, find_yosys, read_through_yosys
from quorbit.languages.options import LoadOptions
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.span import Source

INSIDE = """module counter(input clk); reg [1:0] c; initial c = 0; always @(posedge clk) c <= c + 1; endmodule
module top(input clk); counter a(clk); counter b(clk);
always @(posedge clk) assert (a.c == b.c);
endmodule
"""


@pytest.mark.skipif(find_yosys() is None, reason="Yosys reads these")
def test_a_net_inside_an_instance_is_not_a_new_net() -> None:
    with pytest.raises(UserError, match=r"takes a\.c for a new net"):
        read_through_yosys(tokenize(Source("m.v", INSIDE)), Path("m.v"), LoadOptions())


MISTYPED = """module top(input clk, input x, output reg q);
inverter i(.a(x), .y(n)); inverter j(n, m);
always @(posedge clk) q <= {wrong};
always @(posedge clk) a: assert (n == ~m);
endmodule
module inverter(input a, output y); assign y = ~a; endmodule
"""


@pytest.mark.skipif(find_yosys() is None, reason="Yosys reads these")
def test_a_mistyped_name_is_not_a_free_net() -> None:
    def read(name: str) -> Netlist:
        text = MISTYPED.replace("{wrong}", name)
        return read_through_yosys(tokenize(Source("m.v", text)), Path("m.v"), LoadOptions())

    assert [claim.name for claim in read("m").claims] == ["a"]  # implicit, and driven by an instance
    with pytest.raises(UserError, match="mm is not declared, and nothing drives it") as caught:
        read("mm")
    assert caught.value.span is not None
    assert caught.value.span.line == 3


@pytest.mark.skipif(find_slang() is None, reason="slang reads these")
def test_slang_says_what_is_wrong_with_systemverilog(tmp_path: Path) -> None:
    (tmp_path / "m.sv").write_text("module top(input logic clk);\n  import p::*;\nendmodule\n", encoding="utf-8")
    with pytest.raises(UserError, match="unknown package 'p'"):
        load(tmp_path / "m.sv", LoadOptions())


@pytest.mark.skipif(find_slang() is None, reason="slang reads these")
def test_slang_reads_nets_inside_instances(tmp_path: Path) -> None:
    (tmp_path / "m.v").write_text(INSIDE, encoding="utf-8")
    system = load(tmp_path / "m.v", LoadOptions())
    assert [o.verdict.value for o in check_all(system, system.properties)] == ["holds"]


NUMBERED = """package p; typedef struct packed { logic on; logic [2:0] tag; } entry_t; endpackage
module top import p::*; (input logic clk, go, input logic [2:0] tag, output entry_t out);
  entry_t q [4]; logic [1:0] w = 0;
  initial for (int i = 0; i < 4; i++) q[i] = '0;
  always_ff @(posedge clk) if (go) begin q[w] <= '{on: 1'b1, tag: tag}; w <= w + 1'b1; end
  assign out = q[w];
  always_ff @(posedge clk) begin empty: assert (out.on || out.tag == 0); low: assert (!out.tag[2]); end
endmodule
"""


@pytest.mark.skipif(find_slang() is None, reason="slang reads these")
def test_numbers_of_slang_are_not_those_of_our_nets(tmp_path: Path) -> None:
    """slang calls its own wires $1, $2, ..., as the builder of netlists calls the nets it makes."""
    (tmp_path / "m.sv").write_text(NUMBERED, encoding="utf-8")
    system = load(tmp_path / "m.sv", LoadOptions())
    assert [o.verdict.value for o in check_all(system, system.properties)] == ["holds", "fails"]


ENUMS = """typedef enum logic [1:0] {IDLE, RUN, DONE} state_t;
module m #(parameter state_t LAST = DONE) (input clk, input go, output state_t s);
initial s = IDLE;
always @(posedge clk) case (s) IDLE: if (go) s <= RUN; RUN: s <= LAST; default: s <= IDLE; endcase
endmodule
module top(input clk, input go, output state_t a, output state_t b);
m one(clk, go, a); m #(.LAST(IDLE)) two(.clk(clk), .go(go), .s(b));
endmodule
"""


@pytest.mark.skipif(find_slang() is None, reason="slang reads these")
def test_one_clock_of_several_instances_is_one_clock(tmp_path: Path) -> None:
    """Slang connects the ports of instances by buffers; parameters of an enumerated type are only read by it."""
    (tmp_path / "m.sv").write_text(ENUMS, encoding="utf-8")
    assert not read_netlist(tmp_path / "m.sv", LoadOptions()).notes
    system = load(tmp_path / "m.sv", LoadOptions())
    assert check_all(system, ())[0].statistics.states == 6


@pytest.mark.skipif(find_slang() is None, reason="slang reads these")
@pytest.mark.parametrize("clock", ["~clk", "go", "clk & go"])
def test_clocks_that_differ_are_told(clock: str, tmp_path: Path) -> None:
    (tmp_path / "m.sv").write_text(ENUMS.replace("two(.clk(clk)", f"two(.clk({clock})"), encoding="utf-8")
    assert "do not tick together" in " ".join(read_netlist(tmp_path / "m.sv", LoadOptions()).notes)
