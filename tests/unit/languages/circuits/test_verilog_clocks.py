"""Registers in Verilog: asynchronous resets, latches, several and gated clocks, read by ourselves and through Yosys."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.properties import read_properties
from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize, tokenize_all
from quorbit.languages.circuits.yosys.run import MANY_CLOCKS, find_yosys, read_through_yosys
from quorbit.languages.options import LoadOptions
from quorbit.model.system.system import Temporal
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.span import Source

READERS = ["own", *(["yosys"] if find_yosys() is not None else [])]
YOSYS = READERS[1:]


def read(text: str, reader: str, folder: Path) -> Netlist:
    if reader == "own":
        return elaborate(parse_verilog(tokenize(Source("m.v", text))))
    return read_through_yosys(tokenize_all([Source("m.v", text)]), folder / "m.v", LoadOptions())


def verdicts(netlist: Netlist, formulas: str) -> str:
    system = system_of(netlist, read_properties(Source("p.ctl", formulas), ".ctl", netlist))
    return " ".join(o.verdict.value for o in check_all(system, system.properties))


COUNTER = """module m(clk, rst_n, set, step); input clk, rst_n, set, step; reg [1:0] q; reg old;
  initial begin q = 3; old = 0; end
  always @(posedge clk or negedge rst_n or posedge set)
    if (!rst_n) q <= 0; else if (set) q <= 2; else if (step) q <= q + 1;
  always @(posedge clk or posedge set) begin if (set) old <= 1; else old <= q[0]; end
