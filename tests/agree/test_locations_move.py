"""The exchange of two servers moves the two locations of the balancer that serve them, by brute force on all states.

See docs/decisions/0016-locations-move.md."""

from pathlib import Path

import pytest

from quorbit.detection.brute_force import StateGraph, broken_state, count_orbits, moved, state_graph
from quorbit.detection.reveal import reveal
from quorbit.groups.permutation import Permutation
from quorbit.groups.unionfind import UnionFind
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.model.specialise.ground import ground
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.system.system import System
from quorbit.papers.promela_families import load_balancer
from quorbit.pipeline.load import load as load_model
from quorbit.pipeline.run import check


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("balancer") / "balancer.pml"
    found.write_text(load_balancer((2,), 2))
    return found


Whole = tuple[System, StateGraph, tuple[Permutation, ...]]


@pytest.fixture(scope="module")
def whole(path: Path) -> Whole:
    plain = load(path, LoadOptions(count_like="spin"))
    system, found = reveal(plain, plain.properties)
    graph = state_graph(ground(system), 2_000)
    assert graph is not None
    return ground(system), graph, found.group.generators


def test_with_locations_moved_it_is_exact(path: Path, whole: Whole) -> None:
    system, graph, generators = whole
    assert len(graph.moves) == 1025
    assert all(broken_state(system, graph, g) is None for g in generators)
    assert count_orbits(system, graph, generators) == 283
    assert check(load_model(path, LoadOptions(count_like="spin"))).results[0].states == 283


def test_with_locations_left_alone_it_is_no_symmetry(whole: Whole) -> None:
    system, graph, generators = whole
    fixed = [leave_values(system, g) for g in generators]
    broken = [s for g in fixed if (s := broken_state(system, graph, g)) is not None]
    assert len(broken) == 1
    assert classes(system, graph, fixed) == 301


def test_locations_have_names(whole: Whole) -> None:
    system, _, _ = whole
    named = [atom.name for atom in system.atoms if is_value(atom.sort)]
    assert named
    assert all(name.startswith("balancer@") for name in named)


def leave_values(system: System, g: Permutation) -> Permutation:
    return tuple(a if is_value(system.atoms[a].sort) else x for a, x in enumerate(g))


def classes(system: System, graph: StateGraph, generators: list[Permutation]) -> int:
    """Reachable states joined with their images, where these are reachable."""
    number = {s: k for k, s in enumerate(graph.moves)}
    joined = UnionFind(len(number))
    for g in generators:
        for s, k in number.items():
            if (image := number.get(moved(system, s, g))) is not None:
                joined.unite(k, image)
    return len(joined.classes())
