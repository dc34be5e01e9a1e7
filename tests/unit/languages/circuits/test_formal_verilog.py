"""What is asked of a checker in Verilog beside assertions: the first state, constants and inputs that it chooses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.load import read_netlist
from quorbit.languages.circuits.verilog.read import read_by_ourselves
from quorbit.languages.circuits.verilog.tokens import Token, tokenize, tokenize_all
from quorbit.languages.circuits.yosys.run import find_slang, find_yosys, read_through_yosys
from quorbit.languages.options import LoadOptions
from quorbit.netlists.netlist import Netlist
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError
from quorbit.source.span import Source

COUNTER = """module top(input clk, input rst, input d);
  reg [1:0] c; reg v = 0, w = 0;
  always @(posedge clk) begin v <= 1; w <= v; if (rst) c <= 0; else c <= c + d; end
  {first}
  always @(*) if (v) low: assert (c < 2);
  always @(*) if (v && !w) early: assert (c == 0);
endmodule
"""
FIRST = [
    "initial assume (rst);",
    "initial begin assume (rst); end",
    "initial begin : named v = 0; known: assume (rst && !v); end",
    "always @(*) if ($initstate) assume (rst);",
    "always @(*) if ($initstate) restrict (rst);",
    "initial restrict (rst);",
]
CONDITION = """module top(input clk, input x);
  reg [1:0] c;
  initial if (x) assume (c == 2); else assume (c == 0);
  always @(posedge clk) c <= c;
  always @(*) even: assert (c == 2 || c == 0);
  always @(*) zero: assert (c == 0);
endmodule
"""
CHOSEN = """module top(input clk);
  {chosen}
  reg [1:0] last; reg v = 0;
  always @(posedge clk) begin v <= 1; last <= k; end
  always @(*) if (v) same: assert (k == last);
  always @(*) zero: assert (k == 0);
  always @(*) high: assert (k < 2);
endmodule
"""
STARTS = """module top(input clk, input d);
  reg q = 0;
  always @(posedge clk) q <= d;
  initial at_first: assert (q == 0);
  initial never: assert (q == 1);
endmodule
"""
SOME_DAY = """module top(input clk, input d);
  reg [1:0] z = 0;
  always @(posedge clk) z <= z + d;
  some: assert property (@(posedge clk) s_eventually z == 3);
  again: assert property (@(posedge clk) z == 1 |-> s_eventually z == 3);
  {fair}
