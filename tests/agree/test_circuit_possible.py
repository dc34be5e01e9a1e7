"""Random netlists and what can always still happen in them: the SAT solver against the definition of CTL*."""

from __future__ import annotations

import random

import pytest
from circuit_random import random_netlist
from naive_ctlstar import states_of
from test_circuit_clauses import random_claim
from test_circuit_ctlstar import graph_of
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.reach import Clock, OutOfTurn
from quorbit.engines.symbolic.sat.possible import answer_possible, is_about_what_can_happen
from quorbit.engines.symbolic.sat.several import answer_each
from quorbit.languages.circuits.properties import Stated
from quorbit.model.diagrams.bits import powerset_members
from quorbit.model.diagrams.cases import Unsupported
from quorbit.model.diagrams.steps import encode_steps
from quorbit.model.system.formula import (
    TEMPORAL,
    AllPaths,
    Always,
    Eventually,
    Formula,
    Implies,
    Next,
    SomePath,
    walk,
)
from quorbit.model.system.system import System, Temporal
from quorbit.netlists.netlist import Netlist
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.span import NOWHERE

pytest.importorskip("pysat")

MOST_GUESSES = 200  # states times sets of temporal operators that the definition is worked out for


def random_chance(rng: random.Random, netlist: Netlist) -> Formula:
    p, q = (random_claim(rng, netlist, rng.randint(0, 2)) for _ in range(2))
    after = SomePath(Next(q))
    for _ in range(rng.randint(0, 2)):
        after = SomePath(Next(after))
    possible = rng.choice([SomePath(Eventually(q)), SomePath(Eventually(q)), after])
    return AllPaths(Always(rng.choice([possible, Implies(p, possible), Implies(p, possible)])))


def random_system(rng: random.Random) -> tuple[System, Temporal, bool]:
    """A System with such a formula, and whether that holds."""
    while True:
        netlist = random_netlist(rng)
        fair = [Stated("f", "fair", random_claim(rng, netlist, 1), NOWHERE) for _ in range(rng.choice([0, 0, 1, 2]))]
        system = system_of(netlist, [Stated("p", "ctl", random_chance(rng, netlist), NOWHERE), *fair])
        choices = sum(len(powerset_members(p.domain) or ()) for p in system.commands[0].parameters)
        (p,) = system.properties
        if choices > 5 or not isinstance(p, Temporal) or not is_about_what_can_happen(system, p):
            continue
        starts, graph, meaning = graph_of(system)
        if len(graph) << max(sum(isinstance(f, TEMPORAL) for f in walk(p.formula)) - 2, 0) <= MOST_GUESSES:
            return system, p, set(starts) <= states_of(graph, p.formula, meaning.holds)


def compare(seed: int) -> Verdict | None:
    """None: it is not told."""
    system, p, holds = random_system(random.Random(seed))
    wanted = Verdict.HOLDS if holds else Verdict.FAILS
    try:
        outcome = answer_possible(encode_steps(system), p, Clock().sooner(4.0))
    except (OutOfTurn, Unsupported):
        return None
    assert (outcome.verdict, outcome.trace is None) == (wanted, holds), seed  # traces were replayed
    told: list[Outcome] = []
    answer_each(system, (p,), (), Clock(), 4.0, lambda k, found: told.append(found))
    assert [found.verdict for found in told] == [wanted], seed
    return wanted


def test_the_solver_agrees_with_the_definition() -> None:
    found = [compare(seed) for seed in range(60)]
    assert found.count(None) <= 12  # fairness may become impossible
    assert min(found.count(verdict) for verdict in (Verdict.HOLDS, Verdict.FAILS)) >= 10


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_the_solver_agrees_with_the_definition_in_2000_cases(block: int) -> None:
    for seed in range(1000 + block * 100, 1100 + block * 100):
        compare(seed)
