"""Random netlists and CTL* formulas: the symbolic engine against the definition on the explicit graph."""

from __future__ import annotations

import random

import pytest
from circuit_random import random_formula, random_netlist
from naive_ctlstar import states_of
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.properties import Stated
from quorbit.model.diagrams.bits import powerset_members
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.formula import AllPaths, Always, Formula, Proposition
from quorbit.model.system.formula_kinds import is_state_formula
from quorbit.model.system.system import Invariant, System, Temporal
from quorbit.result.outcome import Verdict
from quorbit.source.span import NOWHERE


def graph_of(system: System) -> tuple[list[object], dict[object, tuple[object, ...]], Meaning]:
    meaning = Meaning(system)
    starts = meaning.initial_states()
    graph: dict[object, tuple[object, ...]] = {}
    stack = list(starts)
    while stack:
        s = stack.pop()
        if s not in graph:
            graph[s] = tuple(dict.fromkeys(move.target for move in meaning.moves(s)))
            stack += graph[s]
    return starts, graph, meaning


def lowered(system: System) -> Formula:
    match system.properties[0]:
        case Invariant(condition=condition):
            return AllPaths(Always(Proposition(condition)))
        case Temporal(formula=formula):
            return formula
    raise AssertionError


def random_system(rng: random.Random) -> System:
    """A netlist with a formula; those with too many inputs for the reference are passed over."""
    while True:
        netlist = random_netlist(rng)
        formula = random_formula(rng, netlist, 4)
        assert is_state_formula(formula)
        system = system_of(netlist, [Stated("p", "ctl", formula, NOWHERE)])
        if sum(len(powerset_members(p.domain) or ()) for p in system.commands[0].parameters) <= 5:
            return system


def compare(seed: int) -> None:
    rng = random.Random(seed)
    system = random_system(rng)
    starts, graph, meaning = graph_of(system)
    good = states_of(graph, lowered(system), meaning.holds)
    (outcome,) = check_all(system, system.properties)
    assert outcome.statistics.states == len(graph)
    assert outcome.verdict == (Verdict.HOLDS if all(s in good for s in starts) else Verdict.FAILS), seed


@pytest.mark.parametrize("block", range(10))
def test_symbolic_agrees_with_the_definition(block: int) -> None:
    for seed in range(block * 8, block * 8 + 8):
        compare(seed)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(30))
def test_symbolic_agrees_with_the_definition_in_3000_cases(block: int) -> None:
    for seed in range(1000 + block * 100, 1100 + block * 100):
        compare(seed)
