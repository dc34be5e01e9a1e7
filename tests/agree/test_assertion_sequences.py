"""Monitors of random concurrent assertions against an evaluator of traces that shares no code with them."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tests.agree.assertion_traces import (
    Trace,
    matched,
    random_property,
    random_sequence,
    random_trace,
    shown,
    violations,
)

from quorbit.languages.circuits.assertions.rewrite import rewrite_assertions
from quorbit.languages.circuits.verilog.elaborate import elaborate
from quorbit.languages.circuits.verilog.parse import parse_verilog
from quorbit.languages.circuits.verilog.tokens import tokenize
from quorbit.netlists.netlist import Among, Netlist, Same, Table
from quorbit.source.errors import UserError
from quorbit.source.span import Source

TICKS = 8


def monitor(directive: str) -> Netlist:
    text = f"module m(input clk, input a, input b, input c, input r);\n  p: {directive};\nendmodule\n"
    return elaborate(parse_verilog(rewrite_assertions(tokenize(Source("m.v", text)))))


def simulate(netlist: Netlist, trace: Trace, kind: str) -> list[bool]:
    """The net of the claim of a kind at every tick."""
    drivers = {net: table for table in netlist.tables for net in table.outputs}
    state = {latch.output: first_value(latch.reset) for latch in netlist.latches}
    (claim,) = [claim for claim in netlist.claims if claim.kind == kind]
    found = []
    for letter in trace:
        known: dict[str, int] = {**state, **{name: int(name in letter) for name in ("clk", "a", "b", "c", "r")}}

        def value(net: str, known: dict[str, int] = known) -> int:
            if net not in known:
                known[net] = output(drivers[net], lambda n: value(n))
            return known[net]

        found.append(bool(value(claim.nets[0])))
        state = {latch.output: value(latch.input) for latch in netlist.latches}
    return found


def first_value(reset: Table | None) -> int:
    assert reset is not None
    (entry,) = reset.rows[0].outputs
    assert isinstance(entry, Among)
    return entry.values[0]


def output(table: Table, value: Callable[[str], int]) -> int:
    for row in table.rows:
        cells = zip(table.inputs, row.inputs, strict=True)
        if all(not isinstance(c, Among) or value(net) in c.values for net, c in cells):
            return chosen(row.outputs[0], value)
    assert table.default is not None
    return chosen(table.default[0], value)


def chosen(entry: object, value: Callable[[str], int]) -> int:
    if isinstance(entry, Same):
        return value(entry.net)
    assert isinstance(entry, Among)
    return entry.values[0]


def compare_property(seed: int) -> bool:
    """Whether it could be compared: a monitor may be too large."""
    rng = random.Random(seed)
    p = random_property(rng, rng.randint(0, 2))
    disable = "disable iff (r) " if rng.random() < 0.3 else ""
    try:
        netlist = monitor(f"assert property (@(posedge clk) {disable}{shown(p)})")
    except UserError as refusal:
        if "too large" not in refusal.message:
            raise
        return False
    for _ in range(2):
        trace = random_trace(rng, TICKS)
        expected = violations(p, trace, "r" if disable else None)
        # An attempt that has failed may fail again: an implication can match more than once.
        assert first(simulate(netlist, trace, "never")) == first(expected), (seed, shown(p), trace)
    return True


def first(found: list[bool]) -> int | None:
    return found.index(True) if True in found else None


def compare_cover(seed: int) -> None:
    rng = random.Random(seed)
    s = random_sequence(rng, 3)
    netlist = monitor(f"cover property (@(posedge clk) {shown(s)})")
    for _ in range(3):
        trace = random_trace(rng, TICKS)
        assert simulate(netlist, trace, "sometimes") == matched(s, trace), (seed, shown(s), trace)


def test_200_random_assertions_against_traces() -> None:
    compared = sum(compare_property(seed) for seed in range(200))
    assert compared >= 190


def test_a_right_side_that_matches_nothing_fails_before_the_next_tick() -> None:
    """1609: two ticks within one; the next tick comes too late, for it may disable the attempt."""
    assert compare_property(1609)
    netlist = monitor("assert property (@(posedge clk) disable iff (r) a |=> (b[*2] within c))")
    assert simulate(netlist, (frozenset("a"), frozenset("r")), "never") == [True, False]


def test_random_covers_against_traces() -> None:
    for seed in range(60):
        compare_cover(seed)


@pytest.mark.soak
def test_many_random_assertions_against_traces() -> None:
    for seed in range(200, 3000):
        compare_property(seed)
        compare_cover(seed)