endmodule
"""


def by_yosys(tokens: list[Token], by_slang: bool) -> Netlist:
    return read_through_yosys(tokens, Path("m.sv"), LoadOptions(), by_slang)


READERS = {
    "ours": lambda tokens: read_by_ourselves(tokens, LoadOptions()),
    "yosys": lambda tokens: by_yosys(tokens, False),
    "slang": lambda tokens: by_yosys(tokens, True),
}


@pytest.fixture(params=READERS)
def read(request: pytest.FixtureRequest) -> Callable[[str], Netlist]:
    if (request.param == "yosys" and find_yosys() is None) or (request.param == "slang" and find_slang() is None):
        pytest.skip(f"{request.param} is not installed")
    reader = READERS[request.param]
    return lambda text: reader(tokenize_all([Source("m.sv", text)]))


def answers(netlist: Netlist) -> dict[str, str]:
    system = system_of(netlist, ())
    outcomes = check_all(system, system.properties)
    return {
        p.name: o.verdict.value for p, o in zip(system.properties, outcomes, strict=True) if "left side" not in p.name
    }


@pytest.mark.parametrize("first", FIRST)
def test_an_assumption_in_an_initial_block_is_about_the_first_state(first: str, read: Callable[[str], Netlist]) -> None:
    assert answers(read(COUNTER.replace("{first}", first))) == {"low": "fails", "early": "holds"}


def test_without_it_the_first_state_is_free(read: Callable[[str], Netlist]) -> None:
    assert answers(read(COUNTER.replace("{first}", ""))) == {"low": "fails", "early": "fails"}


def test_every_check_in_an_initial_block_is_about_the_first_state(read: Callable[[str], Netlist]) -> None:
    assert answers(read(STARTS)) == {"at_first": "holds", "never": "fails"}


@pytest.mark.parametrize("suffix", [".v", ".sv"])
def test_a_cover_in_an_initial_block_is_reached_in_the_first_state(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"top{suffix}"
    file.write_text(STARTS.replace("endmodule", "initial begin some: cover (d); none: cover (q); end endmodule"))
    assert [result.verdict for result in check(file).results] == ["holds", "fails", "holds", "fails"]


@pytest.mark.skipif(find_yosys() is None, reason="Yosys reads these")
def test_a_check_under_a_condition_in_an_initial_block() -> None:
    assert answers(by_yosys(tokenize(Source("m.sv", CONDITION)), False)) == {"even": "holds", "zero": "fails"}
    with pytest.raises(UserError, match="under a condition inside an initial block"):
        read_by_ourselves(tokenize(Source("m.sv", CONDITION)), LoadOptions())


@pytest.mark.parametrize(
    ("chosen", "same"),
    [
        ("wire [1:0] k = $anyconst;", "holds"),
        ("wire [1:0] k = $allconst;", "holds"),
        ("wire [1:0] k = $anyseq;", "fails"),
        ("(* anyconst *) wire [1:0] k;", "holds"),
        ("(* anyconst *) reg [1:0] k;", "holds"),
        ("(* anyseq *) reg [1:0] k;", "fails"),
    ],
)
def test_what_the_checker_chooses(chosen: str, same: str, read: Callable[[str], Netlist]) -> None:
    found = answers(read(CHOSEN.replace("{chosen}", chosen)))
    assert found == {"same": same, "zero": "fails", "high": "fails"}


@pytest.mark.parametrize(
    ("fair", "verdict"), [("", "fails"), ("assume property (@(posedge clk) s_eventually d);", "holds")]
)
def test_what_happens_some_day(fair: str, verdict: str, read: Callable[[str], Netlist]) -> None:
    assert answers(read(SOME_DAY.replace("{fair}", fair))) == {"some": verdict, "again": verdict}


@pytest.mark.skipif(find_slang() is None, reason="slang reads these")
def test_labels_that_slang_loses() -> None:
    text = """module top(input logic clk, input logic [1:0] z, output logic [3:0] y);
      always_ff @(posedge clk) one: assert (z[0]);
      always_ff @(posedge clk) begin two: assert (!$isunknown(z)); end
      always_comb begin y = '0; y[z] = 1'b1; end
      always_comb three: assert ($onehot(y));
    endmodule"""
    assert answers(by_yosys(tokenize(Source("m.sv", text)), True)) == {"one": "fails", "two": "holds", "three": "holds"}


NAMED = """module top #(parameter MODE = "SLOW") (input clk, input x, output reg [1:0] q);
  initial q = 0;
  generate if (MODE == "FAST") begin always @(posedge clk) q <= q + 1; end
  else if (MODE == "SLOW") begin always @(posedge clk) q <= x; end
  else begin always @(posedge clk) q <= 3; end endgenerate
  wire [31:0] s = "ab\\n";
  always @(*) text: assert (s == 32'h0061620a);
  always @(*) low: assert (q < 2);
  always @(*) zero: assert (q == 0 || q == 3);
  // synthesis translate_off
  initial $nobody_knows(`missing);
  /* synthesis translate_on */
endmodule
"""


@pytest.mark.parametrize(
    ("mode", "low", "zero"), [("", "holds", "fails"), ("FAST", "fails", "fails"), ("OFF", "fails", "holds")]
)
@pytest.mark.parametrize("suffix", [".v", ".sv"])
def test_parameters_that_are_words(mode: str, low: str, zero: str, suffix: str, tmp_path: Path) -> None:
    if suffix == ".sv" and find_yosys() is None:
        pytest.skip("Yosys reads these")
    file = tmp_path / f"top{suffix}"
    file.write_text(NAMED)
    options = LoadOptions(parameters=(("MODE", f'"{mode}"'),) if mode else ())
    assert answers(read_netlist(file, options)) == {"text": "holds", "low": low, "zero": zero}


@pytest.mark.skipif(find_yosys() is None, reason="Yosys reads these")
def test_a_memory_with_two_clocks(tmp_path: Path) -> None:
    file = tmp_path / "top.sv"
    file.write_text(
        """module top(input a, b, input i, j, input [1:0] x, y);
          reg [1:0] m [0:1]; initial begin m[0] = 0; m[1] = 0; end
          always @(posedge a) m[i] <= x & 1;
          always @(posedge b) m[j] <= y & 2;
          always @(*) one: assert (m[0] != 3);
          always @(*) low: assert (m[1] < 2);
        endmodule"""
    )
    assert answers(read_netlist(file, LoadOptions())) == {"one": "holds", "low": "fails"}


def test_deferred_assertions_are_asked_like_others() -> None:
    text = """module top(input clk, input x);
      reg q = 0; always @(posedge clk) q <= 1;
      always @(*) begin soon: assert #0 (q || !q); end
      always @(*) begin late: assert final (q) else $error("no"); end
    endmodule"""
    assert answers(read_by_ourselves(tokenize(Source("m.sv", text)), LoadOptions())) == {
        "soon": "holds",
        "late": "fails",
    }
