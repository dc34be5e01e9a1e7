"""Trails for SPIN: the numbers it gives to statements, and that it replays what we write."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from quorbit.engines.simulate.random_walk import walk
from quorbit.engines.simulate.session import Session
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela import trail
from quorbit.languages.promela.load import load
from quorbit.languages.promela.parse.preprocess import preprocess
from quorbit.languages.promela.trail import read_table, trail_lines, write_trail, written_out
from quorbit.source.errors import UserError
from quorbit.source.span import Source

MODELS = Path(__file__).parents[3] / "models" / "promela"
STEPWISE = LoadOptions(stepwise=True)
TABLE = """
	/* proctype 1: :init: */

	T = trans[ 1][4] = settr(11,2,0,0,0,"ATOMIC", 0, 2, 0);
	T->nxt	= settr(11,2,1,0,0,"ATOMIC", 0, 2, 0);
	trans[1][1]	= settr(8,2,2,3,3,"(run P(1))", 0, 2, 0);

	/* proctype 0: P */

	trans[0][1]	= settr(0,0,2,14,0,"x = 1", 0, 2, 0);
"""


def test_the_table_of_spin() -> None:
    assert read_table(TABLE) == {":init::4": 11, ":init::1": 8, "P:1": 0}


def test_a_handshake_is_two_lines(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text("chan c = [0] of { byte }; proctype P() { c!1 } init { byte x; run P(); c?x }", encoding="utf-8")
    session = Session(load(path, STEPWISE))
    list(walk(session, 9))
    ids = {"P:1": 10, "P:2": 11, ":init::1": 20, ":init::2": 21, ":init::3": 22}
    lines = list(trail_lines(session.meaning, session.trace(), ids))
    assert lines == [(0, 20), (1, 10), (0, 21), (1, 11), (0, 22)]


def test_lines_and_operators_stay_what_they_are() -> None:
    text = "#define N 3\nint x\nltl { <> (x == N) }\ninit { x = N\nx++ }\n"
    again = written_out(preprocess(Source("m", text)))
    assert "<>" in again
    assert "x++" in again
    assert "3\nx" in again.split("init")[1]


def test_only_single_statements(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text("init { skip }", encoding="utf-8")
    system = load(path, LoadOptions())
    with pytest.raises(UserError, match="single statements"):
        write_trail(path, LoadOptions(), system, Session(system).trace())


def test_without_spin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trail, "which", lambda name: None)
    with pytest.raises(UserError, match="not installed"):
        trail.statement_ids(MODELS / "buffered.pml", STEPWISE)


@pytest.mark.skipif(shutil.which("spin") is None, reason="spin is not installed")
@pytest.mark.parametrize("path", sorted(MODELS.glob("[b-z]*.pml"))[::9], ids=lambda path: path.name)
def test_spin_replays_them(path: Path, tmp_path: Path) -> None:
    if path.name == "include_file.pml":
        shutil.copytree(MODELS, tmp_path, dirs_exist_ok=True)
    session = Session(load(path, STEPWISE), 5, lambda: load(path, LoadOptions(stepwise=True, bounds=8)))
    list(walk(session, 40))
    text = write_trail(path, STEPWISE, session.system, session.trace())
    shutil.copy(path, tmp_path / "m.pml")
    (tmp_path / "m.pml.trail").write_text(text, encoding="utf-8")
    done = subprocess.run(["spin", "-t", "-p", "m.pml"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert f"trail ends after {text.count(chr(10))} steps" in done.stdout
    assert "no matching" not in done.stdout
