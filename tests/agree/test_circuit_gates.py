"""Circuits by gates, all choices of a step at once, against the same circuits in bytecode, choice by choice."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from circuit_definitions import as_blif, as_blif_mv, random_circuit, written
from test_circuit_quotients import cells, random_formula

from quorbit.machine import run
from quorbit.machine.compile import gates
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check, prepare
from quorbit.report.record import CheckResult


def found(model: Path, asked: tuple[str, ...], symmetry: str) -> CheckResult:
    (result,) = check(load(model), CheckOptions(properties=asked, engine="explicit", symmetry=symmetry)).results
    return result


def told(result: CheckResult) -> tuple[object, ...]:
    """What does not depend on the order in which choices are taken."""
    trace = result.outcome.trace
    if trace is not None:
        return result.verdict, len(trace.steps)
    return result.verdict, result.states, result.outcome.statistics.depth


def compare(folder: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of transitions that symmetries of states spare."""
    rng = random.Random(seed)
    kind = rng.choice(["cells", "cells", "gates", "tables"])
    n = rng.choice([2, 3, 4])
    circuit = cells(rng, n) if kind == "cells" else random_circuit(rng, kind == "tables", 4)
    model = folder / f"m{seed}.{'mv' if kind == 'tables' else 'blif'}"
    model.write_text(as_blif_mv(circuit) if kind == "tables" else as_blif(circuit))
    asked = (f"AG ({written(random_formula(rng, n, 0))})",) if kind == "cells" and rng.random() < 0.5 else ()
    by_gates = [found(model, asked, symmetry) for symmetry in ("auto", "off")]
    with monkeypatch.context() as patch:
        patch.setattr(gates, "gate_tables", lambda *_: None)
        by_code = [found(model, asked, symmetry) for symmetry in ("auto", "off")]
    for a, b in zip(by_gates, by_code, strict=True):
        assert told(a) == told(b), (seed, model.read_text())
    if by_gates[1].verdict == "fails":
        return 0
    assert by_gates[1].outcome.statistics.transitions == by_code[1].outcome.statistics.transitions, seed
    spared = by_code[0].outcome.statistics.transitions - by_gates[0].outcome.statistics.transitions
    assert spared >= 0
    return spared


def test_gates_find_the_states_of_bytecode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sum(compare(tmp_path, seed, monkeypatch) for seed in range(12)) > 0


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_gates_find_the_states_of_bytecode_in_2000_cases(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        compare(tmp_path, seed, monkeypatch)


def test_one_choice_per_orbit_under_the_stabiliser() -> None:
    """At the start all of eight counters are alike: of 256 sets of those that count nine are taken."""
    case = prepare(load("examples/circuits/counters.v").system, (), CheckOptions())
    assert case.layout is not None
    layout = run.lay_out(case.system, moving=True)
    assert case.plan is not None
    tables = gates.gate_tables(case.system, layout, (), case.plan.group)
    assert tables is not None
    assert tables.choices == 256
    spared = 0
    for each in tables.spared:  # every symmetry fixes the state in which all counters are 0
        spared |= each.choices
    assert 256 - spared.bit_count() == 9
