"""Random netlists and CTL* formulas: every way of the symbolic engine gives the verdict of the definition."""

from __future__ import annotations

import random

import pytest
from circuit_random import random_formula, random_netlist
from naive_ctlstar import states_of
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.detection.detect import detect
from quorbit.engines.symbolic.answers import SymbolicOptions, all_states, backwards, early_errors
from quorbit.engines.symbolic.approximate import approximate
from quorbit.engines.symbolic.explore import check_all
from quorbit.engines.symbolic.model import open_model
from quorbit.engines.symbolic.reach import Clock, reach
from quorbit.languages.circuits.properties import Stated
from quorbit.model.diagrams.bits import powerset_members
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.formula import AllPaths, Always, Formula, Proposition
from quorbit.model.system.system import Invariant, System, Temporal
from quorbit.result.outcome import Verdict
from quorbit.source.span import NOWHERE


def random_system(rng: random.Random, formulas: int) -> System:
    while True:
        netlist = random_netlist(rng)
        stated = [Stated(f"p{k}", "ctl", random_formula(rng, netlist, 3), NOWHERE) for k in range(formulas)]
        system = system_of(netlist, stated)
        if sum(len(powerset_members(p.domain) or ()) for p in system.commands[0].parameters) <= 5:
            return system


def expected(system: System) -> list[Verdict]:
    meaning = Meaning(system)
    starts = meaning.initial_states()
    graph: dict[object, tuple[object, ...]] = {}
    stack = list(starts)
    while stack:
        s = stack.pop()
        if s not in graph:
            graph[s] = tuple(dict.fromkeys(move.target for move in meaning.moves(s)))
            stack += graph[s]
    good = [states_of(graph, formula_of(p), meaning.holds) for p in system.properties]
    return [Verdict.HOLDS if all(s in g for s in starts) else Verdict.FAILS for g in good]


def formula_of(p: object) -> Formula:
    match p:
        case Invariant(condition=condition):
            return AllPaths(Always(Proposition(condition)))
        case Temporal(formula=formula):
            return formula
    raise AssertionError


def compare(seed: int) -> None:
    system = random_system(random.Random(seed), 3)
    wanted = expected(system)
    model = open_model(system)
    closed = approximate(model, Clock(), 2)
    assert reach(model, Clock()).states & ~closed == model.m.false, seed
    assert model.image(closed) & ~closed == model.m.false, seed
    for universe in (all_states(model), closed):
        answers = [list(backwards(model, p, universe, SymbolicOptions(), Clock())) for p in system.properties]
        assert [{o.verdict for o in each} for each in answers] == [{verdict} for verdict in wanted], seed
    told: dict[int, Verdict] = {}
    watched = early_errors(model, system.properties, lambda k, outcome: told.setdefault(k, outcome.verdict))
    reach(model, Clock(), watch=watched)
    assert all(wanted[k] is verdict for k, verdict in told.items()), seed
    generators = tuple(detect(system, ()).group.generators)
    found = [o.verdict for o in check_all(system, system.properties, symbolic=SymbolicOptions(generators=generators))]
    assert found == wanted, seed


@pytest.mark.parametrize("block", range(3))
def test_all_ways_agree_with_the_definition(block: int) -> None:
    for seed in range(block * 5, block * 5 + 5):
        compare(seed)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(30))
def test_all_ways_agree_with_the_definition_in_3000_cases(block: int) -> None:
    for seed in range(1000 + block * 100, 1100 + block * 100):
        compare(seed)


def test_isolated_answers_are_the_same() -> None:
    for seed in range(3):
        system = random_system(random.Random(seed), 3)
        outcomes = check_all(system, system.properties, symbolic=SymbolicOptions(isolate=True))
        plain = check_all(system, system.properties)
        assert [o.verdict for o in outcomes] == [o.verdict for o in plain]
        assert [o.trace for o in outcomes] == [o.trace for o in plain]
        assert outcomes[0].statistics.states == plain[0].statistics.states
