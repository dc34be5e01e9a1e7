"""Random symmetric and almost symmetric Promela programs: what detection finds, and what every strategy makes of it,
compared with the whole state graph."""

from __future__ import annotations

from pathlib import Path

import pytest
from promela_symmetric_random import symmetric_program

from quorbit.canon.classify import STRATEGIES, classify
from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.engines.reference.explore import explore
from quorbit.groups.chain import same_group
from quorbit.groups.group import restrict
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.model.ground import ground
from quorbit.pipeline import check
from quorbit.pipeline import load as load_model
from quorbit.source.errors import UserError
from quorbit.symmetry.brute_force import broken_state, count_orbits, state_graph
from quorbit.symmetry.certificate import verify_generator, witness_of
from quorbit.symmetry.largest_subgroup import detect_by_diagram
from quorbit.symmetry.reveal import reveal

MOST = 6_000  # states
FEW = 40
MANY = 2_000


@pytest.mark.parametrize("seed", range(FEW))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(FEW, MANY))
def test_many_random_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)


def compare(seed: int, folder: Path) -> None:
    path = folder / "random.pml"
    path.write_text(symmetric_program(seed))
    count_like = ("own", "spin")[seed % 2]
    plain = load(path, LoadOptions(count_like=count_like))
    system, found = reveal(plain, plain.properties)
    system = ground(system)
    graph = state_graph(system, MOST)
    if graph is None:
        return
    generators = found.group.generators
    for number, g in enumerate(generators, 1):
        assert broken_state(system, graph, g) is None
        verify_generator(system, g, witness_of(system, g), number)
    by_diagram = detect_by_diagram(system)
    assert by_diagram.complete
    points = (*by_diagram.diagram.processes, *by_diagram.diagram.channels)
    assert same_group(by_diagram.group, restrict(found.group, points))
    whole = explore(plain, plain.properties)
    every = explore(system, ())
    assert every.statistics.states == len(graph.moves)
    orbits = count_orbits(system, graph, generators)
    for strategy in STRATEGIES:
        try:
            plan = classify(layout_of(system), found.group, strategy)
        except UserError:
            continue
        reduced = explore(system, (), reducer(layout_of(system), plan))
        assert explore(system, system.properties, reducer(layout_of(system), plan)).verdict == whole.verdict
        if plan.exact:
            assert reduced.statistics.states == orbits, strategy
        else:
            assert orbits <= reduced.statistics.states <= every.statistics.states, strategy
    if seed % 5 == 0:
        result = check(load_model(path, LoadOptions(count_like=count_like)))
        assert result.results[0].outcome.verdict == whole.verdict


def test_the_programs_are_of_both_kinds(tmp_path: Path) -> None:
    """Some have symmetry, some have none."""
    kinds = set()
    for seed in range(12):
        path = tmp_path / f"{seed}.pml"
        path.write_text(symmetric_program(seed))
        system = load(path, LoadOptions())
        kinds.add(reveal(system, system.properties)[1].group.is_trivial)
    assert kinds == {True, False}
