"""Identities that people number from 0, processes that are created on the way, values that nobody reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.detection.brute_force import alike_under, broken_state, count_orbits, state_graph
from quorbit.detection.reveal import reveal
from quorbit.engines.reference.explore import explore
from quorbit.groups.chain import order
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.model.specialise.ground import ground

MODELS = Path(__file__).parents[3] / "models" / "promela"
ORDERS = {
    "allocator_from_zero": 6,
    "barber": 6,
    "ids_and_strangers": 6,
    "mtype_tags": 2,
    "peterson_from_zero": 2,  # the first value of `turn` is one of the two: the exchange moves the start
    "quorum": 6,
    "reply_channels": 6,
    "worker_pool": 48,  # two masters, four slots for workers
}
HELPERS = """
bit flag[3];
proctype helper(byte who) { flag[who] = 1; flag[who] = 0 }
active [3] proctype P() { byte n; do :: atomic { n < 1 -> n++; run helper(_pid) } od }
"""
LOOKS = """
chan net = [1] of { byte };
bool mark[3];
active [3] proctype P() { byte who; do :: net!_pid :: net?who -> mark[who] = !mark[who] od }
"""
MATRIX = """
typedef row { chan to[2] = [1] of { bit } };
row from[2]; /* two channels are not used, so they are not exchanged */
active [2] proctype P() {
  do :: nfull(from[_pid].to[1 - _pid]) -> from[_pid].to[1 - _pid]!1 :: from[1 - _pid].to[_pid]?1 od
}
"""
BROADCAST = """
bool up[3];
active [3] proctype P() {
  do :: up[_pid] = true :: atomic { up[_pid] -> up[0] = false; up[1] = false; up[2] = false } od
}
"""
ENDLESS = "active [2] proctype P() { do :: run Q() od } proctype Q() { skip }"


def order_of(path: Path, count_like: str = "own") -> int:
    system = load(path, LoadOptions(count_like=count_like))
    return order(reveal(system, system.properties)[1].group)


@pytest.mark.parametrize("name", ORDERS)
def test_the_group_is_found(name: str) -> None:
    assert order_of(MODELS / f"{name}.pml") == ORDERS[name]


@pytest.mark.parametrize(("text", "found"), [(HELPERS, 6 * 720), (LOOKS, 6), (MATRIX, 2), (BROADCAST, 6)])
def test_the_group_of_a_text_is_found(text: str, found: int, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text)
    assert order_of(path) == found


@pytest.mark.parametrize("name", ["ids_and_strangers", "mtype_tags", "peterson_from_zero", "quorum"])
def test_orbits_are_those_of_the_whole_graph(name: str) -> None:
    loaded = load(MODELS / f"{name}.pml", LoadOptions())
    system, found = reveal(loaded, loaded.properties)
    system = ground(system)
    graph = state_graph(system, 1000)
    assert graph is not None
    generators = found.group.generators
    assert all(broken_state(system, graph, g, alike_under(system, generators)) is None for g in generators)
    layout = layout_of(system)
    reduced = explore(system, system.properties, reducer(layout, classify(layout, found.group)))
    assert reduced.statistics.states == count_orbits(system, graph, generators)
    assert reduced.verdict is explore(loaded, loaded.properties).verdict


@pytest.mark.parametrize("text", [LOOKS, HELPERS])
def test_to_forget_neither_joins_states_nor_parts_them(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text)
    loaded = load(path, LoadOptions())
    system, _ = reveal(loaded, loaded.properties)
    assert explore(system, ()).statistics.states == explore(loaded, ()).statistics.states


def test_processes_without_bound_are_counted(tmp_path: Path) -> None:
    """Where there is no bound on the processes, SPIN's limit can be seen: their number is not given up."""
    path = tmp_path / "model.pml"
    path.write_text(ENDLESS)
    assert "_nr_pr" in {v.name for v in load(path, LoadOptions()).variables}


def test_numbers_that_nobody_sees_are_given_up() -> None:
    loaded = load(MODELS / "worker_pool.pml", LoadOptions())
    assert "_nr_pr" not in {v.name for v in loaded.variables}
    whole = explore(load(MODELS / "worker_pool.pml", LoadOptions(count_like="spin")), ())
    assert explore(loaded, ()).statistics.states < whole.statistics.states
