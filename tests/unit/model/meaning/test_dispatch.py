"""The table of commands by what their guards ask for first says the same as looking at every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.dispatch import asked_first, make_dispatch
from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import System
from quorbit.pipeline.load import load

MODEL = """
byte n; chan c = [1] of { byte };
active [3] proctype P() { byte k;
  do :: n < 2 -> n++ :: c!_pid -> n = 0 :: c?k -> assert(n / k >= 0) od }
active proctype Q() { do :: n / (2 - n) == 0 -> n++ :: c?_ od unless { n == 5 } }
"""


@pytest.fixture(name="system")
def the_system(tmp_path: Path) -> System:
    path = tmp_path / "model.pml"
    path.write_text(MODEL)
    return load(path, LoadOptions()).system


def all_looked_at(meaning: Meaning, s: tuple[object, ...]) -> tuple[list[tuple[int, object]], set[int]]:
    """The commands with the bindings for which their guards hold, every command asked; and the ranks of faults."""
    found, faults = [], set()
    for c, command in enumerate(meaning.system.commands):
        guard = meaning.value_of(command.guard)
        try:
            found += [(c, env) for env in meaning.environments(command, 0, s, {}) if guard(s, env)]
        except Fault:
            faults.add(command.rank)
    return found, faults


@pytest.mark.parametrize("written_out", [False, True])
def test_nothing_that_can_run_is_left_out(system: System, written_out: bool) -> None:
    meaning = Meaning(ground(system) if written_out else system)
    waiting, faulty = meaning.initial_states(), 0
    for s in waiting:
        found, faults = meaning.candidates(s)
        assert (found, set(faults)) == all_looked_at(meaning, s)
        faulty += bool(faults)
        if not faults:
            waiting += [m.target for m in meaning.moves(s) if m.violation is None and m.target not in waiting]
    assert len(waiting) > 4
    assert faulty


def test_a_guard_is_known_by_the_place_it_asks_for_first(system: System) -> None:
    asked = [asked_first(system, command) for command in system.commands]
    assert all(a is not None for a in asked)
    table = make_dispatch(ground(system))
    assert not table.always
    s = Meaning(ground(system)).initial_states()[0]
    assert 0 < len(table.looked_at(s)) < len(ground(system).commands)
