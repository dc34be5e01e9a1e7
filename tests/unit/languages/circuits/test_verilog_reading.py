"""The own Verilog reader: expressions against Python's arithmetic, statements, hierarchy, enumerations, mistakes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.properties import read_properties
from quorbit.languages.circuits.verilog import read as readers
from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.languages.options import LoadOptions
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.span import Source


def read(text: str) -> Netlist:
    return elaborate(parse_verilog(tokenize(Source("test.v", text))))


def verdicts(text: str, properties: str) -> list[str]:
    netlist = read(text)
    system = system_of(netlist, read_properties(Source("p.ctl", properties), ".ctl", netlist))
    return [o.verdict.value for o in check_all(system, system.properties)]


def states(text: str) -> int:
    netlist = read(text)
    system = system_of(netlist, read_properties(Source("p.ctl", "EF TRUE;"), ".ctl", netlist))
    return check_all(system, system.properties)[0].statistics.states


OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "&&": lambda a, b: bool(a) and bool(b),
    "||": lambda a, b: bool(a) or bool(b),
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "/": lambda a, b: a // b if b else 255,
    "%": lambda a, b: a % b if b else a,
}


@pytest.mark.parametrize("operator", list(OPERATORS))
def test_operators_on_registers(operator: str) -> None:
    """Two constant registers and their combination, eight bits wide."""
    rng = random.Random(operator)
    for _ in range(3):
        a, b = rng.randrange(256), rng.randrange(256) if operator not in ("<<", ">>") else rng.randrange(10)
        text = f"module m(clk); input clk; reg [7:0] a, b; wire [7:0] y; assign y = a {operator} b;"
        text += (
            f"initial begin a = {a}; b = {b}; end always @(posedge clk) a = a; always @(posedge clk) b = b; endmodule"
        )
        assert verdicts(text, f"AG(y[7:0]={int(OPERATORS[operator](a, b)) & 255});") == ["holds"], (a, b)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("{a[1:0], 2'b11, a[3]}", 0b10_11_1),
        ("{2{a[2:0]}}", 0b010010),
        ("&a", 0),
        ("|a", 1),
        ("^a", 0),
        ("~^a", 1),
        ("!a", 0),
        ("~a", 0b11110101),
        ("-a", 0b11110110),
        ("a[b]", 1),
        ("a == 10 ? 7 : 3", 7),
        ("8'hf0 | 8'o7", 0xF7),
        ("$signed(4'b1111) < $signed(4'b0001)", 1),
        ("4'b1111 < 4'b0001", 0),
        ("$signed(4'b1000) >>> 1", 0b11111100),
        ("(a + 250) >> 8", 1),
        ("a ** 2", 100),
    ],
)
def test_expressions(expression: str, value: int) -> None:
    text = f"module m(clk); input clk; reg [7:0] a, b; wire [7:0] y; assign y = {expression};"
    text += "initial begin a = 10; b = 3; end always @(posedge clk) begin a = a; b = b; end endmodule"
    assert verdicts(text, f"AG(y[7:0]={value});") == ["holds"]


def test_blocking_and_non_blocking() -> None:
    swap = "module m(clk); input clk; reg a, b; initial begin a = 0; b = 1; end always @(posedge clk) "
    swap += "begin a {0} b; b {0} a; end endmodule"
    assert verdicts(swap.format("<="), "AG(a=0 -> AX(a=1 * b=0));") == ["holds"]
    assert verdicts(swap.format("="), "AX AG(a=1 * b=1);") == ["holds"]


def test_blocks_read_what_other_blocks_held_before() -> None:
    text = "module m(clk); input clk; reg a, b; initial begin a = 0; b = 1; end always @(posedge clk) a = "
    text += "b; always @(posedge clk) b = a; endmodule"
    assert verdicts(text, "AG(a=0 <-> b=1);") == ["holds"]


def test_case_if_for_arrays_functions_and_tasks() -> None:
    text = """
    module m(clk, sel);
        input clk; input [1:0] sel;
        reg [2:0] mem[0:3]; reg [2:0] top; integer i;
        function [2:0] plus; input [2:0] x; input [2:0] y; plus = x + y; endfunction
        task clear; begin for (i = 0; i < 4; i = i + 1) mem[i] = 0; end endtask
        initial begin clear; top = 0; end
        always @(posedge clk) begin
            casez (sel)
                2'b0?: mem[sel] = plus(mem[sel], 1);
                2'b10: top = mem[1];
                default: begin mem[0] = 5; mem[0][1] = 1; end
            endcase
        end
    endmodule"""
    formulas = "AG(mem<*2*>[2:0]=0); EF(mem<*1*>[2:0]=7); AG(mem<*0*>[2:0]!=6 + EX mem<*0*>[2:0]=7); EF(top[2:0]=3);"
    assert verdicts(text, formulas) == ["holds"] * 4


def test_initial_values_may_depend_on_each_other_and_on_inputs() -> None:
    text = "module m(clk, x); input clk, x; reg a, b, c; initial begin a = $ND(0,1); b = a; c = x; end "
    text += "always @(posedge clk) begin a = a; b = b; c = c; end endmodule"
    assert states(text) == 4
    assert verdicts(text, "AG(a==b); EF(c=1 * a=0); AG(c=0);") == ["holds", "fails", "fails"]


def test_enumerations_share_names_and_pass_through_ports() -> None:
    text = """
    typedef enum {IDLE, RUN} one;
    typedef enum {STOP, IDLE, GO} two;
    module top(clk); input clk; one wire p; two wire q; cell1 x(clk, p, IDLE); cell2 y(clk, p, q); endmodule
    module cell1(clk, s, first); input clk, first; output s; one wire first; one reg s;
        initial s = first;
        always @(posedge clk) s = s == IDLE ? RUN : IDLE;
    endmodule
    module cell2(clk, s, t); input clk, s; output t; one wire s; two reg t; two wire any;
        assign any = $ND(STOP, GO);
        initial t = IDLE;
        always @(posedge clk) if (s == RUN) t = any; else t = IDLE;
    endmodule"""
    assert (
        verdicts(text, "AG(p=IDLE -> AX q=IDLE); AG(p=RUN -> AX q={STOP,GO}); AG(x.s=RUN <-> p=RUN);") == ["holds"] * 3
    )


def test_parameters_generate_and_instances() -> None:
    text = """
    module top(clk); input clk; parameter N = 3; wire [N:0] w; assign w[0] = 1;
        genvar i;
        generate for (i = 0; i < N; i = i + 1) begin : stage
            delay #(.START(i % 2)) d(.clk(clk), .in(w[i]), .out(w[i+1]));
        end endgenerate
    endmodule
    module delay(clk, in, out); parameter START = 0; input clk, in; output out; reg out;
        initial out = START;
        always @(posedge clk) out <= in;
    endmodule"""
    assert verdicts(text, "AX AX AX AG w[3:0]=15; w<2>=1 * w<1>=0;") == ["holds", "holds"]


def test_assertions_and_assumptions() -> None:
    text = "module m(clk, x); input clk, x; reg a; initial a = 0; always @(posedge clk) a = x; {0} never: "
    text += "assert property (@(posedge clk) !a); endmodule"
    for extra, verdict in (("", "fails"), ("assume property (!x);", "holds")):
        netlist = read(text.format(extra))
        system = system_of(netlist, [])
        assert [(o.property, o.verdict.value) for o in check_all(system, system.properties)] == [("never", verdict)]


def test_macros_and_conditions() -> None:
    text = "`define W 3\n`define NEXT(x) ((x) + 1)\n`ifdef MISSING\nnonsense\n`else\nmodule m(clk); input "
    text += "clk; reg [`W-1:0] c; initial c = 0; always @(posedge clk) c = `NEXT(c); endmodule\n`endif\n"
    assert states(text) == 8


MISTAKES = [
    ("module m(clk); input clk; reg a; always @(posedge clk) a = b; endmodule", "b is not declared"),
    ("module m(clk); input clk; wire a; assign a = 0; assign a = 1; endmodule", "a is driven twice"),
    (
        "module m(clk); input clk; reg a; always @(posedge clk) a = 0; always @(posedge clk) a = 1; endmodule",
        "two places",
    ),
    (
        "module m(c, d); input c, d; reg a, b; always @(posedge c) a = 0; always @(posedge d) b = 1; endmodule",
        "two clocks",
    ),
    ("module m(clk); input clk; sub s(clk); endmodule", "there is no module sub"),
    (
        "typedef enum {A, B} t; typedef enum {A, C} t; module m(clk); input clk; endmodule",
        "t is defined twice, with other",
    ),
    ("module m(clk); input clk; m s(clk); endmodule", "every module is part of another"),
    ("module m(clk; input clk; endmodule", "expected , or )"),
    ("module m(clk); input clk; wire a; assign a = ~a; endmodule", "combinational cycle"),
    ("module m(clk); input clk; reg [1:0] a; always @(posedge clk) a[5] = 0; endmodule", "out of range"),
    ("module m(clk); input clk; always @(posedge clk) while (1) ; endmodule", "runs more than"),
    (
        "typedef enum {A, B} t; module m(clk); input clk; t reg s; always @(posedge clk) s = C; endmodule",
        "C is not of the enumeration t",
    ),
    ("module m(clk); input clk; wire y; assign y = " + "(" * 100_000 + "; endmodule", "nested"),
    ("module m(clk); input clk; wire y; assign y = `NOPE; endmodule", "not defined"),
    ("module m(clk); input clk; always @(posedge clk) begin endmodule", "end"),
    ("§", "unexpected character"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_mistakes_are_told(text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        system_of(read(text), [])
    assert message in caught.value.render()


def test_includes_are_found_next_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "part.v").write_text("reg a; initial a = 0; always @(posedge clk) a = !a;\n")
    text = 'module m(clk); input clk;\n`include "part.v"\nendmodule\n'
    netlist = elaborate(parse_verilog(tokenize(Source(str(tmp_path / "m.v"), text))))
    assert [latch.output for latch in netlist.latches] == ["a"]


def test_an_integer_that_is_read_keeps_its_value() -> None:
    text = """module m(clk, go); input clk, go; reg [1:0] x; integer i;
      initial begin x = 0; i = 0; end
      always @(posedge clk) begin if (go) i = i + 1; if (i == 3) i = 0; x = i; end endmodule"""
    assert verdicts(text, "AG(!x[1:0]=3); EF(x[1:0]=2); AG(x[1:0]=0 -> AX(x[1:0]={0,1}));") == ["holds"] * 3


def test_loop_variables_need_no_declaration_and_other_loops_are_unrolled() -> None:
    text = """module m(clk); input clk; reg [3:0] x; reg [3:0] y; integer k;
      initial for (i = 0; i < 4; i = i + 1) begin x[i] = 1; y[i] = 0; end
      always @(posedge clk) begin
        k = 0; while (k < 4) begin y[k] = x[k]; k = k + 2; end
        repeat (3) x = x >> 1;
      end endmodule"""
    assert verdicts(text, "x[3:0]=15; AX(x[3:0]=1 * y[3:0]=5); AX AX(x[3:0]=0);") == ["holds"] * 3


def test_first_values_may_depend_on_other_first_values() -> None:
    text = """module m(clk); input clk; reg a, b, c, d; wire w; assign w = !a;
      initial begin b = a; c = w; d = $ND(0,1); end
      always @(posedge clk) d = d; endmodule"""
    assert verdicts(text, "a == b; !(a == c); d=0;") == ["holds", "holds", "fails"]


def test_assertions_have_labels_and_implications() -> None:
    netlist = read("""module m(clk, go); input clk, go; reg [1:0] x; initial x = 0;
      always @(posedge clk) x = go && x < 2 ? x + 1 : x;
      assert small: (x <= 2);
      always assert tiny: x < 2;
      last: assert property (@(posedge clk) disable iff (go) x == 2 |-> x != 1);
    endmodule""")
    system = system_of(netlist, [])
    found = {o.property: o.verdict.value for o in check_all(system, system.properties)}
    assert found == {"small": "holds", "tiny": "fails", "last": "holds"}


def test_files_are_included_with_and_without_quotes(tmp_path: Path) -> None:
    (tmp_path / "inner.v").write_text("module inner(a, b); input a; output b; assign b = !a; endmodule\n")
    (tmp_path / "more.v").write_text("module more(a, b); input a; output b; assign b = a; endmodule\n")
    text = """module m(clk); input clk; reg x; wire y, z; initial x = 0; inner i(x, y); more j(y, z);
      always @(posedge clk) x = z; endmodule
`include "inner.v"
`include more.v
"""
    path = tmp_path / "m.v"
    path.write_text(text)
    netlist = elaborate(parse_verilog(tokenize(Source(str(path), text))))
    system = system_of(netlist, read_properties(Source("p.ctl", "AG(x=0 -> AX x=1);"), ".ctl", netlist))
    assert [o.verdict.value for o in check_all(system, system.properties)] == ["holds"]


def test_a_word_that_nobody_can_read_is_refused_without_asking_yosys(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def asked(*given: object) -> None:
        raise AssertionError("Yosys was asked")

    monkeypatch.setattr(readers, "readers_of_yosys", asked)
    (tmp_path / "m.v").write_text("module m(input [99999999:0] a, output b); assign b = a[0]; endmodule\n")
    with pytest.raises(UserError, match="a has 100,000,000 bits; a word can have at most 1,048,576") as refused:
        readers.read_verilog(tmp_path / "m.v", LoadOptions())
    assert str(refused.value.span).endswith("m.v:1:29")
