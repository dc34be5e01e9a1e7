"""Random netlists and invariants: the SAT solver's ways against the states that are reached."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

import pytest
from circuit_random import random_netlist
from naive_ctlstar import states_of
from test_circuit_ctlstar import graph_of, lowered
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.reach import Clock, OutOfTurn
from quorbit.engines.symbolic.sat.bounded import Unrolled, find_error, prove_by_induction, run_along
from quorbit.engines.symbolic.sat.by_clauses import Inquiry, bad_states, check_error, is_about_states
from quorbit.engines.symbolic.sat.pdr import Search
from quorbit.engines.symbolic.sat.several import Known
from quorbit.languages.circuits.properties import Stated
from quorbit.model.diagrams.bits import powerset_members
from quorbit.model.diagrams.cases import Unsupported
from quorbit.model.diagrams.gates import Edge
from quorbit.model.diagrams.steps import Steps, encode_steps
from quorbit.model.meaning.share import SharingMeaning
from quorbit.model.system.expression import TRUE
from quorbit.model.system.formula import AllPaths, Always, And, Formula, Implies, Next, Not, Or, Proposition, SomePath
from quorbit.model.system.system import Invariant, Property, System
from quorbit.netlists.netlist import Netlist
from quorbit.netlists.propositions import NetIs
from quorbit.result.outcome import Verdict
from quorbit.source.span import NOWHERE


def random_claim(rng: random.Random, netlist: Netlist, depth: int) -> Formula:
    """Mostly disjunctions, so that some claims hold."""
    if depth == 0:
        net = rng.choice([*netlist.outputs, *(latch.output for latch in netlist.latches)])
        size = len(netlist.domain(net))
        return Proposition(NetIs(net, tuple(sorted(rng.sample(range(size), rng.randint(1, size - 1))))))
    join = rng.choice((Or, Or, And))
    found = join(tuple(random_claim(rng, netlist, depth - 1) for _ in range(2)))
    return Not(found) if rng.random() < 0.3 else found


def random_system(rng: random.Random) -> System:
    while True:
        netlist = random_netlist(rng)
        if rng.random() < 0.3 and netlist.outputs and len(netlist.domain(netlist.outputs[0])) == 2:
            netlist = replace(netlist, constraints=netlist.outputs[:1])
        claim = AllPaths(Always(random_claim(rng, netlist, rng.randint(1, 3))))
        system = system_of(netlist, [Stated("p", "ctl", claim, NOWHERE)])
        choices = sum(len(powerset_members(p.domain) or ()) for p in system.commands[0].parameters)
        if choices <= 5 and is_about_states(system, system.properties[0]):
            return system


def random_step_claim(rng: random.Random, netlist: Netlist) -> Formula:
    """A claim about a state and those after it: p -> AX q, p -> X(q and X r), and the like."""
    now, then, other = (random_claim(rng, netlist, rng.randint(0, 2)) for _ in range(3))
    if rng.random() < 0.3:
        later = rng.choice((Or, And))((Next(then), Next(Next(other)), Next(Or((other, Next(then))))))
        return Implies(now, Not(later) if rng.random() < 0.3 else later)
    quantifier = rng.choice((AllPaths, AllPaths, SomePath))
    ahead = quantifier(Next(then if rng.random() < 0.7 else Or((other, quantifier(Next(then))))))
    found = rng.choice((Implies(now, ahead), Or((now, ahead)), And((Implies(now, ahead), Or((other, ahead))))))
    return Not(found) if rng.random() < 0.2 else found


def random_step_system(rng: random.Random) -> System:
    while True:
        netlist = random_netlist(rng)
        claim = AllPaths(Always(random_step_claim(rng, netlist)))
        system = system_of(netlist, [Stated("p", "ctl", claim, NOWHERE)])
        choices = sum(len(powerset_members(p.domain) or ()) for p in system.commands[0].parameters)
        if choices <= 5 and all(command.guard == TRUE for command in system.commands):
            return system


def answer_in_pieces(steps: Steps, p: Property, facts: Sequence[Edge]) -> Verdict:
    """By an inquiry that is stopped again and again, a step later each time; from its third piece on it knows facts."""
    inquiry, left = Inquiry(steps, p), 0

    def has_done_enough() -> bool:
        nonlocal left
        left -= 1
        return left < 0

    for piece in count(1):
        left = piece
        if piece == 3:
            inquiry.grant(steps.gates.conjunction([steps.valid, *facts]))
        try:
            return inquiry.answer(Clock(has_done_enough=has_done_enough)).verdict
        except OutOfTurn:
            continue
    raise AssertionError


def facts_of(steps: Steps, bad: Edge) -> list[Edge]:
    search = Search(steps, bad, Clock())
    return list(search.facts()) if search.prove() is None else []


def check_run_of_proof(steps: Steps, p: Property, bad: Edge, beyond: int, wanted: Verdict) -> None:
    """A proof that fails leaves cubes along which a run leads to the error."""
    search = Search(steps, bad, Clock())
    assert (search.prove() is None) == (wanted is Verdict.HOLDS)
    if wanted is Verdict.FAILS:
        trace = run_along(Unrolled(steps, True), bad, search.error, beyond)
        check_error(SharingMeaning(steps.system), p, trace)
        assert len(trace.steps) == max(0, len(search.error) - 1) + beyond


def compare_steps(seed: int) -> Verdict | None:
    """None: it is not decided by a few steps on one path."""
    system = random_step_system(random.Random(seed))
    (p,) = system.properties
    starts, graph, meaning = graph_of(system)
    good = states_of(graph, lowered(system), meaning.holds)
    wanted = Verdict.HOLDS if all(s in good for s in starts) else Verdict.FAILS
    steps = encode_steps(system)
    try:
        bad, beyond = bad_states(steps, p)
    except Unsupported:
        assert not is_about_states(system, p)
        return None
    assert is_about_states(system, p)
    outcome = Inquiry(steps, p).answer(Clock())
    assert outcome.verdict is wanted, seed
    check_run_of_proof(steps, p, bad, beyond, wanted)
    assert (outcome.trace is None) == (wanted is Verdict.HOLDS)  # traces were replayed
    assert answer_in_pieces(steps, p, facts_of(steps, bad)) is wanted, seed
    return wanted


def compare(seed: int) -> Verdict:
    system = random_system(random.Random(seed))
    (p,) = system.properties
    _, graph, meaning = graph_of(system)
    assert isinstance(p, Invariant)
    wanted = Verdict.HOLDS if all(meaning.holds(p.condition, s) for s in graph) else Verdict.FAILS  # type: ignore[arg-type]
    steps = encode_steps(system)
    outcome = Inquiry(steps, p).answer(Clock())
    assert outcome.verdict is wanted, seed
    bad, beyond = bad_states(steps, p)
    check_run_of_proof(steps, p, bad, beyond, wanted)
    assert answer_in_pieces(steps, p, facts_of(steps, bad)) is wanted, seed
    errors = list(find_error(Unrolled(steps, True), bad, Clock(), len(graph)))
    if wanted is Verdict.HOLDS:
        assert errors == [None] * (len(graph) + 1)
        return wanted
    assert outcome.trace is not None
    check_error(SharingMeaning(system), p, outcome.trace)
    assert len(outcome.trace.steps) == len(errors) - 1
    proofs = prove_by_induction(Unrolled(steps, False), bad, Clock())
    assert not any(next(proofs) for _ in errors), seed  # a run to the error is one of the runs it looks at
    return wanted


def never_there(rng: random.Random, netlist: Netlist) -> Formula:
    """That the latches do not all have some values at once."""
    others = [(latch.output, len(netlist.domain(latch.output))) for latch in netlist.latches]
    return Not(And(tuple(Proposition(NetIs(net, (rng.randrange(size),))) for net, size in others)))


def compare_many(seed: int) -> list[Verdict]:
    """Claims about one netlist, which may stop where nothing is allowed, by one solver: it keeps facts, and runs of as
    many steps as anybody asked about."""
    rng = random.Random(seed)
    netlist = random_netlist(rng)
    while not (netlist.outputs and len(netlist.domain(netlist.outputs[0])) == 2):
        netlist = random_netlist(rng)
    netlist = replace(netlist, constraints=netlist.outputs[:1])
    claims = [random_claim(rng, netlist, 2) if k % 2 else never_there(rng, netlist) for k in range(12)]
    system = system_of(netlist, [Stated(str(k), "ctl", AllPaths(Always(f)), NOWHERE) for k, f in enumerate(claims)])
    choices = sum(len(powerset_members(p.domain) or ()) for p in system.commands[0].parameters)
    asked = [p for p in system.properties if isinstance(p, Invariant)]
    if choices > 5 or not asked:
        return []
    _, graph, meaning = graph_of(system)
    known, found = Known(encode_steps(system)), list[Verdict]()
    for run in (known.facts.from_start, known.facts.from_anywhere):
        run.frame(rng.randint(0, 4))
    for p in asked:
        wanted = Verdict.HOLDS if all(meaning.holds(p.condition, s) for s in graph) else Verdict.FAILS  # type: ignore[arg-type]
        found.append(known.answer(p, None, Clock()).verdict)
        assert found[-1] is wanted, (seed, p.name)
    return found


def test_many_claims_are_answered_as_the_reached_states_do() -> None:
    found = [verdict for seed in range(30) for verdict in compare_many(seed)]
    assert min(found.count(Verdict.HOLDS), found.count(Verdict.FAILS)) >= 20


def test_clauses_answer_as_the_reached_states_do() -> None:
    found = [compare(seed) for seed in range(30)]
    assert min(found.count(Verdict.HOLDS), found.count(Verdict.FAILS)) >= 6


def test_clauses_answer_about_single_steps() -> None:
    found = [compare_steps(seed) for seed in range(15, 39)]
    assert min(found.count(Verdict.HOLDS), found.count(Verdict.FAILS)) >= 3
    assert found.count(None) >= 1


@pytest.mark.soak
@pytest.mark.parametrize("block", range(5))
def test_clauses_answer_about_single_steps_in_1000_cases(block: int) -> None:
    for seed in range(1000 + block * 200, 1200 + block * 200):
        compare_steps(seed)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(10))
def test_clauses_answer_as_the_reached_states_do_in_2000_cases(block: int) -> None:
    for seed in range(1000 + block * 200, 1200 + block * 200):
        compare(seed)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(5))
def test_many_claims_are_answered_as_the_reached_states_do_in_1000_cases(block: int) -> None:
    for seed in range(1000 + block * 200, 1200 + block * 200):
        compare_many(seed)
