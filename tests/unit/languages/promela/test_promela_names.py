"""Processes have one name in every command."""

from pathlib import Path

from quorbit.languages.options import LoadOptions
from quorbit.pipeline.load import load

TEXT = """chan box = [1] of { byte };
proctype client(byte k) { chan own = [1] of { byte }; box!k; own?k }
proctype server() { byte k; do :: box?k od }
init { run client(1); run client(2); atomic { run server(); run server() } }
"""


def names(path: Path, stepwise: bool) -> set[str]:
    atoms = load(path, LoadOptions(stepwise=stepwise)).system.atoms
    return {atom.name for atom in atoms if atom.sort == "process"}


def test_simulation_calls_processes_by_their_pids(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(TEXT, encoding="utf-8")
    assert names(path, stepwise=False) == {"init", "client[1]", "client[2]", "server[3]", "server[4]"}
    assert names(path, stepwise=True) == names(path, stepwise=False)


def test_processes_that_may_always_be_created_are_numbered_by_their_room(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text("proctype p() { skip }\ninit { do :: _nr_pr < 3 -> run p() od }\n", encoding="utf-8")
    assert names(path, stepwise=False) <= names(path, stepwise=True)
