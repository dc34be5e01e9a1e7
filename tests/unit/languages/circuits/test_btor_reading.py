"""BTOR2: meanings of its operators by brute force, mistakes, and designs compared with their Verilog through Yosys."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.btor.read import parse_btor
from quorbit.languages.circuits.load import load
from quorbit.languages.circuits.yosys.run import find_yosys, started
from quorbit.languages.options import LoadOptions
from quorbit.source.errors import UserError
from quorbit.source.span import Source

W = 3
SIZE = 1 << W
OPERATORS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "and": lambda x, y: x & y,
    "nor": lambda x, y: ~(x | y),
    "udiv": lambda x, y: x // y if y else -1,
    "urem": lambda x, y: x % y if y else x,
    "sdiv": lambda x, y: -1 if not y and sign(x) >= 0 else 1 if not y else truncated(sign(x), sign(y)),
    "srem": lambda x, y: x if not y else sign(x) - sign(y) * truncated(sign(x), sign(y)),
    "smod": lambda x, y: x if not y else sign(x) % sign(y),
    "sll": lambda x, y: x << y,
    "srl": lambda x, y: x >> y,
    "sra": lambda x, y: sign(x) >> y,
    "rol": lambda x, y: x << y % W | x >> (W - y % W),
    "ror": lambda x, y: x >> y % W | x << (W - y % W),
    "ult": lambda x, y: x < y,
    "ugte": lambda x, y: x >= y,
    "slte": lambda x, y: sign(x) <= sign(y),
    "sgt": lambda x, y: sign(x) > sign(y),
    "uaddo": lambda x, y: x + y >= SIZE,
    "saddo": lambda x, y: not fits(sign(x) + sign(y)),
    "usubo": lambda x, y: x < y,
    "ssubo": lambda x, y: not fits(sign(x) - sign(y)),
    "umulo": lambda x, y: x * y >= SIZE,
    "smulo": lambda x, y: not fits(sign(x) * sign(y)),
    "sdivo": lambda x, y: not fits(truncated(sign(x), sign(y) or 1)),
}
TRUTHS = [name for name in OPERATORS if name in ("ult", "ugte", "slte", "sgt") or name.endswith("o")]


def sign(x: int) -> int:
    return x - SIZE if x >= SIZE // 2 else x


def fits(x: int) -> bool:
    return -SIZE // 2 <= x < SIZE // 2


def truncated(x: int, y: int) -> int:
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators(operator: str) -> None:
    """A state that holds x is wrong wherever the operator gives another result than expected."""
    sort = 1 if operator in TRUTHS else 2
    bits = 1 if sort == 1 else W
    lines = [
        "1 sort bitvec 1",
        f"2 sort bitvec {W}",
        "3 input 2 x",
        "4 input 2 y",
        f"5 {operator} {sort} 3 4",
        "6 zero 1",
    ]
    number, wrong = 10, 6
    for x in range(SIZE):
        for y in range(SIZE):
            expected = int(OPERATORS[operator](x, y)) % (1 << bits)
            lines += [f"{number} constd 2 {x}", f"{number + 1} constd 2 {y}", f"{number + 2} constd {sort} {expected}"]
            lines += [f"{number + 3} eq 1 3 {number}", f"{number + 4} eq 1 4 {number + 1}"]
            lines += [f"{number + 5} neq 1 5 {number + 2}", f"{number + 6} and 1 {number + 3} {number + 4}"]
            lines += [f"{number + 7} and 1 {number + 6} {number + 5}", f"{number + 8} or 1 {wrong} {number + 7}"]
            wrong, number = number + 8, number + 10
    lines.append(f"{number} bad {wrong}")
    system = system_of(parse_btor(Source("o.btor2", "\n".join(lines))), [])
    assert [o.verdict.value for o in check_all(system, system.properties)] == ["holds"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3 frob 1 2", "frob of BTOR2 is not supported"),
        ("3 concat 1 2 2", "concat: this has 2 bits, which is not its sort 1"),
        ("3 slice 1 2 5 5", "slice: this has 0 bits"),
        ("x sort bitvec 1", "begins with the number"),
        ("3 sort bitvec 99999", "1 to 4096 bits"),
        ("3 not 1 77", "not understood"),
    ],
)
def test_mistakes(line: str, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        parse_btor(Source("m.btor2", f"1 sort bitvec 1\n2 input 1\n{line}\n"))
    assert caught.value.span.line == 3


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("5 bad 4", "bad takes one bit, and node 4 has 3"),
        ("5 justice 2 3 4", "justice takes one bit, and node 4 has 3"),
        ("5 next 2 4 3", "next: this has 1 bits, which is not its sort 2"),
        ("5 init 2 4 4\n6 init 2 4 4", "node 4 has its init already"),
        ("5 const 2 1000", "1000 does not fit into 3 bits"),
        ("5 constd 2 8", "8 does not fit into 3 bits"),
        ("5 constd 2 -5", "-5 does not fit into 3 bits"),
        ("5 consth 2 8", "8 does not fit into 3 bits"),
    ],
)
def test_sorts_that_do_not_fit(last: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_btor(Source("m.btor2", f"1 sort bitvec 1\n2 sort bitvec 3\n3 input 1\n4 state 2\n{last}\n"))


def test_a_file_without_lines() -> None:
    with pytest.raises(UserError, match="no line of BTOR2"):
        parse_btor(Source("m.btor2", "; only a remark\n"))


DESIGNS = [
    """module m(input clk, input en, input [1:0] d);
  reg [3:0] q; initial q = 0;
  always @(posedge clk) if (en) q <= q + d;
  a: assert property (q != 13); b: assert property (q < 16);
endmodule""",
    """module m(input clk, input [1:0] w, r, input [1:0] d, input we);
  reg [1:0] mem [0:3]; reg [1:0] last; reg was; initial was = 0;
  integer i; initial for (i = 0; i < 4; i = i + 1) mem[i] = 0;
  always @(posedge clk) begin if (we) mem[w] <= d; last <= mem[r]; was <= we; end
  a: assert property (was || mem[0] == 0); assume property (d != 3); b: assert property (mem[1] != 3);
endmodule""",
]


@pytest.mark.skipif(find_yosys() is None, reason="Yosys writes the BTOR2 to compare with")
@pytest.mark.parametrize("text", DESIGNS)
def test_the_same_design_read_as_verilog(text: str, tmp_path: Path) -> None:
    (tmp_path / "m.v").write_text(text)
    passes = "read_verilog -sv -formal m.v; prep -top m; memory_map; opt; async2sync; dffunmap; write_btor m.btor2"
    command = find_yosys()
    assert command is not None
    subprocess.run(started(command, passes.split("; ")), cwd=tmp_path, check=True, capture_output=True)
    found = []
    for name in ("m.v", "m.btor2"):
        system = load(tmp_path / name, LoadOptions())
        found.append([o.verdict.value for o in check_all(system, system.properties)])
    assert sorted(found[0]) == sorted(found[1])
    assert set(found[0]) == {"holds", "fails"}
