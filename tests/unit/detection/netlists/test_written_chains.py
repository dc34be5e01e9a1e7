"""However a symmetric function is written as gates, its symmetry is found."""

from __future__ import annotations

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.detection.detect import detect
from quorbit.groups.chain import order
from quorbit.languages.circuits.aiger.read import parse_aiger
from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.source.span import Source


def cells(n: int, common: str) -> str:
    names = [f"a{k}" for k in range(n)]
    inputs = [f"w{k}" for k in range(n)]
    lines = [f"module top(clk, {', '.join(inputs)}); input clk, {', '.join(inputs)}; wire common;"]
    lines += [f"reg {a}; initial {a} = 0; always @(posedge clk) {a} <= w{k} & ~common;" for k, a in enumerate(names)]
    return "\n".join([*lines, f"assign common = {common};", "endmodule"])


@pytest.mark.parametrize(
    "common",
    [
        "a0 | a1 | a2 | a3",
        "(a0 | a1) | (a2 | a3)",
        "a0 | (a1 | (a2 | a3))",
        "|{a0, a1, a2, a3}",
        "~(~a0 & ~a1 & ~a2 & ~a3)",
        "~(~(a0 | a1) & ~(a2 | a3))",
        "!(!(a0 || a1) && !a2) || a3",
        "a0 & a1 & a2 & a3",
        "~((~a0 | ~a1) | ~(a2 & a3))",
        "a0 ^ a1 ^ a2 ^ a3",
        "a0 ^ ~(a1 ^ (a2 ~^ ~a3))",
        "^{a0, a1, a2, a3}",
        "(a0 ^ a1) != (a2 ^ a3)",
    ],
)
def test_four_cells(common: str) -> None:
    system = system_of(elaborate(parse_verilog(tokenize(Source("top.v", cells(4, common))))), [])
    assert order(detect(system, ()).group) == 24


@pytest.mark.parametrize("sign", ["|", "&", "^"])
def test_a_long_chain(sign: str) -> None:
    text = cells(30, f" {sign} ".join(f"a{k}" for k in range(30)))
    system = system_of(elaborate(parse_verilog(tokenize(Source("top.v", text)))), [])
    assert detect(system, ()).group.known_order == 265252859812191058636308480000000


def test_what_is_not_symmetric_stays_so() -> None:
    system = system_of(elaborate(parse_verilog(tokenize(Source("top.v", cells(4, "(a0 | a1) & (a2 | a3)"))))), [])
    assert order(detect(system, ()).group) == 8
    system = system_of(elaborate(parse_verilog(tokenize(Source("top.v", cells(4, "(a0 | a1) & a2 ^ a3"))))), [])
    assert order(detect(system, ()).group) == 2


def test_a_chain_of_and_gates_in_aiger() -> None:
    """Three latches; each becomes its input unless some latch is 1: !(!(!a & !b) ... ) in gates of two inputs."""
    text = b"aag 11 3 3 0 5\n2\n4\n6\n8 18 0\n10 20 0\n12 22 0\n14 9 11\n16 14 13\n18 16 2\n20 16 4\n22 16 6\n"
    system = system_of(parse_aiger("cells.aag", text), [])
    assert order(detect(system, ()).group) == 6
