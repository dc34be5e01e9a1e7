"""Memories followed at single addresses: what they become, and where that would change an answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.follow import follow
from quorbit.languages.circuits.load import read_netlist
from quorbit.languages.options import LoadOptions
from quorbit.netlists.check import checked
from quorbit.netlists.netlist import Netlist
from quorbit.pipeline.run import check


def read(folder: Path, body: str, suffix: str = ".v") -> Netlist:
    """A memory of four words, each of which holds 0 or its own number."""
    file = folder / f"top{suffix}"
    file.write_text(
        f"""module top(input clk, we, input [1:0] wa, ra, rb, output [1:0] r);
          reg [1:0] mem [0:3]; integer i;
          initial for (i = 0; i < 4; i = i + 1) mem[i] = 0;
          assign r = mem[ra];
          always @(posedge clk) if (we) mem[wa] <= wa;
          {body}
        endmodule"""
    )
    return read_netlist(file, LoadOptions())


def answers(netlist: Netlist) -> list[str]:
    system = system_of(netlist, ())
    return [outcome.verdict.value for outcome in check_all(system, system.properties)]


def test_a_condition_on_one_word_needs_that_word(tmp_path: Path) -> None:
    netlist = read(tmp_path, "always @(posedge clk) assert (r == 0 || r == ra);")
    followed, _ = follow(checked(netlist), (), 8)
    names = sorted(latch.output for latch in followed.latches)
    assert names == ["mem$address<0>", "mem$address<1>", "mem$word<0>", "mem$word<1>"]
    assert answers(followed) == answers(netlist) == ["holds"]
    assert "mem (4 words of 2 bits) was followed" in followed.notes[0]
    assert follow(checked(netlist), (), 9)[0] is netlist


def test_what_is_stored_after_it_was_read_keeps_the_memory(tmp_path: Path) -> None:
    """With one followed word s would never be 1 where r is 2."""
    netlist = read(
        tmp_path, "reg [1:0] s; initial s = 0; always @(posedge clk) begin s <= r; assert (s != 1 || r != 2); end"
    )
    assert follow(checked(netlist), (), 8)[0] is netlist
    assert answers(netlist) == ["fails"]


def test_an_address_that_was_read_must_be_followed_too(tmp_path: Path) -> None:
    netlist = read(tmp_path, "wire [1:0] q = mem[r]; always @(posedge clk) assert (q == 0 || q == ra);")
    followed, _ = follow(checked(netlist), (), 8)
    assert followed is not netlist
    assert answers(followed) == answers(netlist) == ["holds"]


def test_words_of_one_address_are_one_word(tmp_path: Path) -> None:
    netlist = read(tmp_path, "wire [1:0] q = mem[rb]; always @(posedge clk) assert (ra != rb || q == r);")
    followed, _ = follow(checked(netlist), (), 8)
    assert followed is not netlist
    assert answers(followed) == answers(netlist) == ["holds"]


@pytest.mark.parametrize(
    "body",
    [
        "reg [1:0] s; always @(posedge clk) begin s <= r; assert (s != 3); end",
        "always @(posedge clk) begin if (!we) mem[ra] <= mem[rb]; assert (r != 3); end",
        "wire [1:0] q = mem[2]; always @(posedge clk) assert (q != 3);",
        "always @(posedge clk) begin if (!we) mem[1] <= 2; assert (r != 3); end",
        "always @(posedge clk) begin assume (r != 2); assert (r != 3); end",
    ],
)
def test_other_memories_stay_bits(tmp_path: Path, body: str) -> None:
    netlist = read(tmp_path, body)
    assert follow(checked(netlist), (), 8)[0] is netlist


def test_a_memory_that_stays_bits_does_not_keep_another_from_being_followed(tmp_path: Path) -> None:
    netlist = read(
        tmp_path,
        """reg [1:0] odd [0:3]; always @(posedge clk) begin odd[wa] <= wa; if (we) odd[2] <= 0; end
        always @(posedge clk) assert (r == 0 || r == ra || odd[1] == 3);""",
    )
    followed, _ = follow(checked(netlist), (), 8)
    names = {latch.output.split("<")[0] for latch in followed.latches}
    assert names == {"mem$address", "mem$word", "odd"}
    assert answers(followed) == answers(netlist) == ["holds"]


@pytest.mark.parametrize(("kept", "verdict"), [("wd", "holds"), ("wd + 1", "fails")])
def test_a_register_file_of_2048_bits_is_answered(tmp_path: Path, kept: str, verdict: str) -> None:
    file = tmp_path / "top.v"
    file.write_text(
        f"""module top(input clk, we, pick, input [7:0] wa, ra, wd, output [7:0] r);
          reg [7:0] mem [0:255]; reg [7:0] a, last; reg known, picked; initial begin known = 0; picked = 0; end
          assign r = mem[ra];
          always @(posedge clk) begin
            if (we) mem[wa] <= wd;
            if (pick && !picked) begin picked <= 1; a <= wa; end
            else if (picked && we && wa == a) begin last <= {kept}; known <= 1; end
          end
          always @(posedge clk) if (known && ra == a) assert (r == last);
        endmodule"""
    )
    (result,) = check(file).results
    assert result.verdict == verdict
    assert any("mem (256 words of 8 bits) was followed" in note for note in result.notes)
