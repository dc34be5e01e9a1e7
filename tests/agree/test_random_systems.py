"""Random Systems: reduction changes no verdict, reaches every orbit once (if exact), and every trace replays."""

import pytest
from random_systems import random_system

from quorbit.canon.classify import STRATEGIES, classify
from quorbit.canon.layout import Layout, act, layout_of
from quorbit.canon.minimise import reducer
from quorbit.detection.detect import detect
from quorbit.detection.effect.visible import Visible, seen
from quorbit.detection.proof import is_symmetry
from quorbit.engines.explicit.explore import explore as explore_compiled
from quorbit.engines.reference.explore import explore
from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import FAULTS, Meaning
from quorbit.model.meaning.permute import permute_state
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import State, System
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError

GO_ON = SearchOptions(all_errors=True)


def reachable(system: System, limit: int = 3000) -> list[State] | None:
    """All reachable states, by the definition alone; None if there are too many for a test."""
    meaning = Meaning(system)
    found = dict.fromkeys(meaning.initial_states())
    waiting = list(found)
    while waiting:
        for move in meaning.moves(waiting.pop()):
            if move.violation is None and move.target not in found:
                found[move.target] = None
                waiting.append(move.target)
        if len(found) > limit:
            return None
    return list(found)


def count_orbits(layout: Layout, generators: tuple[Permutation, ...], states: list[State]) -> int:
    left, orbits = set(states), 0
    while left:
        orbits += 1
        waiting = [left.pop()]
        while waiting:
            s = waiting.pop()
            for g in generators:
                t = act(layout, g, s)
                if t in left:
                    left.remove(t)
                    waiting.append(t)
    return orbits


def check_system(seed: int) -> None:
    system = random_system(seed)
    states = reachable(system)
    if states is None:
        return
    plain = explore(system, system.properties)
    assert explore(system, system.properties, options=GO_ON).statistics.states == len(states)
    group = detect(system, system.properties).group
    layout = layout_of(system)
    orbits = count_orbits(layout, group.generators, states)
    for strategy in STRATEGIES:
        check_strategy(system, group, strategy, plain.verdict, orbits)


def check_strategy(system: System, group: Group, strategy: str, verdict: object, orbits: int) -> None:
    layout = layout_of(system)
    try:
        plan = classify(layout, group, strategy)
    except UserError:
        assert strategy in ("sort", "minimising", "graph", "hash-marker")
        return
    outcome = explore(system, system.properties, reducer(layout, plan))
    assert outcome.verdict == verdict, strategy
    whole = explore(system, system.properties, reducer(layout, plan), GO_ON)
    if plan.exact:
        assert whole.statistics.states == orbits, strategy
    else:
        assert whole.statistics.states >= orbits, strategy


@pytest.mark.parametrize("seed", range(60))
def test_reduction_agrees_with_the_plain_search(seed: int) -> None:
    check_system(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(60, 2000))
def test_reduction_agrees_with_the_plain_search_at_length(seed: int) -> None:
    check_system(seed)


@pytest.mark.parametrize("seed", [766, 864])
def test_a_fault_in_the_condition_of_an_end_is_an_error(seed: int) -> None:
    """The reference engine tells it with a trace, as the explicit engine does."""
    system = random_system(seed)
    found, compiled = explore(system, system.properties), explore_compiled(ground(system), system.properties)
    assert found.verdict is compiled.verdict is Verdict.FAILS
    assert (found.property, found.message) == (compiled.property, compiled.message)
    assert found.property == FAULTS
    assert found.trace is not None


@pytest.mark.parametrize("seed", range(0, 200, 5))
def test_detected_symmetries_map_the_state_graph_to_itself(seed: int) -> None:
    """Brute force: every generator maps initial states, moves and reachable states to such."""
    system = random_system(seed)
    states = reachable(system, 400)
    if states is None:
        return
    meaning = Meaning(system)
    for g in detect(system, system.properties).group.generators:
        assert {permute_state(system, g, s) for s in meaning.initial_states()} == set(meaning.initial_states())
        for s in states:
            there = {permute_state(system, g, m.target) for m in meaning.moves(s)}
            assert there == {m.target for m in meaning.moves(permute_state(system, g, s))}


@pytest.mark.parametrize("seed", range(0, 300, 3))
def test_detection_finds_every_transposition_that_is_a_symmetry(seed: int) -> None:
    """The group holds each exchange of two processes that leaves the normal form alone, if a state can show one."""
    system = random_system(seed)
    group = detect(system, system.properties).group
    grounded = ground(system)
    visible = Visible(grounded, Meaning(grounded).initial_states())
    n = len(system.atoms)
    orbit_pairs = {(a, b) for orbit in orbits_of(group) for a in orbit for b in orbit}
    for a in range(n):
        for b in range(a):
            g = tuple(b if x == a else a if x == b else x for x in range(n))
            if is_symmetry(grounded, g) and (seen(visible, a) or seen(visible, b)):
                assert (a, b) in orbit_pairs


def orbits_of(group: Group) -> list[list[int]]:
    found = {a: {a} for a in range(group.degree)}
    for g in group.generators:
        for a, b in enumerate(g):
            if found[a] is not found[b]:
                found[a] |= found[b]
                for c in found[a]:
                    found[c] = found[a]
    return [sorted(orbit) for orbit in {id(o): o for o in found.values()}.values()]
