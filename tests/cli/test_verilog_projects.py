"""Verilog projects on the command line: several files, folders, top modules, parameters, .sby files, covers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorbit.cli.main import main
from quorbit.languages.circuits.yosys.run import find_slang

TOP = """module first(input clk); endmodule
module top #(parameter N = 3)(input clk, input en, output [2:0] o);
`include "limit.vh"
  reg [2:0] q; initial q = 0; inc i(q, o);
  always @(posedge clk) if (en && q != N) q <= o;
  ok: assert property (@(posedge clk) q <= `LIMIT);
  far: cover property (@(posedge clk) q == `LIMIT ##1 q == `LIMIT);
  vacuous: assert property (@(posedge clk) q == 7 |=> q == 0);
endmodule
"""
INC = "module inc(input [2:0] a, output [2:0] b); assign b = a + 1; endmodule\n"
SBY = """[tasks]
proof
look
[options]
proof: mode prove
look: mode cover
depth 12
[engines]
smtbmc
[script]
read -formal top.v
read -formal inc.v
chparam -set N 2 top
prep -top top
[files]
top.v
inc/limit.vh
[file inc.v]
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "limit.vh").write_text("`define LIMIT 3\n")
    (tmp_path / "top.v").write_text(TOP)
    (tmp_path / "inc.v").write_text(INC)
    (tmp_path / "project.sby").write_text(SBY + INC)
    return tmp_path


def asked(project: Path, *options: str, capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    files = ["--source", str(project / "inc.v"), "-I", str(project / "inc"), "--top", "top"]
    main(["check", str(project / "top.v"), *files, "--json", *options])
    found = json.loads(capsys.readouterr().out)
    assert "results" in found, found
    return {result["property"]: result for result in found["results"]}


def test_several_files_and_a_top_module(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(project, capsys=capsys)
    assert {name: result["verdict"] for name, result in found.items()} == {
        "ok": "holds",
        "far": "holds",
        "vacuous": "holds",
    }
    assert found["far"]["trace"], "a reached cover has its witness"
    notes = str(found["vacuous"])
    assert "vacuously" in notes


def test_a_parameter_of_the_top_module(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(project, "-P", "N=5", capsys=capsys)
    assert found["ok"]["verdict"] == "fails"
    assert asked(project, "-P", "N=2", capsys=capsys)["far"]["verdict"] == "fails"  # never reached


def test_an_sby_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(project / "project.sby")]) == 0
    out = capsys.readouterr().out
    assert "ok" in out
    assert "far" not in out  # covers are another task
    assert "the task is proof; others, for --task: look" in out
    assert main(["check", str(project / "project.sby"), "--task", "look"]) == 1
    out = capsys.readouterr().out
    assert "far" in out  # never reached, since N is 2
    assert "HOLDS: ok" not in out
    assert main(["check", str(project / "project.sby"), "--task", "none"]) == 2
    assert "there is no task none; there are proof, look" in capsys.readouterr().err
    assert main(["check", str(project / "top.v"), "--task", "look"]) == 2
    assert "--task is about .sby files" in capsys.readouterr().err


def test_mistakes_are_told_where_they_are(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(project / "top.v"), "-I", str(project / "inc"), "--top", "tap"]) == 2
    assert "there is no module tap; did you mean top?" in capsys.readouterr().err
    assert main(["check", str(project / "top.v"), "--top", "top"]) == 2
    assert "top.v:3:10: error: there is no file" in capsys.readouterr().err
    (project / "m.pml").write_text("active proctype p() { skip }")
    assert main(["check", str(project / "m.pml"), "--top", "top"]) == 2
    assert "--top is about Verilog" in capsys.readouterr().err


def test_what_yosys_says_points_into_the_users_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "inc" / "limit.vh").write_text("\n\nmodule broken(input clk);\n  assign = 3;\nendmodule\n")
    (project / "bad.sv").write_text('`include "limit.vh"\nmodule m(input clk); endmodule\n')
    assert main(["check", str(project / "bad.sv"), "-I", str(project / "inc")]) == 2
    assert "limit.vh:4:" in capsys.readouterr().err


SLANG = """module top(input logic clk, input logic [2:0] d);
  parameter MOST = 3;
  logic [2:0] n; initial n = 0;
  always_ff @(posedge clk) if (d inside {[1:MOST], 5}) n <= d; else n <= '0;
  never: assert property (@(posedge clk) n != 4);
  after: assert property (@(posedge clk) d == 5 |=> n == 5);
  five: assert property (@(posedge clk) n != 5);
endmodule
"""


@pytest.mark.skipif(find_slang() is None, reason="the installed Yosys has no slang")
def test_what_only_slang_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.sv").write_text(SLANG)
    main(["check", str(tmp_path / "m.sv"), "--json"])
    found = {r["property"]: r["verdict"] for r in json.loads(capsys.readouterr().out)["results"]}
    assert found == {"never": "holds", "after": "holds", "five": "fails"}
    main(["check", str(tmp_path / "m.sv"), "-P", "MOST=4", "--property", "never", "--json"])
    assert json.loads(capsys.readouterr().out)["verdict"] == "fails"
    (tmp_path / "m.sv").write_text(SLANG.replace("n <= d", "n <= nobody"))
    assert main(["check", str(tmp_path / "m.sv")]) == 2
    assert "m.sv:4" in capsys.readouterr().err


