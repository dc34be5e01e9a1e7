"""Large symmetric models are read as they are written, and give the group of all instances."""

from pathlib import Path

import pytest

from quorbit.detection import templates
from quorbit.detection.detect import detect
from quorbit.detection.proof import is_symmetry
from quorbit.detection.reveal import reveal_wordings
from quorbit.detection.templates import group_of_templates, may_use_templates, written_templates
from quorbit.groups.chain import order
from quorbit.model.specialise.ground import ground
from quorbit.model.specialise.identities.naming import name_values
from quorbit.model.specialise.specialise import specialise
from quorbit.model.system.system import System
from quorbit.papers.mutex_families import peterson, simple_mutex
from quorbit.papers.promela_families import email, token_ring
from quorbit.pipeline.load import load

GRID = """
typedef row { bit a[4] };
row m[4];
proctype p(byte me) {
  do
  :: m[me].a[0] == 0 -> m[me].a[0] = 1
  :: m[me].a[1] == 0 -> m[me].a[1] = 1
  :: m[me].a[2] == 0 -> m[me].a[2] = 1
  :: m[me].a[3] == 0 -> m[me].a[3] = 1
  od
}
init { byte i; atomic { for (i : 0 .. 3) { run p(i) } } }
"""
ONE_APART = """
byte turn[4];
active [4] proctype p() {
  do
  :: turn[_pid] == 0 -> turn[_pid] = 1
  :: turn[_pid] == 1 && _pid != 2 -> turn[_pid] = 0
  od
}
"""
SYMMETRIC = {"mutex": simple_mutex(5), "peterson": peterson(4), "email": email(4), "grid": GRID}


def loaded(text: str, folder: Path) -> System:
    path = folder / "model.pml"
    path.write_text(text)
    return load(path).system


def templates_of(text: str, folder: Path) -> System:
    return written_templates(name_values(specialise(loaded(text, folder)).started).system)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_the_same_group_as_from_all_instances(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = templates_of(SYMMETRIC[name], tmp_path)
    slowly = detect(system, system.properties)
    assert slowly.grounded is not None
    monkeypatch.setattr(templates, "FEW_INSTANCES", 0)
    quickly = detect(system, system.properties)
    assert quickly.grounded is None
    assert order(quickly.group) == order(slowly.group) > 1
    assert quickly.moving == slowly.moving == ()


@pytest.mark.parametrize("name", SYMMETRIC)
def test_what_maps_templates_maps_instances(name: str, tmp_path: Path) -> None:
    system = templates_of(SYMMETRIC[name], tmp_path)
    group = group_of_templates(system)
    assert group is not None
    assert all(is_symmetry(ground(system), g) for g in group.generators)


@pytest.mark.parametrize("text", [token_ring(4), ONE_APART], ids=["ring", "one apart"])
def test_less_than_all_exchanges_is_not_believed(text: str, tmp_path: Path) -> None:
    assert group_of_templates(templates_of(text, tmp_path)) is None


def test_few_instances_are_written_out(tmp_path: Path) -> None:
    assert not may_use_templates(templates_of(GRID, tmp_path))
    assert may_use_templates(templates_of(simple_mutex(210), tmp_path))


def test_many_senders_are_found_without_writing_them_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time depends on the machine; that nothing is written out for each sender and receiver does not."""
    special = specialise(loaded(email(24), tmp_path))
    monkeypatch.setattr("quorbit.detection.detect.ground", lambda system: pytest.fail("written out"))
    _, found = reveal_wordings(special)
    assert len(found.group.moves) == 23
