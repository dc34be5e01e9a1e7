"""Designs as people bring them: ports driven from both sides, registers with resets told as words, memories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorbit.cli.main import main

BUS = """module driver(inout [1:0] bus, input en, input [1:0] v); assign bus = en ? v : 2'bzz; endmodule
module reader(inout [1:0] bus, output y); assign y = &bus; endmodule
module top(input clk, inout [1:0] pins, input en, input [1:0] v);
  wire y; driver d(pins, en, v); reader r(.bus(pins), .y(y));
  reg seen, was; initial begin seen = 0; was = 0; end
  always @(posedge clk) begin seen <= en & y; was <= en & (v == 3); end
  always @(posedge clk) begin driven: assert (seen == was); free: cover (y && !en); end
endmodule
"""
RESET = """module count(input clk, input rst, output top); reg [2:0] n; reg [2:0] kept; assign top = n[2];
  always @(posedge clk or posedge rst) if (rst) n <= 0; else n <= n + 1;
  initial kept = 0; always @(posedge clk) kept <= n;
  small: assert property (@(posedge clk) kept < 5);
endmodule
"""
MEMORY = """module ram(input clk, input we, input [A-1:0] waddr, input [W-1:0] din); parameter A = 3, W = 2;
  reg [W-1:0] mem [0:(1<<A)-1]; reg [A-1:0] watched; reg [W-1:0] shadow, out, last; reg written, looked;
  initial begin written = 0; looked = 0; end
  always @(posedge clk) begin
    if (we) mem[waddr] <= din;
    if (we && waddr == watched) begin shadow <= din; written <= 1; end
    out <= mem[watched]; looked <= written; last <= shadow; watched <= watched;
  end
  always @(posedge clk) if (looked) kept: assert (out == LAST);
endmodule
"""


def check(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, *options: str) -> tuple[int, str]:
    path = tmp_path / "design.v"
    path.write_text(text)
    code = main(["check", str(path), *options])
    return code, capsys.readouterr().out


def test_a_bus_is_what_drives_it_and_else_free(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = check(tmp_path, capsys, BUS, "--json")
    assert code == 0
    assert {r["property"]: r["verdict"] for r in json.loads(told)["results"]} == {"driven": "holds", "free": "holds"}


def test_two_drivers_of_a_bus_may_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twice = BUS.replace("driver d(pins, en, v);", "driver d(pins, en, v), e(pins, en, v);")
    assert check(tmp_path, capsys, twice)[0] == 0
    assert check(tmp_path, capsys, twice.replace("e(pins, en, v)", "e(pins, en, ~v)"))[0] == 1


def test_two_drivers_that_never_let_go_are_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = check(tmp_path, capsys, BUS.replace("driver d(pins, en, v);", "driver d(pins, en, v); assign pins = v;"))
    assert code == 2


def test_what_a_register_with_a_reset_holds_is_told_as_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, told = check(tmp_path, capsys, RESET)
    assert code == 1
    assert "n$stored = 0" in told
    assert "<2>" not in told


@pytest.mark.parametrize(("last", "verdict"), [("last", "holds"), ("shadow", "fails")])
def test_a_memory_with_any_content_keeps_what_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], last: str, verdict: str
) -> None:
    pytest.importorskip("pysat")
    _, told = check(tmp_path, capsys, MEMORY.replace("LAST", last), "--json")
    assert json.loads(told)["verdict"] == verdict


@pytest.mark.soak
def test_a_memory_of_4096_bits_with_any_content(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pysat")
    large = MEMORY.replace("LAST", "last").replace("A = 3, W = 2", "A = 8, W = 16")
    _, told = check(tmp_path, capsys, large, "--json")
    assert json.loads(told)["verdict"] == "holds"
