"""Random designs with memories: followed at single addresses, they answer as their bits do."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.follow import follow
from quorbit.languages.circuits.load import read_netlist
from quorbit.languages.circuits.yosys.run import find_yosys
from quorbit.languages.options import LoadOptions
from quorbit.netlists.check import checked
from quorbit.netlists.netlist import Netlist
from quorbit.pipeline.run import check


def expression(rng: random.Random, names: list[str], depth: int) -> str:
    if depth == 0:
        return rng.choice(names)
    left, right = (expression(rng, names, depth - 1) for _ in range(2))
    return f"({left} {rng.choice(['&', '|', '^', '+'])} {right})"


def design(rng: random.Random, plain_size: bool, is_written: bool = True) -> str:
    """A memory with one or two writes and reads, registers beside it, and conditions about what is read."""
    words, width, wide = rng.randrange(2, 6), rng.randrange(1, 3), rng.random() < 0.2
    if plain_size:  # as Yosys reads others, words do not look alike
        words, wide = 4, False
    bits = (words - 1).bit_length() + wide
    plain = ["wd", "s", "c"]
    own = rng.random() < 0.25  # what is stored depends on what is read, so that nothing can be followed
    second = rng.choice(["rb", "c", "r1"] if rng.random() < 0.4 else ["rb", "c"])
    lines = [
        f"module top(input clk, rst, we, x, input [{bits - 1}:0] wa, ra, rb, input [{width - 1}:0] wd);",
        f"reg [{width - 1}:0] mem [0:{words - 1}]; reg [{width - 1}:0] s, last; reg [{bits - 1}:0] c; reg known;",
        "initial begin s = 0; c = 0; known = 0; end integer i;",
        f"wire [{width - 1}:0] r1 = mem[ra]; wire [{bits - 1}:0] b2 = {second}; wire [{width - 1}:0] r2 = mem[b2];",
        "always @(posedge clk) begin",
    ]
    if rng.random() < 0.3 and not plain_size:
        lines += [f"if (rst) for (i = 0; i < {words}; i = i + 1) mem[i] <= {rng.randrange(2)}; else"]
    written = expression(rng, plain, rng.randrange(2))
    if is_written:
        lines += [f"if (we) mem[wa] <= {written};"]
    if is_written and rng.random() < 0.4:
        lines += [f"if (x) mem[{rng.choice(['c', 'ra'])}] <= {expression(rng, plain, 1)};"]
    if rng.random() < 0.6:
        lines += ["if (rst) c <= 0; else if (x) c <= c + 1;"]
    lines += [f"if (we && wa == {rng.choice(['c', '1'])}) s <= {expression(rng, [*plain, 'r1'] if own else plain, 1)};"]
    lines += [f"if (we && wa == 1) begin last <= {written}; known <= {rng.choice(['1', '1', '~x'])}; end", "end"]
    lines += [f"always @(posedge clk) if (known && {second} == 1) assert (r2 == last);"]
    guards = ["we", "x", "ra == c", "ra == b2", "wa == ra", "c == 1", "!we", "1"]
    for k in range(2):
        seen = expression(rng, ["r1", "r2", "s"], rng.randrange(2)) + rng.choice([" == ", " != "])
        guard = " && ".join(rng.sample(guards, 2))
        lines.append(f"wire bad{k} = {guard} && {seen}{expression(rng, ['r1', 'r2', 's', 'wd'], 1)};")
        lines.append(f"always @(posedge clk) assert (!bad{k});")
    return "\n".join([*lines, "endmodule", ""])


def verdicts(netlist: Netlist) -> list[str]:
    system = system_of(netlist, ())
    return [str(outcome.verdict) for outcome in check_all(system, system.properties)]


def compare(folder: Path, seed: int, suffix: str, is_written: bool = True) -> bool:
    """Whether the memory was followed; the answers must be the same."""
    rng = random.Random(seed)
    file = folder / f"top{suffix}"
    file.write_text(design(rng, suffix == ".sv", is_written))
    netlist = read_netlist(file, LoadOptions())
    followed, _ = follow(checked(netlist), (), least_bits=2)
    if followed is netlist:
        return False
    assert len(followed.latches) < len(netlist.latches) + 12
    assert not any(latch.output.startswith(("mem<", "mem[")) for latch in followed.latches)
    assert verdicts(followed) == verdicts(netlist), (seed, file.read_text())
    return True


@pytest.mark.parametrize("start", range(0, 60, 15))
def test_followed_memories_answer_as_their_bits_do(start: int, tmp_path: Path) -> None:
    assert sum(compare(tmp_path, seed, ".v") for seed in range(start, start + 15)) >= 3


@pytest.mark.skipif(find_yosys() is None, reason="Yosys reads these")
def test_memories_of_yosys_answer_as_their_bits_do(tmp_path: Path) -> None:
    assert sum(compare(tmp_path, seed, ".sv") for seed in range(100, 112)) >= 3


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_followed_memories_answer_as_their_bits_do_in_2000_cases(block: int, tmp_path: Path) -> None:
    assert sum(compare(tmp_path, seed, ".v") for seed in range(1000 + 100 * block, 1100 + 100 * block)) >= 25


@pytest.mark.skipif(find_yosys() is None, reason="Yosys reads these")
def test_memories_that_nobody_writes_answer_as_their_bits_do(tmp_path: Path) -> None:
    assert sum(compare(tmp_path, seed, ".sv", is_written=False) for seed in range(200, 212)) >= 3


@pytest.mark.parametrize("suffix", [".v", ".sv"])
def test_a_memory_that_nobody_writes_keeps_what_it_holds(suffix: str, tmp_path: Path) -> None:
    if suffix == ".sv" and find_yosys() is None:
        pytest.skip("Yosys reads these")
    file = tmp_path / f"top{suffix}"
    file.write_text(
        """module top(input clk, input [1:0] a);
          reg [1:0] m [0:3]; reg [1:0] last, at; reg known; initial known = 0;
          always @(posedge clk) begin
            last <= m[a]; at <= a; known <= 1;
            same: assert (!known || at != a || last == m[a]);
            zero: assert (m[a] == 0);
          end
        endmodule"""
    )
    assert [str(result.verdict) for result in check(file).results] == ["holds", "fails"]
