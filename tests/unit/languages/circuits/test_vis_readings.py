"""Verilog as VIS reads it where that differs from the standard, and names in its formulas that look like operators."""

from __future__ import annotations

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.properties import read_formulas
from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.span import Source

WIDE = "module m(x, y); input [3:0] x; output y; assign y = x[3:2] == 4'b0 - 1 - 5; endmodule"
TYPED = """typedef enum {P, Q, R} t;
module m(clk, y, z); input clk; output y, z; t reg s; initial s = P;
  always @(posedge clk) if (s == 2) s = 0; else s = s + 1;
  assign y = s == R; assign z = 1;
endmodule"""
UNHEARD = "module m(clk, y); input clk; output y; reg y; initial y = 0; always @(posedge clk) y = sel; endmodule"


def read(text: str, dialect: str = "auto") -> Netlist:
    return elaborate(parse_verilog(tokenize(Source("m.v", text))), dialect=dialect)


def verdict(netlist: Netlist, formula: str) -> str:
    system = system_of(netlist, read_formulas(Source("p.ctl", f"{formula};"), netlist))
    return check_all(system, system.properties)[0].verdict.value


def test_a_constant_is_cut_to_what_it_is_compared_with() -> None:
    assert verdict(read(WIDE), "AG(y=0)") == "holds"  # the standard compares 32 bits
    as_vis = read(WIDE, "vis")
    assert verdict(as_vis, "AG(y=1 <-> x[3:2]=2)") == "holds"
    assert as_vis.notes == ("m.v:1: a constant is cut to the 2 bits of what it is compared with, as in VIS",)


def test_values_of_an_enumeration_are_numbers_too() -> None:
    assert verdict(read(TYPED), "AG(z=1 * (s=Q -> AX y=1) * (s=R -> AX s=P))") == "holds"
    with pytest.raises(UserError, match="used as a number"):
        read(TYPED, "standard")


def test_values_of_an_enumeration_stand_for_their_positions() -> None:
    text = """typedef enum {P, Q, R} t; module m(clk); input clk; sub #(R) u(clk); reg [1:0] y; initial y = 0;
      always @(posedge clk) if (y == R) y = P; else y = y + Q; endmodule
    module sub(clk); input clk; parameter FIRST = P; t reg s; reg low; initial begin s = FIRST; low = 0; end
      always @(posedge clk) begin case (s) FIRST: s = P; P: s = $ND(FIRST, Q); default: s = s; endcase low = s < R; end
    endmodule"""
    found = read(text)
    assert verdict(found, "AG(y[1:0]=2 -> AX y[1:0]=0) * AG(y[1:0]=1 -> AX y[1:0]=2)") == "holds"
    assert verdict(found, "u.s=R * AX(u.s=P * u.low=1 * EX u.s=R * EX u.s=Q * AX(u.s=R <-> u.low=0))") == "holds"
    with pytest.raises(UserError, match="y is not of the enumeration t"):
        read(text, "standard")


def test_a_number_beyond_an_enumeration_equals_none_of_its_values() -> None:
    for number in ("3", "9", "-1"):
        assert verdict(read(TYPED.replace("s == R", f"s == {number}")), "AG(y=0)") == "holds"
    assert verdict(read(TYPED.replace("s == R", "s == {1'b1, s == 3}")), "AG(y=1 <-> s=R)") == "holds"


CLOCKS = """typedef enum {P, Q} t; module m(a, b, rst, en); input a, b, rst, en; wire g; t reg s; reg x, y;
  assign g = a & en; initial begin s = P; x = 0; y = 0; end
  always @(posedge a or posedge rst) if (rst) s = P; else s = Q;
  always @(negedge b) x = s == Q;
  always @(posedge g) y = ~y;
endmodule"""


def test_every_step_is_a_tick_of_all_registers() -> None:
    found = read(CLOCKS)
    assert found.notes == ("m.v:5: all registers change in every step, whatever edge they wait for, as in VIS",)
    assert verdict(found, "AG((s=Q -> AX x=1) * (s=P -> AX x=0) * (y=0 -> AX y=1) * (y=1 -> AX y=0))") == "holds"
    assert verdict(found, "AG(EX s=P * EX s=Q)") == "holds"
    with pytest.raises(UserError, match="the clock g is computed"):
        read(CLOCKS, "standard")


def test_a_name_that_nobody_declares_is_a_wire() -> None:
    found = read(UNHEARD, "vis")
    assert found.notes == ("m.v:1: sel is not declared: it is taken for a wire of one bit",)
    assert verdict(found, "AG(EX y=1 * EX y=0)") == "holds"
    with pytest.raises(UserError, match="sel is not declared"):
        read(UNHEARD)
    with pytest.raises(UserError, match="sel is not declared"):
        elaborate(parse_verilog(forbidding(UNHEARD)), dialect="vis")


def forbidding(text: str) -> list:  # type: ignore[type-arg]
    from quorbit.languages.circuits.verilog.tokens import tokenize_all

    return tokenize_all([Source("m.v", "`default_nettype none\n" + text)])


def test_nets_with_the_names_of_operators() -> None:
    text = """module m(clk); input clk; reg [1:0] A; reg E, X; initial begin A = 0; E = 0; X = 0; end
  always @(posedge clk) begin A = A + 1; E = !E; X = E; end
endmodule"""
    netlist = read(text)
    assert verdict(netlist, "AG(A[1:0]=3 -> AX A[1:0]=0)") == "holds"
    assert verdict(netlist, "AG(A[0]=1 <-> E=1) * AG(X=1 -> E=1)") == "holds"
    assert verdict(netlist, "A[X X A[1:0]=2 U A[1:0]=1]") == "holds"


def test_the_size_of_a_number_may_be_a_macro() -> None:
    text = """`define W 3
module m(clk); input clk; reg [`W-1:0] x; initial x = `W'd5; always @(posedge clk) x = x + `W 'b1 + 2; endmodule"""
    assert verdict(read(text), "x[2:0]=5 * AX x[2:0]=0") == "holds"


def test_supply_nets_are_constant() -> None:
    text = """module m(clk); input clk; supply0 low; supply1 [1:0] high; reg [2:0] x; initial x = 0;
  always @(posedge clk) x = {high, low};
endmodule"""
    assert verdict(read(text), "AX AG x[2:0]=6") == "holds"
