"""What VIS's users wrote: latches of incomplete cases, assign inside blocks, implicit nets; and typed constants."""

from __future__ import annotations

import pytest
from tests.unit.languages.circuits.lowered_netlists import systems_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.properties import read_properties
from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.source.errors import UserError
from quorbit.source.span import Source

LATCH = """module top(clk, i, v); input clk; input [1:0] i; output [1:0] v; reg [1:0] v, s; initial s = 0;
always @(posedge clk) s <= i;
always @(s) case (s) 0: v = 1; 1: v = 2; 2: v = 3; endcase
endmodule"""
GATED = """module top(clk, en, d); input clk, en, d; reg q, r; initial q = 0;
always @* if (en) q = d;
always @(posedge clk) r <= q;
endmodule"""
SYMBOLS = """typedef enum {A, B, C} abc;
module top(clk, x); input clk, x; abc reg s, t; initial s = A; initial t = C;
always @(posedge clk) case (s) A: s = B; B: s = C; C: s = A; endcase
always @(s or x) if (x) t = s;
endmodule"""
FOLLOWING = """module top(clk, a, b); input clk, a, b; reg r; initial r = 0; reg started; initial started = 0;
always @(posedge clk) begin assign r = a & b; started <= 1; end
endmodule"""
IMPLICIT = """module top(clk); input clk; reg [1:0] r; initial r = 0;
always @(posedge clk) if (w) r <= r + 1;
sub s(.clk(clk), .q(w)); not (n, w); assign both = n & w;
endmodule
module sub(clk, q); input clk; output q; reg q; initial q = 0; always @(posedge clk) q <= ~q; endmodule"""
CLOCK = "module top(clk); input clk; reg r; initial r = 0; always @(posedge clk) if (!clk) r <= 1; endmodule"
TYPED = """module top(clk, x); input clk; input [1:0] x; parameter [1:0] P = 7; parameter signed [2:0] S = 6;
localparam integer I = -2; reg [3:0] a, b, c, d; initial begin a = 0; b = 0; c = 0; d = 0; end
always @(posedge clk) begin a <= {P, x}; b <= S; c <= (I < 0); d <= '1; end
endmodule"""
LOCAL = """module top(clk, x); input clk, x; reg [1:0] s; initial s = 1;
function [1:0] next; input [1:0] from; parameter ONE = 2'b01, TWO = 2'b10; begin
  case (from) ONE: next = TWO; TWO: next = ONE; default: next = 0; endcase end endfunction
always @(posedge clk) s <= next(s);
endmodule"""
SUBJECT = """module top(clk, a, b); input clk; input [1:0] a, b; reg [1:0] n, m; initial begin n = 0; m = 0; end
always @(posedge clk) case (a + b) 2'd0: n <= 1; 3'd4: n <= 2; default: n <= 3; endcase
always @(posedge clk) case (a[0] - b[0]) 2'sd0: m <= 1; 5, 1'sd1: m <= 2; default: m <= 3; endcase
endmodule"""
PROGRAM = """module top(clk); input clk; wire w; program p(clk, w); endmodule
module program(clk, q); input clk; output q; reg q; initial q = 1; always @(posedge clk) q <= q; endmodule"""


@pytest.mark.parametrize(
    ("text", "formulas", "verdicts"),
    [
        (LATCH, "AG(s=0 -> v=1); AG(s=2 -> v=3); AG(v!=0); AG(s=1 * v=2 -> AX(s=3 -> v=2)); AG(s=3 -> v=2);", "hhhhf"),
        (GATED, "AG(en=1 -> (q=1 <-> d=1)); AG(en=0 * q=1 -> AX(en=0 -> q=1)); AG q=0;", "hhf"),
        (SYMBOLS, "AG(x=1 * s=A -> t=A); AG(t=B -> AX(x=0 -> t=B)); AG t=C;", "hhf"),
        (FOLLOWING, "r=0; AG(started=1 -> (r=1 <-> (a=1 * b=1))); AG(r=1 <-> (a=1 * b=1));", "hhf"),
        (IMPLICIT, "AG both=0; AG EF r=3; AG(w=1 -> AX w=0);", "hhh"),
        (CLOCK, "AG r=0;", "h"),
        (TYPED, "AX AG(a[3:2]=3 * b=14 * c=1 * d=15);", "h"),
        (LOCAL, "AG(s=1 -> AX s=2); AG(s!=0);", "hh"),
        (SUBJECT, "EX n=2; AX(n=2 -> TRUE); EX m=3; AG(a=0 * b=0 -> AX n=1); AG(a=2 * b=2 -> AX n=2);", "hhhhh"),
        (PROGRAM, "AG w=1;", "h"),
    ],
)
def test_readings(text: str, formulas: str, verdicts: str) -> None:
    netlist = elaborate(parse_verilog(tokenize(Source("top.v", text))))
    found: dict[int, str] = {}
    for system in systems_of(netlist, read_properties(Source("p.ctl", formulas), ".ctl", netlist)):
        outcomes = check_all(system, system.properties)
        found.update((p.span.start, o.verdict.value[0]) for p, o in zip(system.properties, outcomes, strict=True))
    assert "".join(found[start] for start in sorted(found)) == verdicts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("module m(a); input a; reg r; always @* if (a) assign r = a; endmodule", "may or may not run"),
        (
            "module m(clk, a); input clk, a; reg r; always @(posedge clk) assign r = a; assign r = a; endmodule",
            "assigned in two places",
        ),
        ("module m(clk); input clk; reg r; always @(posedge clk) deassign r; endmodule", "deassign is not supported"),
        ("module m(clk); input clk; reg r; always @(posedge clk) r <= unheard; endmodule", "unheard is not declared"),
        ("module m(a); input a; wire x, y; assign x = y & a; assign y = x | a; endmodule", "combinational cycle"),
    ],
)
def test_mistakes(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        systems_of(elaborate(parse_verilog(tokenize(Source("m.v", text)))), [])
    assert message in caught.value.render()
