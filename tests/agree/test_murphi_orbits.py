"""Random Murphi programs with unions and multisets, which no other tool on the machine reads, against brute force: the
reduced search has one state for each orbit of the whole graph, and every engine comes to the same verdict."""

from __future__ import annotations

from pathlib import Path

import pytest
from murphi_random import random_program, random_program_with_multisets

from quorbit.detection.brute_force import alike_under, broken_state, count_orbits, state_graph
from quorbit.detection.reveal import reveal
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import Temporal
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.result.outcome import Verdict

FEW, MANY = 6, 600
MOST = 1_500  # states


@pytest.mark.parametrize("seed", range(FEW))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(FEW, MANY))
def test_many_random_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)


def compare(seed: int, folder: Path) -> None:
    path = folder / "random.m"
    path.write_text((random_program, random_program_with_multisets)[seed % 2](seed))
    model = load(path, LoadOptions())
    safety = tuple(p for p in model.system.properties if not isinstance(p, Temporal))
    special, found = reveal(model.system, safety)
    system = ground(special)
    graph = state_graph(system, MOST, found.group.generators)
    if graph is None:
        return
    alike = alike_under(system, found.group.generators)
    for g in found.group.generators:
        assert broken_state(system, graph, g, alike) is None
    answers = {how: run(model.path, *how) for how in (("auto", "explicit"), ("off", "explicit"), ("off", "reference"))}
    assert len({verdict for verdict, _ in answers.values()}) == 1
    if answers["off", "explicit"][0] is Verdict.HOLDS:
        assert answers["off", "explicit"][1] == answers["off", "reference"][1]
        assert answers["auto", "explicit"][1] == count_orbits(system, graph, found.group.generators)


def run(path: Path, symmetry: str, engine: str) -> tuple[Verdict, int]:
    options = CheckOptions(symmetry=symmetry, engine=engine, search=SearchOptions())
    (result,) = check(load(path), options).results
    return result.outcome.verdict, result.states
