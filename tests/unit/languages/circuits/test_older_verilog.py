"""What Verilog of 1995 writes in its own way: arguments declared twice, names that later became words, delays."""

from __future__ import annotations

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.properties import read_properties
from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.source.errors import UserError
from quorbit.source.span import Source

ENUMERATION = "typedef enum {A, B, C} t; "


def verdicts(text: str, properties: str) -> str:
    netlist = elaborate(parse_verilog(tokenize(Source("test.v", text))))
    system = system_of(netlist, read_properties(Source("p.ctl", properties), ".ctl", netlist))
    return " ".join(o.verdict.value for o in check_all(system, system.properties))


def clocked(declared: str, first: str, step: str) -> str:
    blocks = f"initial begin {first} end always @(posedge clk) begin {step} end"
    return f"module m(clk); input clk; {declared} {blocks} endmodule"


def test_an_argument_may_be_declared_twice() -> None:
    function = "function [1:0] f; input x; input y; reg [1:0] x; reg y; begin f = x + y; end endfunction reg [1:0] q;"
    assert verdicts(clocked(function, "q = 1;", "q = f(q, 1);"), "AX q[1:0]=2;") == "holds"
    task = "task t; output [1:0] y; input [1:0] x; reg [1:0] y, x; begin y = x + 1; end endtask reg [1:0] q;"
    assert verdicts(clocked(task, "q = 1;", "t(q, q);"), "AX q[1:0]=2;") == "holds"
    typed = """function t after; input x; t reg x;
      case (x) A: after = B; B: after = C; C: after = A; endcase endfunction t reg s;"""
    assert verdicts(ENUMERATION + clocked(typed, "s = B;", "s = after(s);"), "AX(s=C * AX s=A);") == "holds"


def test_a_task_gives_back_what_goes_in_and_out() -> None:
    text = clocked("task up; inout [1:0] y; y = y + 1; endtask reg [1:0] q;", "q = 1;", "up(q);")
    assert verdicts(text, "AX(q[1:0]=2 * AX q[1:0]=3);") == "holds"


def test_a_task_writes_to_the_parts_of_a_concatenation() -> None:
    add = "task add; input [1:0] a, b; output [2:0] s; s = a + b; endtask reg [1:0] q; reg c, d;"
    assert verdicts(clocked(add, "q = 3; c = 0; d = 0;", "add(q, q, {c, q});"), "AX(c=1 * q[1:0]=2);") == "holds"
    assert verdicts(clocked("reg a, b, c;", "{{a, b}, c} = 6;", "{a, {b, c}} = {c, a, b};"), "AX(a=0 * b=1 * c=1);")


def test_an_argument_is_computed_at_its_own_width() -> None:
    text = clocked("reg [3:0] q; reg r; task low; input a; r = a; endtask", "q = 4; r = 0;", "low(q >> 2);")
    assert verdicts(text, "AX r=1;") == "holds"


def test_a_result_with_a_sign_keeps_it() -> None:
    text = clocked("reg [3:0] q; task t; output signed [1:0] y; y = -1; endtask", "q = 0;", "t(q);")
    assert verdicts(text, "AX q[3:0]=15;") == "holds"


def test_a_parameter_may_be_what_a_function_returns() -> None:
    log = """function integer log; input integer n;
      begin log = 0; while (n > 1) begin n = n >> 1; log = log + 1; end end endfunction"""
    assert (
        verdicts(clocked(f"{log} parameter W = log(9); reg [W-1:0] q;", "q = 15;", "q = q + 1;"), "AX q[2:0]=0;")
        == "holds"
    )


def test_words_of_systemverilog_are_names() -> None:
    text = clocked(
        "reg [1:0] bit; reg int, logic, priority, assert, cover, unique;",
        "bit = 1; int = 0; logic = 0; priority = 0; assert = 0; cover = 0; unique = 0;",
        "bit[1] = bit[0]; int = bit; logic <= int; priority = 1; assert <= priority; cover = assert; unique = 1;",
    )
    assert verdicts(text, "AX(bit[1:0]=3 * int=1 * logic=1 * assert=1 * cover=0 * unique=1);") == "holds"
    modern = clocked("logic [1:0] a, b; bit c;", "a = 1; b = 2; c = 1;", "logic [1:0] k; k = a; a = b; b = k;")
    assert verdicts(modern, "AX(a[1:0]=2 * b[1:0]=1 * c=1);") == "holds"


def test_a_macro_goes_on_behind_a_backslash() -> None:
    text = "`define STEP q = q + 1; \\\n q = q + 1; \\\r\n q = q + 1;\n" + clocked("reg [2:0] q;", "q = 0;", "`STEP")
    assert verdicts(text, "AX q[2:0]=3;") == "holds"
    left_out = "`ifdef NEVER\n`define STEP q = 0; \\\n `unknown\n`endif\n" + clocked("reg q;", "q = 0;", "q = ~q;")
    assert verdicts(left_out, "AX q=1;") == "holds"


def test_delays_and_what_is_said_of_them_mean_nothing() -> None:
    text = """macromodule m(clk, y); input clk; output y; reg a; wire #3 w = a; wire vectored [1:0] v;
      assign #(1:2:3, 4) v = {a, w}; not #(1) n(y, a);
      specify specparam t = 3; (clk => y) = (t, 2); endspecify
      initial #5 a = 0; always @(posedge clk) #1 a = #(2) ~a; initial $monitor("%b", a); initial $strobe(a);
    endmodule"""
    assert verdicts(text, "AG(v[1:0]={0,3} * (a=1 <-> y=0)); AX a=1;") == "holds holds"
    with pytest.raises(UserError, match="this specify block has no endspecify"):
        verdicts("module m(a); input a; specify (a => a) = 1; endmodule", "TRUE;")