def test_a_macro_needs_no_value(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "m.v"
    model.write_text(
        "module m(input clk, output reg q); initial q = 0; always @(posedge clk) q <= ~q;\n"
        "`ifdef PROVE\n  always @(posedge clk) assert (!q);\n`endif\nendmodule\n"
    )
    assert main(["check", str(model)]) == 0
    assert main(["check", str(model), "-D", "PROVE"]) == 1


GUARDED = """module m(input clk, output reg q); initial q = 0; always @(posedge clk) q <= ~q;
`ifdef FORMAL
  always @(posedge clk) low: assert (!q);
`endif
`ifdef SYNTHESIS
  always @(posedge clk) known: assert (q || !q);
`endif
endmodule
"""


def test_assertions_for_formal_tools_are_asked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "m.v"
    model.write_text(GUARDED)
    assert main(["check", str(model)]) == 1
    assert "FAILS: low" in capsys.readouterr().out
    assert main(["check", str(model), "-D", "SYNTHESIS"]) == 0
    assert "HOLDS: known" in capsys.readouterr().out


@pytest.mark.parametrize(("how", "name"), [("read -formal", "low"), ("read_verilog -sv", "known")])
def test_a_script_says_who_sees_formal(how: str, name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "m.sv").write_text(GUARDED)
    (tmp_path / "m.sby").write_text(f"[options]\nmode bmc\n[script]\n{how} m.sv\nprep -top m\n[files]\nm.sv\n")
    main(["check", str(tmp_path / "m.sby"), "--json"])
    assert json.loads(capsys.readouterr().out)["property"].rpartition(".")[2] == name  # slang names blocks


GROUPED = """[tasks]
small quick one
large one
seen watched
seen large : default

[options]
one:
mode prove
--
watched: mode cover
[script]
read -define LIMIT=3
small: read -define START=0
~small: read -define START=1
read -formal m.v
prep -top m
[file m.v]
module m(input clk); reg [1:0] q = `START; always @(posedge clk) q <= q ^ `LIMIT;
  zero: assert property (@(posedge clk) q == 0 || q == `LIMIT);
  far: cover property (@(posedge clk) q == 2);
endmodule
"""


@pytest.mark.parametrize(
    ("task", "name", "verdict"),
    [("small", "zero", "holds"), ("large", "zero", "fails"), ("seen", "far", "holds"), (None, "zero", "fails")],
)
def test_tasks_belong_to_groups(
    task: str | None, name: str, verdict: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "m.sby").write_text(GROUPED)
    main(["check", str(tmp_path / "m.sby"), "--json", *(["--task", task] if task else [])])
    found = json.loads(capsys.readouterr().out)
    assert (found["property"], found["verdict"]) == (name, verdict)


@pytest.mark.parametrize("line", ["chformal -assert2assume", "cutpoint m.q", "read_ilang m.il"])
def test_passes_that_change_a_design_are_refused(line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "m.sby").write_text(f"[script]\nread -formal m.v\nprep\nchformal -early\n{line}\n[file m.v]\n{GUARDED}")
    assert main(["check", str(tmp_path / "m.sby")]) == 2
    assert f"m.sby:5:1: error: {line.split()[0]} in the script is not supported" in capsys.readouterr().err


@pytest.mark.parametrize("options", [["-P", "B=0"], ["-P", "B=0", "--top", "top"], ["-P", "B=1'b0"]])
@pytest.mark.parametrize("header", ["module top", "package p; endpackage module top import p::*;"])
def test_parameters_of_the_module_that_nobody_instantiates(
    header: str, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Yosys finds that module, but then leaves its parameters as they are; slang takes those that nobody declares."""
    if find_slang() is None:
        pytest.skip("slang reads these")
    model = tmp_path / "m.sv"
    model.write_text(
        f"""{header} #(parameter [0:0] A = 0, B = 1) (input clk, input x);
          generate if (B) begin b: assert property (@(posedge clk) x); end
          else begin other: assert property (@(posedge clk) x || !x); end endgenerate
        endmodule"""
    )
    for given, name in (([], "b"), (options, "other")):
        main(["check", str(model), "--json", *given])
        assert json.loads(capsys.readouterr().out)["property"].rpartition(".")[2] == name  # slang names blocks
    assert main(["check", str(model), "-P", "C=1"]) == 2
    assert "no module has a parameter C" in capsys.readouterr().err


def test_chparam_of_a_sby_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Several values in one command, several commands in one line, words as values, and modules below the top one."""
    project = tmp_path / "project.sby"
    text = """[options]
mode prove
[engines]
smtbmc
[script]
read -formal top.v
chparam -set MODE "LOW" -set LIMIT 1 top; prep -top top
[file top.v]
module top #(parameter MODE = "HIGH", parameter LIMIT = 3)(input clk, input x);
  reg [1:0] q; initial q = 0;
  always @(posedge clk) if (MODE == "HIGH") q <= 3; else if (q < LIMIT) q <= q + x;
  low: assert property (@(posedge clk) q <= 1);
endmodule
"""
    project.write_text(text)
    assert main(["check", str(project)]) == 0
    project.write_text(text.replace(" -set LIMIT 1", ""))
    assert main(["check", str(project)]) == 1
    capsys.readouterr()
    project.write_text(text.replace("1 top;", "1 other;"))
    assert main(["check", str(project)]) == 2
    assert "chparam of other is supported where it is the top module" in capsys.readouterr().err
    project.write_text(text.replace("read -formal", "read_verilog -assume-asserts -formal"))
    assert main(["check", str(project)]) == 2
    assert "read_verilog -assume-asserts is not supported" in capsys.readouterr().err
