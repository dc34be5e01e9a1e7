"""Runs followed in the System that is searched: every state has its counterpart, orbits agree with a check's."""

from __future__ import annotations

from pathlib import Path

import pytest

import quorbit
from quorbit.explorer.exploration import Exploration
from quorbit.explorer.orbit import Orbits, find_case
from quorbit.explorer.state_graph import GraphTooLarge, state_graph
from quorbit.groups.permutation import identity
from quorbit.pipeline.load import load

ROOT = Path(__file__).parents[3]
MODELS = [
    "examples/promela/service.pml",
    "examples/promela/email.pml",
    "examples/promela/peterson.pml",
    "examples/promela/three_tiered.pml",
    "examples/b/ServerFarm.mch",
    "examples/murphi/mesi.m",
    "examples/mutex.edges",
]


@pytest.mark.parametrize("model", MODELS)
def test_every_state_of_a_run_is_found(model: str) -> None:
    loaded = load(ROOT / model)
    exploration = Exploration(loaded, seed=3)
    exploration.walk(0, 40)
    orbits = Orbits(loaded.system, find_case(loaded.system))
    while not orbits.follow(exploration.run, len(exploration.run.taken)):
        pass
    assert len(orbits.followed) == len(exploration.run.taken) + 1
    assert all(u is not None for _, u in orbits.followed)


def test_a_state_that_is_the_representative_is_moved_by_nothing() -> None:
    loaded = load(ROOT / "examples" / "mutex.edges")
    exploration = Exploration(loaded)
    orbits = Orbits(loaded.system, find_case(loaded.system))
    orbits.follow(exploration.run, 0)
    u = orbits.followed[0][1]
    assert u is not None
    assert orbits.leads(u)[1] == identity(3)


@pytest.mark.parametrize("model", ["mutex.edges", "b/ServerFarm.mch", "murphi/mesi.m", "promela/two_locks.pml"])
def test_the_graph_has_the_states_and_orbits_of_a_check(model: str) -> None:
    path = ROOT / "examples" / model
    graph = state_graph(load(path))
    search = quorbit.SearchOptions(all_errors=True)
    counted = [
        quorbit.check(path, quorbit.CheckOptions(("safety",), symmetry=symmetry, search=search)).counted.states
        for symmetry in ("off", "auto")
    ]
    assert [len(graph["unreduced"]["nodes"]), len(graph["reduced"]["nodes"])] == counted


def test_only_orbits_are_drawn_where_states_are_many() -> None:
    graph = state_graph(load(ROOT / "examples" / "promela" / "service.pml"))
    assert graph["unreduced"] is None
    assert len(graph["reduced"]["nodes"]) == 114  # as the check counts them


def test_a_graph_that_is_too_large(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text("int n; active proctype p() { do :: n < 9000 -> n++ :: n > 0 -> n-- od }\n")
    with pytest.raises(GraphTooLarge, match="too many to draw"):
        state_graph(load(model))
