"""A counterexample that goes on for ever breaks the formula it was found for; a finite one replays."""

from __future__ import annotations

import random

import pytest
from circuit_random import random_formula, random_netlist
from naive_ctlstar import states_of
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.properties import Stated
from quorbit.languages.circuits.vcd import write_vcd
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.formula import AllPaths, Formula, SomePath, children, with_children
from quorbit.model.system.system import System, Temporal
from quorbit.result.outcome import Trace, Verdict
from quorbit.source.span import NOWHERE


def linear(formula: Formula) -> Formula:
    """The formula without its path quantifiers."""
    if isinstance(formula, AllPaths | SomePath):
        return linear(formula.operand)
    return with_children(formula, [linear(f) for f in children(formula)])


def find_failure(seed: int) -> tuple[System, Formula, Trace] | None:
    rng = random.Random(seed)
    netlist = random_netlist(rng)
    formula = linear(random_formula(rng, netlist, 4, is_path=True))
    system = system_of(netlist, [Stated("p", "ltl", formula, NOWHERE)])
    (p,) = system.properties
    if not isinstance(p, Temporal) or not isinstance(p.formula, AllPaths):
        return None
    (outcome,) = check_all(system, system.properties)
    if outcome.verdict is not Verdict.FAILS:
        return None
    assert outcome.trace is not None
    return system, p.formula.operand, outcome.trace


def holds_on(system: System, formula: Formula, trace: Trace) -> bool:
    """Whether a formula of LTL holds on a lasso: the only path of the graph of its positions."""
    states = [trace.start, *(step.state for step in trace.steps)]
    last = len(states) - 1  # the same state as the one the loop begins with
    assert trace.loop is not None
    graph = {k: (k + 1 if k + 1 < last else trace.loop,) for k in range(last)}
    meaning = Meaning(system)
    found = states_of(graph, SomePath(formula), lambda e, k: meaning.holds(e, states[k]))  # type: ignore[arg-type,index]
    return 0 in found


def compare(first: int, count: int) -> int:
    lassos = 0
    for seed in range(first, first + count):
        failure = find_failure(seed)
        if failure is None:
            continue
        system, formula, trace = failure
        assert write_vcd(system, trace).startswith("$version")
        if trace.loop is not None:
            lassos += 1
            assert not holds_on(system, formula, trace), seed
    return lassos


def test_lassos_break_the_formula() -> None:
    assert compare(0, 60) >= 5


@pytest.mark.soak
def test_lassos_break_the_formula_in_1000_cases() -> None:
    assert compare(9000, 1000) >= 50
