"""VCD: concrete names, values over time, scopes."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.cli.main import main
from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.blif.parse import parse
from quorbit.languages.circuits.load import load
from quorbit.languages.circuits.properties import read_properties
from quorbit.languages.circuits.vcd import identifier, write_vcd
from quorbit.languages.options import LoadOptions
from quorbit.netlists.flatten import flatten
from quorbit.source.span import Source

TEXT = """.model top
.inputs go
.subckt cell left go=go s=a
.subckt cell right go=a s=b
.end
.model cell
.inputs go
.outputs s
.mv mode, after 2 OFF ON
.table go mode -> after
.def =mode
1 - ON
.table mode -> s
ON 1
OFF 0
.latch after mode
.r mode
OFF
.end
"""


def test_a_trace_is_written_with_names_scopes_and_changes() -> None:
    netlist = flatten(parse(Source("top.mv", TEXT), False))
    system = system_of(netlist, read_properties(Source("p.ctl", "AG !(right.mode=ON);"), ".ctl", netlist))
    (outcome,) = check_all(system, system.properties)
    assert outcome.trace is not None
    lines = write_vcd(system, outcome.trace).splitlines()
    assert "$scope module top $end" in lines
    assert "$scope module left $end" in lines
    codes = {line.split()[4]: line.split()[3] for line in lines if line.startswith("$var") and "mode" not in line}
    left, right = (line.split()[3] for line in lines if line.startswith("$var") and line.split()[4] == "mode")
    times = [lines.index(f"#{k}") for k in range(4)]
    assert lines.count("$upscope $end") == sum(line.startswith("$scope") for line in lines)
    assert "$comment left.mode: 0 OFF, 1 ON $end" in lines
    assert {f"0{left}", f"0{right}", f"1{codes['go']}"} <= set(lines[times[0] : times[1]])
    assert f"1{left}" in lines[times[1] : times[2]]
    assert f"1{right}" in lines[times[2] : times[3]]
    assert f"0{left}" not in lines[times[1] :]


COUNTER = """module top(input clk, input [1:0] d, output [3:0] y);
  cell c(clk, d, y);
  bad: assert property (@(posedge clk) y != 5);
endmodule
module cell(input clk, input [1:0] d, output reg [3:0] n);
  initial n = 0;
  always @(posedge clk) n <= n + d;
endmodule
"""


def read_by_another(file: Path) -> Any:
    """By a library that lets SIGPIPE end the process once it is imported: later tests write to dead workers."""
    before = signal.getsignal(signal.SIGPIPE)
    from vcdvcd import VCDVCD

    signal.signal(signal.SIGPIPE, before)
    return VCDVCD(str(file))


def test_another_reader_takes_buses_and_hierarchy(tmp_path: Path) -> None:
    (tmp_path / "top.v").write_text(COUNTER)
    system = load(tmp_path / "top.v", LoadOptions())
    (outcome,) = check_all(system, system.properties)
    assert outcome.trace is not None
    (tmp_path / "top.vcd").write_text(write_vcd(system, outcome.trace))
    waves = read_by_another(tmp_path / "top.vcd")
    (shown,) = [name for name in waves.signals if name.endswith("[3:0]")]
    assert shown in ("top.y[3:0]", "top.c.n[3:0]")
    steps, inputs = waves[shown], waves["top.d[1:0]"]
    seen = [int(steps[k], 2) for k in range(len(outcome.trace.steps) + 1)]
    assert seen[-1] == 5
    assert all(seen[k + 1] == seen[k] + int(inputs[k], 2) for k in range(len(outcome.trace.steps)))
    assert not any("$" in name for name in waves.signals)


def test_identifiers_are_short_printable_and_different() -> None:
    names = [identifier(i) for i in range(20_000)]
    assert len(set(names)) == len(names)
    assert all(33 <= ord(c) <= 126 for name in names for c in name)
    assert max(map(len, names)) == 3


def test_the_first_bit_of_a_vector_may_be_its_highest(tmp_path: Path) -> None:
    """As it is declared: in waves, in what is told, and in formulas that name a vector or a word of a memory."""
    text = """module m(input clk, input [0:3] a); reg [0:3] r; reg [7:4] h; reg [2:5] mem [0:1];
      initial begin r = 1; h = 3; mem[0] = 1; mem[1] = 2; end
      always @(posedge clk) begin r <= a; h <= h + 1; end
      x: assert property (r != 4);
    endmodule"""
    (tmp_path / "m.v").write_text(text)
    system = load(tmp_path / "m.v", LoadOptions())
    (outcome,) = check_all(system, system.properties)
    assert outcome.trace is not None
    waves = write_vcd(system, outcome.trace)
    assert "r [0:3] $end" in waves
    assert "h [7:4] $end" in waves
    assert "mem[1] [2:5] $end" in waves
    code = next(line.split()[3] for line in waves.splitlines() if line.endswith("r [0:3] $end"))
    assert f"\nb0100 {code}\n" in waves
    told = {word.name for word in system.telling.words}
    assert told == {"r", "h", "mem[0]", "mem[1]"}
    for asked, expected in (("AG r!=4", 1), ("EF h=9", 0), ("AG mem[0]=1", 0), ("AG mem[1][3:4]=b01", 0)):
        assert main(["check", str(tmp_path / "m.v"), "--property", asked]) == expected
