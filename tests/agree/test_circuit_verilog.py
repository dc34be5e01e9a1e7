"""The own Verilog reader and Yosys read the same circuits (where Yosys is installed), and refused cells are told."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.properties import read_properties
from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize, tokenize_all
from quorbit.languages.circuits.yosys.cells import read_json
from quorbit.languages.circuits.yosys.run import check_words, find_yosys, hierarchy, read_through_yosys
from quorbit.languages.circuits.yosys.written import write_tokens
from quorbit.languages.options import LoadOptions
from quorbit.netlists.netlist import Netlist
from quorbit.source.errors import UserError
from quorbit.source.span import Source

READERS = ["own", *(["yosys"] if find_yosys() is not None else [])]

EXPRESSIONS = ["a + b", "a - x", "a * 3", "a & ~b", "{a[1:0], b[2]}", "a << x[1:0]", "a >> 1", "(a < b) ? a : x"]
EXPRESSIONS += ["a ^ (b | x)", "{3{^a}}", "(a == b) + (a != x)", "a % 3", "a / 2", "&a || !b", "-a", "b[x[0]] ? 5 : a"]


def random_module(rng: random.Random) -> str:
    first, second = rng.choice(EXPRESSIONS), rng.choice(EXPRESSIONS)
    third = rng.choice(EXPRESSIONS)
    return f"""module m(clk, rst, x);
    input clk, rst; input [2:0] x;
    reg [2:0] a, b; wire [2:0] y; wire odd;
    assign y = {third}; assign odd = ^y;
    initial begin a = {rng.randrange(8)}; b = {rng.randrange(8)}; end
    always @(posedge clk)
        if (rst) a <= {rng.randrange(8)};
        else case (x[1:0]) 0: a <= {first}; 1, 2: b <= {second}; default: begin a <= b; b <= y; end endcase
endmodule
"""


def read(text: str, reader: str, folder: Path) -> Netlist:
    if reader == "own":
        return elaborate(parse_verilog(tokenize(Source("m.v", text))))
    return read_through_yosys(tokenize_all([Source("m.v", text)]), folder / "m.v", LoadOptions())


def summary(netlist: Netlist) -> list[object]:
    formulas = "AG EF a[2:0]=5; AG(a=b000 -> EX b[2:0]=3); EF(a==b); AG(odd=1 -> EX odd=0);"
    system = system_of(netlist, read_properties(Source("p.ctl", formulas), ".ctl", netlist))
    outcomes = check_all(system, system.properties)
    return [outcomes[0].statistics.states, *(o.verdict for o in outcomes)]


@pytest.mark.parametrize("seed", range(6))
def test_readers_agree(seed: int, tmp_path: Path) -> None:
    text = random_module(random.Random(seed))
    results = [summary(read(text, reader, tmp_path)) for reader in READERS]
    assert all(result == results[0] for result in results), text


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 250))
def test_readers_agree_in_150_cases(seed: int, tmp_path: Path) -> None:
    test_readers_agree(seed, tmp_path)


def test_an_unknown_cell_is_refused_by_name() -> None:
    data = {"modules": {"m": {"ports": {}, "netnames": {}, "cells": {"c": {"type": "$mystery", "connections": {}}}}}}
    with pytest.raises(UserError, match=r"the cell \$mystery of Yosys is not supported"):
        read_json(data, {}, write_tokens(tokenize_all([Source("m.v", "module m; endmodule")], ())))


def passes_of(options: LoadOptions) -> list[str]:
    check_words(options)
    return hierarchy(options)


def test_options_cannot_carry_commands() -> None:
    chosen = LoadOptions(top="m", parameters=(("WIDTH", "4"), ("MASK", "4'hf")))
    assert passes_of(chosen) == ["chparam -set WIDTH 4 -set MASK 4'hf m", "hierarchy -top m"]
    words = LoadOptions(top="m", parameters=(("MODE", '"a b"'),))
    assert passes_of(words) == ['chparam -set MODE "a b" m', "hierarchy -top m"]
    for name, value in (
        ("X; exec", "1"),
        ("X", "1; exec"),
        ("X", "a b"),
        ("X", "1\n"),
        ("X", '"a"; exec "'),
        ("X", '"a;b"'),
    ):
        with pytest.raises(UserError, match=r"is not the name|is a number"):
            passes_of(LoadOptions(top="m", parameters=((name, value),)))
    with pytest.raises(UserError, match="is not the name"):
        passes_of(LoadOptions(top="m; exec"))
