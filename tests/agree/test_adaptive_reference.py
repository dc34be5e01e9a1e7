"""Adaptive reduction against the reference engine on random almost symmetric diagrams."""

import random

import pytest
from tests.unit.engines.adaptive.represented_states import represented

from quorbit.detection.commands.partition import infer_partitions
from quorbit.engines.adaptive.explore import explore, run
from quorbit.engines.adaptive.search import Search, open_search
from quorbit.engines.reference.explore import explore as explore_reference
from quorbit.languages.edges.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.partitions import Partitions
from quorbit.model.system.system import NoDeadlock, State, System
from quorbit.result.outcome import Verdict
from quorbit.source.span import Source

STATES = "ABCD"


def random_diagram(rnd: random.Random) -> str:
    n = rnd.choice([2, 3, 3, 3, 4])
    lines = [f"processes {n}", f"states {', '.join(STATES)}", "shared x: bool = false"]
    lines.append(f"shared owner: process or none = {rnd.choice(['none', 'none', '1'])}")
    lines.append("local v: 0..1 = 0")
    if rnd.random() < 0.3:
        lines.append(f"init {rnd.randint(1, n)}: {rnd.choice(STATES)}")
    lines += [random_edge(rnd, n) for _ in range(rnd.randint(3, 6))]
    lines.append(f"error first: ({random_condition(rnd, n)}) and ({random_condition(rnd, n)})")
    lines.append(f"invariant second: ({random_condition(rnd, n)}) or ({random_condition(rnd, n)})")
    return "\n".join(lines)


def random_edge(rnd: random.Random, n: int) -> str:
    a, b = rnd.sample(STATES, 2)
    two = rnd.random() < 0.15
    guards = [random_guard(rnd, n) for _ in range(rnd.choice([0, 1, 1, 2]))]
    effects = [random_effect(rnd)] if rnd.random() < 0.4 else []
    if two:
        guards.append(f"m != i and s[m] {rnd.choice(['=', '!='])} {rnd.choice(STATES)}")
        effects.append(f"s[m] := {rnd.choice(STATES)}")
    return " ".join(
        [
            f"{a} -> {b}",
            *(["with m"] if two else []),
            *([f"when {' and '.join(f'({guard})' for guard in guards)}"] if guards else []),
            *([f"do {', '.join(effects)}"] if effects else []),
        ]
    )


def random_guard(rnd: random.Random, n: int) -> str:
    k, a = rnd.randint(1, n), rnd.choice(STATES)
    own = [f"i = {k}", f"i < {k}", f"i != {k}", "owner = i", "owner != i", "v = 0", f"forall j != i: s[j] != {a}"]
    own += [f"forall j < i: s[j] != {a}", f"exists j != i: s[j] = {a}"]
    return rnd.choice(own) if rnd.random() < 0.5 else random_condition(rnd, n)


def random_condition(rnd: random.Random, n: int) -> str:
    k, a, b = rnd.randint(1, n), rnd.choice(STATES), rnd.choice(STATES)
    return rnd.choice(
        [
            f"s[{k}] = {a}",
            f"s[{k}] != {a}",
            f"s[1] = {a} or s[2] = {b}",
            f"#{a} <= 1",
            f"#{a} < #{b} + 1",
            f"forall j <= {k}: s[j] != {a}",
            f"exists j: s[j] = {a} and v[j] = 1",
            f"exists j, l: j != l and s[j] = {a} and s[l] = {b}",
            "x",
            "not x",
            "owner = none",
            f"owner != {k}",
            f"(count j: v[j] = 1) >= {k}",
        ]
    )


def random_effect(rnd: random.Random) -> str:
    return rnd.choice(["x := not x", "x := true", "owner := i", "owner := none", "v := 1 - v", "v := 1"])


def system_of(seed: int) -> System:
    return load_source(Source("random.edges", random_diagram(random.Random(seed))), LoadOptions())


def reach(system: System, partitions: Partitions, order: str, trace: bool = True) -> Search:
    search = open_search(system, (), partitions, SearchOptions(search=order, trace=trace))
    run(search, None)
    return search


def distances(system: System) -> dict[State, int]:
    meaning = Meaning(system)
    found = dict.fromkeys(meaning.initial_states(), 0)
    frontier = list(found)
    while frontier:
        following = []
        for s in frontier:
            for move in meaning.moves(s):
                if move.target not in found:
                    found[move.target] = found[s] + 1
                    following.append(move.target)
        frontier = following
    return found


def check_reached(seed: int) -> None:
    """Theorem 6, at the right distance for breadth-first search."""
    system = system_of(seed)
    expected = distances(system)
    partitions = infer_partitions(system, ())
    search = reach(system, partitions, "bfs")
    assert represented(search.context, search.store.nodes()) == expected
    for order in ("bfs", "dfs"):
        search = reach(system, partitions, order, trace=False)
        assert represented(search.context, search.store.nodes()).keys() == expected.keys()


def check_verdicts(seed: int) -> None:
    """Each property alone: same verdict, and a shortest trace (which was replayed when it was made)."""
    system = system_of(seed)
    for p in system.properties:
        expected = explore_reference(system, (p,))
        partitions = infer_partitions(system, (p,))
        found = explore(system, (p,), partitions)
        assert (found.verdict, found.property) == (expected.verdict, expected.property)
        if found.trace is not None and expected.trace is not None and not isinstance(p, NoDeadlock):
            assert len(found.trace.steps) == len(expected.trace.steps)
        deep = explore(system, (p,), partitions, SearchOptions(search="dfs"))
        assert deep.verdict == expected.verdict
        assert (deep.trace is not None) == (deep.verdict is Verdict.FAILS)


@pytest.mark.parametrize("seed", range(40))
def test_reached_states(seed: int) -> None:
    check_reached(seed)


@pytest.mark.parametrize("seed", range(1000, 1030))
def test_verdicts_and_shortest_traces(seed: int) -> None:
    check_verdicts(seed)


@pytest.mark.soak
def test_reached_states_in_full() -> None:
    for seed in range(100_000, 105_000):
        check_reached(seed)


@pytest.mark.soak
def test_verdicts_in_full() -> None:
    for seed in range(200_000, 205_000):
        check_verdicts(seed)
