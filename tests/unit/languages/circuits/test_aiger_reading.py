"""AIGER: both formats give the same circuit; properties and mistakes."""

from __future__ import annotations

import random

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.aiger.read import parse_aiger
from quorbit.netlists.netlist import Netlist
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError

TOGGLE = b"aag 3 1 1 0 1 1\n2\n4 6\n4\n6 3 5\ni0 hold\nl0 bit\nb0 was_set\nc\na comment\n"


def verdicts(netlist: Netlist) -> dict[str, Verdict]:
    system = system_of(netlist, [])
    return {o.property: o.verdict for o in check_all(system, system.properties)}


def test_names_and_bad_states() -> None:
    netlist = parse_aiger("toggle.aag", TOGGLE)
    assert netlist.inputs == ("hold",)
    assert [latch.output for latch in netlist.latches] == ["bit"]
    assert verdicts(netlist) == {"was_set": Verdict.FAILS}


def test_an_output_is_a_bad_state_where_the_file_has_none() -> None:
    netlist = parse_aiger("old.aag", b"aag 1 0 1 1 0\n2 2\n2\n")
    assert verdicts(netlist) == {"o0": Verdict.HOLDS}  # the latch stays 0


def test_reset_values() -> None:
    netlist = parse_aiger("x.aag", b"aag 3 0 3 0 0\n2 2\n4 4 1\n6 6 6\n")
    starts = [latch.reset.rows[0].outputs[0].values if latch.reset else None for latch in netlist.latches]  # type: ignore[union-attr]
    assert starts == [(0,), (1,), None]


def test_a_constraint_cuts_paths_before_and_at_the_bad_state() -> None:
    # the latch becomes 1 only when the input was 1, which the constraint forbids
    assert verdicts(parse_aiger("c.aag", b"aag 2 1 1 0 0 1 1\n2\n4 2\n4\n3\n")) == {"b0": Verdict.HOLDS}
    # bad only in the same step as the constraint is broken: the input itself
    assert verdicts(parse_aiger("d.aag", b"aag 2 1 1 0 0 1 1\n2\n4 4\n2\n3\n")) == {"b0": Verdict.HOLDS}
    assert verdicts(parse_aiger("e.aag", b"aag 2 1 1 0 0 1 0\n2\n4 4\n2\n")) == {"b0": Verdict.FAILS}


def test_justice_and_fairness() -> None:
    # a latch that toggles for ever: it is 1 infinitely often, and so is its negation
    assert verdicts(parse_aiger("j.aag", b"aag 1 0 1 0 0 0 0 1 0\n2 3\n2\n2\n3\n")) == {"j0": Verdict.FAILS}
    # a latch that follows the input, justice: infinitely often 1; fairness: infinitely often 0; both together possible
    assert verdicts(parse_aiger("f.aag", b"aag 2 1 1 0 0 0 0 1 1\n2\n4 2\n1\n4\n5\n")) == {"j0": Verdict.FAILS}
    # a latch that once 1 stays 1: not both infinitely often
    text = b"aag 3 1 1 0 1 0 0 1 1\n2\n4 7\n1\n4\n5\n6 3 5\n"
    assert verdicts(parse_aiger("s.aag", text)) == {"j0": Verdict.HOLDS}


def encode(n: int) -> bytes:
    out = bytearray()
    while n >= 128:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


@pytest.mark.parametrize("seed", range(10))
def test_binary_and_ascii_agree(seed: int) -> None:
    rng = random.Random(seed)
    i, l, a = 2, 3, 12
    ands = []
    for k in range(a):
        g = 2 * (i + l + k + 1)
        left, right = sorted((rng.randrange(2, g), rng.randrange(2, g)), reverse=True)
        ands.append((g, left, right))
    nexts = [rng.randrange(0, 2 * (i + l + a) + 2) for _ in range(l)]
    bad = 2 * (i + l + a)
    head = f"{i + l + a} {i} {l} 0 {a} 1\n"
    text = "aag " + head + "".join(f"{2 * (k + 1)}\n" for k in range(i))
    text += "".join(f"{2 * (i + k + 1)} {n}\n" for k, n in enumerate(nexts)) + f"{bad}\n"
    shuffled = ands[:]
    rng.shuffle(shuffled)  # the ASCII format does not order its gates
    text += "".join(f"{g} {x} {y}\n" for g, x, y in shuffled)
    data = ("aig " + head + "".join(f"{n}\n" for n in nexts) + f"{bad}\n").encode()
    data += b"".join(encode(g - x) + encode(x - y) for g, x, y in ands)
    first, second = parse_aiger("x.aag", text.encode()), parse_aiger("x.aig", data)
    assert verdicts(first) == verdicts(second)
    states = [check_all(s, s.properties)[0].statistics.states for s in (system_of(first, []), system_of(second, []))]
    assert states[0] == states[1]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "ends too early"),
        (b"hello\n", "begins with"),
        (b"aag 1 2 0 0 0\n2\n", "announces"),
        (b"aag 1 1 0 1 0\n3\n", "not a variable of this file"),
        (b"aag 2 1 0 1 0\n2\n4\n", "nothing defines"),
        (b"aag 2 0 0 0 2\n2 4 4\n4 2 2\n", "depends on itself"),
        (b"aag 2 1 1 0 0\n2\n2 2\n", "defined twice"),
        (b"aag 1 0 1 0 0\n2 2 7\n", "starts with 0, 1 or itself"),
        (b"aig 3 1 0 0 2\n\x01", "ends inside the gates"),
        (b"aag 1 1 0 0 0\nx\n", "expected 1 numbers"),
    ],
)
def test_mistakes(data: bytes, message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_aiger("wrong", data)
