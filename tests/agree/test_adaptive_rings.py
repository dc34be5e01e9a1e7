"""Adaptive reduction by rotations: random rings of processes, some with an edge that names one."""

import random

import pytest

from quorbit.detection.commands.partition import infer_partitions
from quorbit.engines.adaptive.explore import explore
from quorbit.engines.adaptive.rotation import RingSearch, open_ring, orbit, run_ring
from quorbit.engines.reference.explore import explore as explore_reference
from quorbit.languages.edges.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.partitions import Rotations
from quorbit.model.system.system import State, System
from quorbit.result.outcome import Verdict
from quorbit.source.span import Source

PHILOSOPHERS = """
processes {n}
states Think, One, Both
Think -> One when s[next(i)] != Both and s[prev(i)] = Think
One -> Both when s[next(i)] = Think
Both -> Think
Both -> One when s[prev(i)] = Think and s[next(i)] = Think
{more}
error neighbours: exists j: s[j] = Both and s[next(j)] = Both
no deadlock check
"""


def system_of(text: str) -> System:
    return load_source(Source("ring.edges", text), LoadOptions())


def rotations_of(system: System) -> Rotations:
    found = infer_partitions(system, system.properties).rotations
    assert found is not None
    return found


def search_ring(
    system: System, order: str = "bfs", trace: bool = True, rotations: Rotations | None = None
) -> RingSearch:
    options = SearchOptions(search=order, trace=trace)
    search = open_ring(system, (), rotations or rotations_of(system), options)
    run_ring(search, None)
    return search


def represented(search: RingSearch) -> dict[State, int]:
    found: dict[State, int] = {}
    for node in search.nodes():
        for letters in orbit(node.letters, node.d):
            s = search.state(node.shared, letters)
            found[s] = min(found.get(s, node.depth), node.depth)
    return found


def distances(system: System) -> dict[State, int]:
    meaning = Meaning(system)
    found = dict.fromkeys(meaning.initial_states(), 0)
    frontier = list(found)
    while frontier:
        reached = [(move.target, found[s] + 1) for s in frontier for move in meaning.moves(s)]
        frontier = []
        for t, depth in reached:
            if t not in found:
                found[t] = depth
                frontier.append(t)
    return found


def test_steps_of_edges() -> None:
    edge = "Both -> One when i in {1, 3, 5}"
    assert rotations_of(system_of(PHILOSOPHERS.format(n=6, more=edge))).steps == (1, 1, 1, 1, 2)
    edge = "Both -> One when i = 2"
    assert rotations_of(system_of(PHILOSOPHERS.format(n=6, more=edge))).steps == (1, 1, 1, 1, 6)


def test_a_symmetric_ring_is_the_quotient_by_rotations() -> None:
    search = search_ring(system_of(PHILOSOPHERS.format(n=5, more="")))
    states = represented(search)
    vectors = {min(s[m:] + s[:m] for m in range(5)) for s in states}
    assert len(search.nodes()) == len(vectors) < len(states)


def test_exchanges_are_preferred_where_they_keep_more() -> None:
    system = system_of("processes 5\nstates N, T, C\nN -> T\nT -> C when #C = 0\nC -> N")
    assert infer_partitions(system, ()).rotations is None


def test_one_different_process_costs_little() -> None:
    system = system_of(PHILOSOPHERS.format(n=6, more="Both -> One when i = 2"))
    search = search_ring(system)
    assert len(search.nodes()) < len(represented(search))
    assert represented(search) == distances(system)


def test_errors_are_replayed() -> None:
    system = system_of(PHILOSOPHERS.format(n=5, more="One -> Both when i = 4 or s[3] = Both"))
    found = explore(system, system.properties, infer_partitions(system, system.properties))
    expected = explore_reference(system, system.properties)
    assert found.verdict is expected.verdict is Verdict.FAILS
    assert found.trace is not None
    assert expected.trace is not None
    assert len(found.trace.steps) == len(expected.trace.steps)


def random_ring(seed: int) -> System:
    rnd = random.Random(seed)
    n = rnd.choice([3, 3, 4])
    lines = [f"processes {n}", "states A, B, C", "shared owner: process or none = none"]
    if rnd.random() < 0.3:
        lines.append(f"init {rnd.randint(1, n)}: B")
    for _ in range(rnd.randint(3, 5)):
        a, b = rnd.sample("ABC", 2)
        x = rnd.choice("ABC")
        near = [f"s[next(i)] = {x}", f"s[next(i)] != {x}", f"s[prev(i)] != {x}", "owner = i", "owner = none"]
        far = [f"i = {rnd.randint(1, n)}", f"s[{rnd.randint(1, n)}] != {x}", "i % 2 = 0", f"i <= {n // 2}"]
        guards = [rnd.choice(near), *([rnd.choice(far)] if rnd.random() < 0.3 else [])]
        effect = rnd.choice(["", "", " do owner := next(i)", " do owner := none", " do owner := i"])
        lines.append(f"{a} -> {b} when {' and '.join(guards)}{effect}")
    lines.append(f"error e: s[{rnd.randint(1, n)}] = B and s[{rnd.randint(1, n)}] = C and owner != none")
    return system_of("\n".join(lines))


def check_ring(seed: int) -> bool:
    """Whether the system was one for rotations; then its states, distances and verdicts are right."""
    system = random_ring(seed)
    partitions = infer_partitions(system, system.properties)
    if partitions.rotations is None:
        return False
    expected = distances(system)
    assert represented(search_ring(system, rotations=partitions.rotations)) == expected
    for order in ("bfs", "dfs"):
        search = search_ring(system, order, trace=False, rotations=partitions.rotations)
        assert represented(search).keys() == expected.keys()
    for p in system.properties:
        found, reference = explore(system, (p,), partitions), explore_reference(system, (p,))
        assert (found.verdict, found.property) == (reference.verdict, reference.property)
        assert (found.trace is None) == (reference.trace is None)
        if found.trace is not None and reference.trace is not None and p.name == "e":
            assert len(found.trace.steps) == len(reference.trace.steps)
    return True


def test_random_rings() -> None:
    assert sum(check_ring(seed) for seed in range(20)) >= 5


@pytest.mark.soak
def test_random_rings_in_full() -> None:
    assert sum(check_ring(seed) for seed in range(1000, 3000)) > 500