endmodule
"""


@pytest.mark.parametrize("reader", READERS)
def test_an_asynchronous_reset_is_seen_at_once(reader: str, tmp_path: Path) -> None:
    netlist = read(COUNTER, reader, tmp_path)
    formulas = "AG(rst_n=0 -> q[1:0]=0); AG(rst_n=1 * set=1 -> q[1:0]=2); AG(set=1 -> old=1);"
    assert verdicts(netlist, formulas) == "holds holds holds"


@pytest.mark.parametrize("reader", READERS)
def test_a_register_goes_on_from_what_was_seen(reader: str, tmp_path: Path) -> None:
    netlist = read(COUNTER, reader, tmp_path)
    formulas = "AG(q[1:0]=2 * step=1 * set=0 -> AX(rst_n=1 * set=0 -> q[1:0]=3)); rst_n=1 * set=0 -> q[1:0]=3;"
    formulas += "AG(q[1:0]=1 * step=0 * rst_n=1 -> AX(rst_n=1 * set=0 -> q[1:0]=1)); AG(rst_n=1 -> q[1:0]=2);"
    formulas += "AG(rst_n=0 -> AX(rst_n=1 * set=0 -> q[1:0]=0)); AG(rst_n=1 * set=1 -> AX(rst_n=1 -> q[1:0]=2));"
    formulas += "AG(set=1 -> AX old=1);"
    assert verdicts(netlist, formulas) == "holds holds holds fails holds holds holds"


def test_a_reset_chooses_among_values_of_an_enumeration() -> None:
    text = """typedef enum {IDLE, WAIT, BUSY} kind; module m(clk, rst); input clk, rst; kind reg s; initial s = BUSY;
      always @(posedge clk or posedge rst) if (rst) s <= IDLE; else if (s == IDLE) s <= WAIT; else s <= BUSY;
    endmodule"""
    netlist = elaborate(parse_verilog(tokenize(Source("m.v", text))), dialect="standard")
    assert (
        verdicts(netlist, "AG(rst=1 -> s=IDLE); AG(s=IDLE -> AX(s={IDLE,WAIT})); rst=1 + s=BUSY;")
        == "holds " * 2 + "holds"
    )


def test_a_port_may_be_wider_than_what_it_is_connected_to() -> None:
    text = """module m(clk, x); input clk, x; wire [3:0] y; wide w(.a(x), .b(y)); endmodule
      module wide(a, b); input [2:0] a; output [3:0] b; assign b = a + 7; endmodule"""
    netlist = elaborate(parse_verilog(tokenize(Source("m.v", text))))
    assert verdicts(netlist, "AG(x=0 <-> y[3:0]=7); AG(x=1 <-> y[3:0]=8);") == "holds holds"


@pytest.mark.parametrize("reader", READERS)
def test_assertions_of_one_name_are_numbered(reader: str, tmp_path: Path) -> None:
    text = """module m(clk, x); input clk, x; inner a(clk, x); inner b(clk, !x); endmodule
      module inner(clk, x); input clk, x; always @(posedge clk) begin assert (x); assert (!x); end endmodule"""
    netlist = read(text, reader, tmp_path)
    assert len({claim.name for claim in netlist.claims}) == len(netlist.claims) == 4


def test_a_computed_clock_is_not_taken_for_the_step() -> None:
    text = "module m(clk, en, d); input clk, en, d; wire g; assign g = clk & en; reg q; always @(posedge g) q <= d;"
    with pytest.raises(UserError, match="the clock g is computed"):
        elaborate(parse_verilog(tokenize(Source("m.v", text + " endmodule"))))


@pytest.mark.parametrize("reader", YOSYS)
def test_gated_and_several_clocks_run_freely(reader: str, tmp_path: Path) -> None:
    text = """module m(clk, en, d); input clk, en, d; wire g; assign g = clk & en; reg q, h; initial {q, h} = 0;
      always @(posedge g) q <= d; always @(negedge clk) h <= q; endmodule"""
    netlist = read(text, reader, tmp_path)
    assert netlist.notes == (MANY_CLOCKS,)
    formulas = (
        "AG(q=0 * d=0 -> AX q=0); AG(q=0 * clk=1 * en=1 -> AX q=0); AG(q=0 -> AX q=0); AG(clk=0 * h=0 -> AX h=0);"
    )
    assert verdicts(netlist, formulas) == "holds holds fails holds"


@pytest.mark.parametrize("reader", YOSYS)
def test_transparent_latches(reader: str, tmp_path: Path) -> None:
    text = """module m(en, d); input en, d; reg q; always @* if (en) q = d; endmodule"""
    netlist = read(text, reader, tmp_path)
    formulas = "AG(en=1 -> q == d); AG(q=1 -> AX(en=1 + q=1)); AG(q=0 -> AX(en=1 + q=0)); EF(q=1 * d=0);"
    assert verdicts(netlist, formulas) == "holds holds holds holds"


TWO_PHASES = """module m(one, two); input one, two; reg a, b; initial {a, b} = 0;
  always @* if (one) a = !b; always @* if (two) b = a;
  always @* assume (!(one && two)); endmodule"""


@pytest.mark.parametrize("reader", YOSYS)
def test_a_ring_of_latches_that_could_all_be_open_is_refused(reader: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="combinational cycle goes through"):
        system_of(read(TWO_PHASES, reader, tmp_path), [])


@pytest.mark.parametrize("reader", YOSYS)
def test_a_pipeline_of_latches_in_two_phases(reader: str, tmp_path: Path) -> None:
    netlist = read(TWO_PHASES.replace("!b", "d").replace("one, two", "one, two, d"), reader, tmp_path)
    formulas = "AG(one=0 + a == d); AG(two=0 + b == a); EF(a=1 * b=0); EF(a=0 * b=1); AG(b=0 -> AX(two=1 + b=0));"
    assert verdicts(netlist, formulas) == "holds holds holds holds holds"


@pytest.mark.parametrize("reader", YOSYS)
def test_a_cover_is_a_claim_to_be_reached(reader: str, tmp_path: Path) -> None:
    text = "module m(clk, x); input clk, x; always @(posedge clk) cover (x); endmodule"
    netlist = read(text, reader, tmp_path)
    assert [claim.kind for claim in netlist.claims] == ["sometimes"]
    (asked,) = system_of(netlist, []).properties
    assert isinstance(asked, Temporal)
    assert asked.cover


@pytest.mark.parametrize("reader", YOSYS)
def test_instances_and_memories_leave_no_hidden_registers(reader: str, tmp_path: Path) -> None:
    text = """module m(clk, a, d, y); input clk; input [1:0] a, d; output [1:0] y; store s(clk, a, d, y); endmodule
      module store(clk, a, d, y); input clk; input [1:0] a, d; output [1:0] y; reg [1:0] words [0:3];
      assign y = words[a]; always @(posedge clk) words[a] <= d; endmodule"""
    netlist = read(text, reader, tmp_path)
    assert len(netlist.latches) == 8
