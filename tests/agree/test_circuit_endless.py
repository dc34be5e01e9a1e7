"""Random netlists, goals and fairness: what the SAT solver says of endless runs against the definition of CTL*."""

from __future__ import annotations

import random
from typing import Any

import pytest
from circuit_random import random_netlist
from naive_ctlstar import states_of
from test_circuit_clauses import random_claim
from test_circuit_ctlstar import graph_of
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.reach import Clock, OutOfTurn
from quorbit.engines.symbolic.sat.endless import answer_endless, is_about_endless_runs
from quorbit.engines.symbolic.sat.several import answer_each
from quorbit.engines.symbolic.sat.wishes import wish_of
from quorbit.languages.circuits.properties import Stated
from quorbit.model.diagrams.bits import powerset_members
from quorbit.model.diagrams.steps import encode_steps
from quorbit.model.system.formula import (
    TEMPORAL,
    AllPaths,
    Always,
    And,
    Eventually,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Proposition,
    SomePath,
    Truth,
    walk,
)
from quorbit.model.system.system import Invariant, Property, System, Temporal
from quorbit.netlists.netlist import Netlist
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE

pytest.importorskip("pysat")


@frozen
class Wanted:
    """A formula, and what it asks for: after each state of ``trigger`` (None: after the first) one of ``goal``."""

    kind: str
    formula: Formula
    trigger: Formula | None
    goal: Formula


def random_wish(rng: random.Random, netlist: Netlist) -> Wanted:
    p, q = (random_claim(rng, netlist, rng.randint(0, 2)) for _ in range(2))
    return rng.choice(
        [
            Wanted("ltl", Always(Eventually(q)), Truth(True), q),
            Wanted("ltl", Always(Implies(p, Eventually(q))), p, q),
            Wanted("ltl", Always(Or((p, Eventually(q)))), Not(p), q),
            Wanted("ltl", Eventually(q), None, q),
            Wanted("ctl", AllPaths(Always(AllPaths(Eventually(q)))), Truth(True), q),
            Wanted("ctl", AllPaths(Always(Implies(p, AllPaths(Eventually(q))))), p, q),
            Wanted("ctl", AllPaths(Always(p)), Not(p), Truth(False)),
            Wanted("ctl", AllPaths(Eventually(q)), None, q),
            Wanted("ctl", Not(SomePath(Eventually(SomePath(Always(q))))), Truth(True), Not(q)),
            Wanted("ctl", Not(SomePath(Eventually(And((p, SomePath(Always(q))))))), p, Not(q)),
        ]
    )


def random_system(rng: random.Random) -> tuple[System, bool]:
    """A System with a formula about its runs, and whether that holds."""
    while True:
        netlist = random_netlist(rng)
        wanted = random_wish(rng, netlist)
        fair = [random_claim(rng, netlist, 1) for _ in range(rng.randint(0, 2))]
        parts = [wanted.goal, Truth(True) if wanted.trigger is None else wanted.trigger, *fair]
        stated = [Stated("p", wanted.kind, wanted.formula, NOWHERE)]
        stated += [Stated(f"part{k}", "ctl", f, NOWHERE) for k, f in enumerate(parts)]
        system = system_of(netlist, [*stated, *(Stated("f", "fair", f, NOWHERE) for f in fair)])
        choices = sum(len(powerset_members(p.domain) or ()) for p in system.commands[0].parameters)
        if choices <= 5 and is_about_endless_runs(system, system.properties[0]):
            return system, is_granted(system, wanted.trigger is None)


def is_granted(system: System, at_first: bool) -> bool:
    """Whether no fair cycle is reached on which the goal stays away, by looking at all states one by one."""
    starts, graph, meaning = graph_of(system)
    goal, trigger, *fair = (states_of(graph, part_of(p), meaning.holds) for p in system.properties[1:])
    edges: dict[tuple[object, bool], list[tuple[object, bool]]] = {}
    waiting = [(s, at_first) for s in starts]
    for node in waiting:
        s, asked = node
        pending = (asked or (not at_first and s in trigger)) and s not in goal
        edges[node] = [(t, pending) for t in graph[s]]
        waiting += [t for t in edges[node] if t not in edges and t not in waiting]
    stuck = {node for node in edges if edges[node] and edges[node][0][1]}
    later = {node: reachable(edges, node, stuck) for node in stuck}
    cycles = [{other for other in later[node] if node in later[other]} for node in stuck]
    return not any(cycle and all(any(s in f for s, _ in cycle) for f in fair) for cycle in cycles)


def part_of(p: Property) -> Formula:
    return Proposition(p.condition) if isinstance(p, Invariant) else p.formula  # type: ignore[union-attr]


def reachable(edges: dict[Any, list[Any]], node: Any, within: set[Any]) -> set[Any]:
    """In at least one step."""
    found: set[Any] = set()
    waiting = [node]
    while waiting:
        new = [t for t in edges[waiting.pop()] if t in within and t not in found]
        found.update(new)
        waiting += new
    return found


