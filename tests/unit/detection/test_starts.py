"""Symmetries that move the initial states: what they give, and the traps on the way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quorbit.cli.main import main
from quorbit.detection.brute_force import broken_state, count_orbits, state_graph
from quorbit.detection.detect import keeping_the_start
from quorbit.detection.reveal import reveal
from quorbit.groups.chain import order
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.machine.options import SearchOptions
from quorbit.model.specialise.ground import ground
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check, symmetry

# who names the first process before anyone writes it.
NAMED = "pid who;\nactive [2] proctype p() { do :: atomic { who = _pid }; skip :: who == _pid -> skip od }\n"
# One process begins with another task: what only it could do at first is cut away for the others, unless evenly.
LOPSIDED = """byte n;
active [3] proctype p() {
  bool boss = (_pid == 2);
  do
  :: boss -> boss = false
  :: n == 0 && !boss -> n = 1; n = 0
  od
}
"""
# What tells one process apart can never happen.
IMPOSSIBLE = """byte n; byte special;
active [3] proctype p() {
  do
  :: n < 2 -> n++; n--
  :: special == 1 && _pid == 1 -> assert(false)
  od
}
"""
# The first values differ, so the values that a glance finds possible differ too.
UNEQUAL = """byte x[3]; byte turn = 1;
active [3] proctype p() {
  do
  :: turn == _pid && x[_pid] < 4 -> x[_pid]++; turn = (_pid + 1) % 3
  :: turn == _pid && x[_pid] > 1 -> x[_pid] = 0
  od
}
"""
FAILING = UNEQUAL.replace("x[_pid] = 0\n", "x[_pid] = 0; assert(x[0] + x[1] + x[2] < 8)\n")
# The first step gives one process something.
GIVEN = """bool boss[3]; byte n;
proctype p(byte id) {
  do
  :: boss[id] -> boss[id] = false
  :: n == 0 && !boss[id] -> n = 1; n = 0
  od
}
init { atomic { run p(0); run p(1); run p(2); boss[2] = true } }
"""
TEXTS = {"given": GIVEN, "named": NAMED, "lopsided": LOPSIDED, "impossible": IMPOSSIBLE, "unequal": UNEQUAL}


def written(text: str, folder: Path) -> Path:
    path = folder / "model.pml"
    path.write_text(text, encoding="utf-8")
    return path


def run(path: Path, **options: Any) -> Any:
    return check(path, CheckOptions(**options)).results[0]


@pytest.mark.parametrize(("name", "found", "kept"), [
    ("given", 6, 2), ("named", 2, 1), ("lopsided", 6, 2), ("impossible", 6, 6), ("unequal", 3, 1)
])  # fmt: skip
def test_orders(name: str, found: int, kept: int, tmp_path: Path) -> None:
    """Trimming may hide a symmetry (lopsided) or show one (impossible): the larger group is kept."""
    plain = load(written(TEXTS[name], tmp_path), LoadOptions())
    system, symmetric = reveal(plain, plain.properties)
    assert order(symmetric.group) == found
    assert order(keeping_the_start(system, symmetric)) == kept
    assert bool(symmetric.moving) is (kept < found)


@pytest.mark.parametrize("name", list(TEXTS))
def test_nothing_that_the_start_alone_tells_is_used(name: str, tmp_path: Path) -> None:
    """Every generator is an automorphism of all that is reached from the images of the start, and the search stores one
    state of each orbit that meets what is reached."""
    path = written(TEXTS[name], tmp_path)
    plain = load(path, LoadOptions())
    system, found = reveal(plain, plain.properties)
    graph = state_graph(ground(system), 5_000, found.group.generators)
    assert graph is not None
    assert all(broken_state(ground(system), graph, g) is None for g in found.group.generators)
    orbits = count_orbits(ground(system), graph, found.group.generators)
    for engine in ("explicit", "reference"):
        reduced = run(path, engine=engine)
        assert (reduced.states, reduced.verdict) == (orbits, run(path, engine=engine, symmetry="off").verdict)


def test_a_trace_begins_in_the_initial_state(tmp_path: Path) -> None:
    path = written(FAILING, tmp_path)
    for engine in ("explicit", "reference", "adaptive"):
        found = run(path, engine=engine)
        assert found.verdict == "fails"
        start = dict(zip(found.system.places, found.outcome.trace.start, strict=True))
        assert [value for place, value in start.items() if place.variable == "turn"] == [1]


def test_the_states_represented_are_counted_of_symmetries_that_keep_the_start(tmp_path: Path) -> None:
    path = written(UNEQUAL, tmp_path)
    counted = run(path, engine="explicit", search=SearchOptions(represented=True))
    assert counted.outcome.statistics.represented == run(path, engine="explicit", symmetry="off").states
    assert not counted.symmetry.moving
    assert counted.states > run(path, engine="explicit").states


def test_formulas_about_other_processes_are_derived_by_what_keeps_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """who is 0 at first and need not become 1: the formula about 0 says nothing of the one about 1."""
    text = NAMED + "ltl first { <> (who == 0) }\nltl all { (<> (who == 0)) && (<> (who == 1)) }\n"
    path = written(text, tmp_path)
    for name, verdict in (("first", "holds"), ("all", "fails")):
        assert {check(path, CheckOptions((name,), symmetry)).verdict for symmetry in ("auto", "off")} == {verdict}
    assert main(["formulas", str(path), "--property", "first", "--json"]) == 0
    assert "p[1]" not in json.dumps(json.loads(capsys.readouterr().out))


def test_certificates_mark_what_moves_the_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, certificate = written(UNEQUAL, tmp_path), tmp_path / "certificate.json"
    assert main(["check", str(model), "--engine", "explicit", "--certificate", str(certificate)]) == 0
    assert main(["verify-certificate", str(model), str(certificate)]) == 0
    told = json.loads(certificate.read_text())
    (generator,) = told["answers"][0]["generators"]
    assert generator["start"] == "moved"
    generator["start"] = "kept"
    certificate.write_text(json.dumps(told))
    assert main(["verify-certificate", str(model), str(certificate)]) == 1
    generator["witness"]["start"] = [0]
    certificate.write_text(json.dumps(told))
    assert main(["verify-certificate", str(model), str(certificate)]) == 1
    assert "start" in capsys.readouterr().out


def test_a_checkpoint_belongs_to_its_group(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, folder = written(UNEQUAL, tmp_path), str(tmp_path / "run")
    asked = ["check", str(model), "--engine", "explicit"]
    assert main([*asked, "--checkpoint", folder, "--max-depth", "4"]) == 3
    assert main([*asked, "--resume", folder, "--symmetry", "off"]) == 2
    assert "cannot be resumed" in capsys.readouterr().err
    assert main([*asked, "--resume", folder, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["states"] == run(model, engine="explicit").states


def test_the_report_says_which_symmetries_move_the_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(NAMED, tmp_path)
    assert symmetry(path).to_json()["moves_start"] == ["(p[0] p[1])"]
    assert main(["symmetry", str(path)]) == 0
    assert "(p[0] p[1])  (moves the start)" in capsys.readouterr().out
    assert main(["why", str(path), "(0 1)"]) == 0
    assert "it moves the start: who is p[0], in the image p[1]" in capsys.readouterr().out


def test_the_effect_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not counted is a bound; what no symmetry moves is idle; what moves the start is said of the coverage."""
    path = written(NAMED, tmp_path)
    found = run(path, engine="explicit").to_json()["symmetry"]
    assert found["effect"] == {"orbits": 9, "represented": {"at_most": 18}, "idle": False}
    plain = run(path, engine="explicit", symmetry="off").to_json()["symmetry"]
    assert plain["effect"] == {"orbits": 18, "represented": {"exact": 18}, "idle": True}
    assert symmetry(path).to_json()["effect"] is None
    assert main(["check", str(path), "--engine", "explicit", "--explain-reduction"]) == 0
    text = capsys.readouterr().out
    assert "reduced by S2" in text
    assert "some symmetries move the start" in text
