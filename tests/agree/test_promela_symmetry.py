"""Random symmetric and almost symmetric Promela programs: what detection finds, and what every strategy makes of it,
compared with the whole state graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from promela_rich_random import rich_program
from promela_symmetric_random import symmetric_program

from quorbit.canon.classify import STRATEGIES, classify
from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.detection.brute_force import alike_under, broken_state, count_orbits, passed_once, state_graph
from quorbit.detection.certificate import verify_generator, witness_of
from quorbit.detection.largest_subgroup import detect_by_diagram
from quorbit.detection.reveal import reveal
from quorbit.engines.reference.explore import explore
from quorbit.groups.chain import order, same_group
from quorbit.groups.group import restrict
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import System, Temporal
from quorbit.pipeline.load import load as load_model
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError

MOST = 1_200  # states
FEW, FEW_RICH = 25, 12
MANY = 2_000
ENUMERATING = ("enumerate", "chain", "orbit")  # strategies that go through all elements of the group
MOST_ELEMENTS = 200


@pytest.mark.parametrize("seed", range(FEW))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    compare(symmetric_program(seed), seed, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(FEW, MANY))
def test_many_random_programs(seed: int, tmp_path: Path) -> None:
    compare(symmetric_program(seed), seed, tmp_path)


@pytest.mark.parametrize("seed", range(FEW_RICH))
def test_rich_random_programs(seed: int, tmp_path: Path) -> None:
    compare_rich(seed, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(FEW_RICH, MANY))
def test_many_rich_random_programs(seed: int, tmp_path: Path) -> None:
    compare_rich(seed, tmp_path)


def compare_rich(seed: int, folder: Path) -> None:
    program = rich_program(seed)
    compare(program.text, seed, folder)
    for name in program.formulas:
        compare_formula(name, seed, folder)


def compare(text: str, seed: int, folder: Path) -> None:
    """Every generator is an automorphism of the whole graph, and every strategy has as many states as there are orbits
    (or no fewer, if it does not claim to be exact) and comes to the verdict of the whole graph."""
    path = folder / "random.pml"
    path.write_text(text)
    options = LoadOptions(count_like=("own", "spin")[seed % 2])
    plain = load_with_room(path, options)
    safety = tuple(p for p in plain.properties if not isinstance(p, Temporal))
    system, found = reveal(plain, safety)
    system = ground(system)
    generators = found.group.generators
    reached, graph = state_graph(system, MOST), state_graph(system, MOST, generators)
    if reached is None or graph is None:
        return
    alike = alike_under(system, generators)
    once, proved = passed_once(system, graph, generators), found.composed or system
    for number, g in enumerate(generators, 1):
        assert broken_state(system, graph, g, alike, once) is None
        verify_generator(proved, g, witness_of(proved, g), number)
    by_diagram = detect_by_diagram(proved)  # a beginning that runs once is no part of either
    assert by_diagram.complete
    points = (*by_diagram.diagram.processes, *by_diagram.diagram.channels)
    assert same_group(by_diagram.group, restrict(found.group, points))
    whole = explore(plain, safety)
    every = explore(system, ())
    assert explore(plain, ()).statistics.states == every.statistics.states == len(reached.moves)
    orbits = count_orbits(system, graph, generators)
    tried = STRATEGIES if order(found.group) <= MOST_ELEMENTS else [x for x in STRATEGIES if x not in ENUMERATING]
    for strategy in tried:
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
        result = check(load_model(path, options))
        assert result.results[0].outcome.verdict == whole.verdict


def compare_formula(name: str, seed: int, folder: Path) -> None:
    """A formula restricts the group; the verdict is that of the search without symmetry."""
    path = folder / "random.pml"
    model = load_model(path, LoadOptions(count_like=("own", "spin")[seed % 2]))
    reduced, whole = (
        check(model, CheckOptions(properties=(name,), symmetry=symmetry)).results[0].outcome.verdict
        for symmetry in ("auto", "off")
    )
    assert reduced == whole


def load_with_room(path: Path, options: LoadOptions) -> System:
    """The System with room for all processes that are alive at once."""
    while True:
        system = load(path, options)
        try:
            state_graph(system, MOST)
            return system
        except BoundExceeded:
            options = replace(options, bounds=2 * options.bounds)


def test_the_programs_are_of_both_kinds(tmp_path: Path) -> None:
    """Some have symmetry, some have none."""
    kinds = set()
    for seed in range(12):
        path = tmp_path / f"{seed}.pml"
        path.write_text(symmetric_program(seed))
        system = load(path, LoadOptions())
        kinds.add(reveal(system, system.properties)[1].group.is_trivial)
    assert kinds == {True, False}