def compare(seed: int) -> Verdict | None:
    """None: it is not told."""
    system, holds = random_system(random.Random(seed))
    wanted = Verdict.HOLDS if holds else Verdict.FAILS
    try:
        outcome = answer_endless(encode_steps(system), system.properties[0], Clock().sooner(4.0))
    except OutOfTurn:
        return None
    assert outcome.verdict is wanted, seed
    assert (outcome.trace is None) == holds, seed  # traces were replayed
    told: list[Outcome] = []
    answer_each(system, system.properties[:1], (), Clock(), 4.0, lambda k, found: told.append(found))
    assert [found.verdict for found in told] == [wanted], seed
    return wanted


def test_the_solver_agrees_with_the_definition() -> None:
    found = [compare(seed) for seed in range(40)]
    assert found.count(None) <= 2
    assert min(found.count(verdict) for verdict in (Verdict.HOLDS, Verdict.FAILS)) >= 5


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_the_solver_agrees_with_the_definition_in_2000_cases(block: int) -> None:
    for seed in range(1000 + block * 100, 1100 + block * 100):
        compare(seed)


MOST_GUESSES = 100  # states times sets of temporal operators that the definition is worked out for


def random_look_ahead(rng: random.Random, netlist: Netlist) -> tuple[str, Formula]:
    p, q, r = (random_claim(rng, netlist, rng.randint(0, 2)) for _ in range(3))
    return rng.choice(
        [
            ("ltl", Always(Implies(p, Next(q)))),
            ("ltl", Always(Or((p, Next(And((q, Next(r)))))))),
            ("ltl", Always(Iff(p, Next(Next(q))))),
            ("ltl", Always(Implies(p, Next(Eventually(q))))),
            ("ltl", Always(Next(Next(Eventually(q))))),
            ("ctl", AllPaths(Always(Implies(p, AllPaths(Next(q)))))),
            ("ctl", AllPaths(Always(Implies(p, AllPaths(Next(Or((q, AllPaths(Next(r)))))))))),
            ("ctl", AllPaths(Always(Implies(p, AllPaths(Next(AllPaths(Next(AllPaths(Eventually(q)))))))))),
            ("ctl", Not(SomePath(Eventually(And((p, SomePath(Next(q)))))))),
            ("ctl", Not(SomePath(Eventually(And((p, SomePath(Next(SomePath(Always(q)))))))))),
        ]
    )


def compare_ahead(seed: int) -> Verdict | None:
    """A formula whose trigger or goal lies some steps ahead, against the definition of CTL*; None: it is not told."""
    rng = random.Random(seed)
    while True:
        netlist = random_netlist(rng)
        kind, formula = random_look_ahead(rng, netlist)
        fair = [Stated("f", "fair", random_claim(rng, netlist, 1), NOWHERE) for _ in range(rng.randint(0, 2))]
        system = system_of(netlist, [Stated("p", kind, formula, NOWHERE), *fair])
        choices = sum(len(powerset_members(p.domain) or ()) for p in system.commands[0].parameters)
        (p,) = system.properties
        if choices > 5 or not isinstance(p, Temporal) or not is_about_endless_runs(system, p):
            continue
        starts, graph, meaning = graph_of(system)
        if len(graph) << sum(isinstance(f, TEMPORAL) for f in walk(p.formula)) <= MOST_GUESSES:
            break
    holds = set(starts) <= states_of(graph, p.formula, meaning.holds)
    wanted = Verdict.HOLDS if holds else Verdict.FAILS
    try:
        outcome = answer_endless(encode_steps(system), p, Clock().sooner(4.0))
    except OutOfTurn:
        return None
    assert (outcome.verdict, outcome.trace is None) == (wanted, holds), seed
    told: list[Outcome] = []
    answer_each(system, (p,), (), Clock(), 4.0, lambda k, found: told.append(found))
    assert [found.verdict for found in told] == [wanted], seed
    return wanted


def test_formulas_that_look_ahead_mean_what_they_say() -> None:
    found = [compare_ahead(seed) for seed in range(60)]
    assert found.count(None) <= 3
    assert min(found.count(verdict) for verdict in (Verdict.HOLDS, Verdict.FAILS)) >= 5


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_formulas_that_look_ahead_mean_what_they_say_in_2000_cases(block: int) -> None:
    for seed in range(1000 + block * 100, 1100 + block * 100):
        compare_ahead(seed)


def test_fairness_is_the_same_for_all_quantifiers() -> None:
    """A((GF c) -> G A F q) is about unfair runs, too, below the second quantifier."""
    c, q = (Proposition(name) for name in "cq")
    often = Always(Eventually(c))
    fair, unfair = AllPaths(Implies(often, Eventually(q))), AllPaths(Eventually(q))
    assert wish_of(Temporal("p", AllPaths(Implies(often, Always(fair))))) is not None
    assert wish_of(Temporal("p", AllPaths(Implies(often, Always(unfair))))) is None
    assert wish_of(Temporal("p", AllPaths(Eventually(AllPaths(Always(q)))))) is None
    assert wish_of(Temporal("p", AllPaths(Always(Truth(True))))) is not None
