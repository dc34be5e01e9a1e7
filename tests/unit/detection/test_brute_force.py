"""Brute force on state graphs in which processes are created: any unused one would do, the first one is taken."""

from pathlib import Path

import pytest

from quorbit.cli.main import main
from quorbit.detection.brute_force import StateGraph, alike_under, broken_state, count_orbits, state_graph
from quorbit.detection.reveal import reveal
from quorbit.groups.permutation import Permutation
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import System
from quorbit.pipeline.load import load as load_model
from quorbit.pipeline.run import check

HELPERS = """byte started;
bit done;
proctype helper() { do :: atomic { done == 0 -> done = 1 }; done = 0 od }
active proctype master() {
  do
  :: atomic { started < 2 -> started++; run helper() }
  :: done == 1 -> done = 0
  od
}
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("helpers") / "helpers.pml"
    found.write_text(HELPERS)
    return found


Whole = tuple[System, StateGraph, tuple[Permutation, ...]]


@pytest.fixture(scope="module")
def whole(path: Path) -> Whole:
    plain = load(path, LoadOptions())
    system, found = reveal(plain, plain.properties)
    graph = state_graph(ground(system), 3_000)
    assert graph is not None
    return ground(system), graph, found.group.generators


def test_states_are_alike_but_for_the_process_that_was_taken(whole: Whole) -> None:
    system, graph, generators = whole
    assert generators
    alike = alike_under(system, generators)
    assert any(broken_state(system, graph, g) is not None for g in generators)
    assert all(broken_state(system, graph, g, alike) is None for g in generators)


def test_nothing_is_alike_without_the_exchanges(whole: Whole) -> None:
    system, graph, generators = whole
    few = generators[:1]
    assert alike_under(system, few).swaps == []
    assert broken_state(system, graph, few[0]) == broken_state(system, graph, few[0], alike_under(system, few))


def test_orbits_are_what_the_search_stores(path: Path, whole: Whole) -> None:
    system, graph, generators = whole
    assert check(load_model(path, LoadOptions())).results[0].states == count_orbits(system, graph, generators)


def test_a_certificate_where_processes_are_created(path: Path, tmp_path: Path) -> None:
    certificate = tmp_path / "certificate.json"
    assert main(["check", str(path), "--certificate", str(certificate)]) == 0
    assert main(["verify-certificate", str(path), str(certificate)]) == 0
