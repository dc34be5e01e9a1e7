"""The smallest change that restores a symmetry, on small Promela models."""

from pathlib import Path

import pytest

from quorbit.detection.reasons.why import extended, why
from quorbit.detection.restore import Change, changes, smallest_change
from quorbit.detection.reveal import reveal
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.model.system.system import System

LOCK = """bool busy;
bool waiting[3];
active [3] proctype worker() {
  do
  :: waiting[_pid] = true;
     atomic { !busy && %s -> busy = true };
     busy = false
  od
}
"""
RANKS = """byte rank[5];
byte served;
proctype worker() {
  do
  :: atomic { rank[_pid] >= served -> served = rank[_pid] }
  :: served = 0
  od
}
init { atomic { run worker(); run worker(); run worker(); run worker();
  rank[1] = 1; rank[2] = 2; rank[3] = 1; rank[4] = 1 } }
"""


TURNS = """bool set[3];
byte first;
active [3] proctype worker() {
  byte i;
  do
  :: atomic {
       i = 0;
       do :: i < 3 -> if :: set[i] -> break :: else fi; i++ :: else -> break od;
       first = i; i = 0
     }
  :: set[_pid] = !set[_pid]
  od
}
"""


def change_for(text: str, first: str, second: str, folder: Path) -> Change | None:
    loaded = load_text(text, folder)
    system, _ = reveal(loaded, loaded.properties)
    g = exchange(system, first, second)
    breaches = why(system, system.properties, extended(system, g))
    assert breaches
    return smallest_change(loaded, loaded.properties, system, g, breaches)


def load_text(text: str, folder: Path) -> System:
    path = folder / "model.pml"
    path.write_text(text)
    return load(path, LoadOptions())


def exchange(system: System, first: str, second: str) -> tuple[int, ...]:
    names = [atom.name for atom in system.atoms]
    g = list(range(len(names)))
    a, b = names.index(first), names.index(second)
    g[a], g[b] = b, a
    return tuple(g)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("_pid > 0", "line 6: replace `_pid > 0` by `true`"),
        ("(_pid == 0 || !waiting[0])", "line 6: replace `_pid == 0` by `true`"),
    ],
)
def test_a_condition(condition: str, message: str, tmp_path: Path) -> None:
    found = change_for(LOCK % condition, "worker[0]", "worker[1]", tmp_path)
    assert found is not None
    assert found.message == message
    assert found.span.line == 6


def test_values_at_the_start(tmp_path: Path) -> None:
    found = change_for(RANKS, "worker[1]", "worker[2]", tmp_path)
    assert found is not None
    assert found.message == "let all of rank start with 1"


def test_a_property(tmp_path: Path) -> None:
    text = LOCK % "true" + "ltl first { [] !waiting[0] }\n"
    found = change_for(text, "worker[0]", "worker[1]", tmp_path)
    assert found is not None
    assert found.message == "leave out the property first"


def test_no_small_change(tmp_path: Path) -> None:
    text = (LOCK % "true").replace("busy = false", "busy = false; waiting[0] = !waiting[0]")
    assert change_for(text, "worker[0]", "worker[1]", tmp_path) is None


def test_a_loop_keeps_its_end_and_statements_stay(tmp_path: Path) -> None:
    """A loop without its bound would not end, and what asks where a process is was not written as a condition."""
    loaded = load_text(TURNS, tmp_path)
    system, _ = reveal(loaded, loaded.properties)
    breaches = why(system, system.properties, extended(system, exchange(system, "worker[0]", "worker[1]")))
    assert breaches
    tried = [change.message for change, _ in changes(loaded, breaches)]
    assert not [message for message in tried if "i < 3" in message or "i++" in message or "i = 0" in message]
