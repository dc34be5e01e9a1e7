"""Promela models: SPIN's own counts, as recorded in each model and as real spin gives them where it is installed.

The first comment of a model holds SPIN's figures: states and transitions of its default search (``spin -a``) and with
all its reductions off (``spin -a -o1 -o2 -o3``), and the verdict, all errors looked for (``pan -c0``).  A model with a
run-time error may have the verdict alone, since pan goes on after one with what happens to be in its memory.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from promela_random import random_program

from quorbit.engines.reference.explore import explore
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.languages.promela.lower.control_flow import control_flow, passes_of
from quorbit.languages.promela.lower.remote import remote_uses
from quorbit.languages.promela.parse.units import parse
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.model.specialise.after_errors import continue_after_errors
from quorbit.result.outcome import Outcome
from quorbit.source.errors import UserError
from quorbit.source.read import read_source

FOLDER = Path(__file__).parents[1] / "models" / "promela"
MODELS = sorted(FOLDER.glob("*.pml"))
SAMPLE = ["handover_chain", "merging", "unless_nested", "d_step_loop", "run_in_proctype", "timeout_guard"]
SWITCHES = {"spin": [], "plain": ["-o1", "-o2", "-o3"]}
COMPILE = ["gcc", "-w", "-O0", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DVECTORSZ=8192", "-o", "pan", "pan.c"]
needs_spin = pytest.mark.skipif(
    shutil.which("spin") is None or shutil.which("gcc") is None, reason="spin or gcc is not installed"
)


def expectation(path: Path) -> dict[str, str]:
    first = path.read_text().split("\n", 1)[0]
    return dict(re.findall(r"(\w+)=(\w+)", first))


def checked(path: Path, count_like: str) -> Outcome:
    bounds = 1
    while True:
        system = load(path, LoadOptions(count_like=count_like, bounds=bounds))
        try:
            return explore(continue_after_errors(system), system.properties, options=SearchOptions(all_errors=True))
        except BoundExceeded:
            bounds *= 2


def figures(outcome: Outcome) -> tuple[int, int]:
    return outcome.statistics.states, outcome.statistics.transitions


def test_there_are_many_models() -> None:
    assert len(MODELS) >= 80


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_recorded_figures(path: Path) -> None:
    expected = expectation(path)
    for count_like, prefix in (("spin", ""), ("plain", "plain_")):
        outcome = checked(path, count_like)
        assert outcome.verdict.value == expected["verdict"]
        if "states" in expected:
            assert figures(outcome) == (int(expected[f"{prefix}states"]), int(expected[f"{prefix}transitions"]))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_our_own_counting_never_stores_more(path: Path) -> None:
    own = checked(path, "own")
    assert own.verdict.value == expectation(path)["verdict"]
    if "states" in expectation(path):
        assert own.statistics.states <= int(expectation(path)["states"])


def compile_pan(path: Path, folder: Path, count_like: str) -> None:
    for part in path.parent.glob("*.inc"):
        shutil.copy(part, folder)
    shutil.copy(path, folder / "model.pml")
    subprocess.run(["spin", "-a", *SWITCHES[count_like], "model.pml"], cwd=folder, check=True, capture_output=True)
    subprocess.run(COMPILE, cwd=folder, check=True, capture_output=True)


def spin_figures(folder: Path) -> tuple[int, int, bool]:
    command = ["./pan", "-m1000000", "-c0"]
    text = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True).stdout
    found = [re.search(pattern, text) for pattern in (r"(\d+) states, stored", r"(\d+) transitions", r"errors: (\d+)")]
    states, transitions, errors = (int(match[1]) if match else -1 for match in found)
    return states, transitions, errors > 0


def spin_edges(folder: Path) -> dict[str, list[tuple[int, int]]]:
    """The edges of every proctype as pan lists them."""
    text = subprocess.run(["./pan", "-d"], cwd=folder, check=False, capture_output=True, text=True).stdout
    found: dict[str, list[tuple[int, int]]] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith(("proctype ", "init", "claim", "never")):
            name = ":init:" if line.startswith("init") else line.split()[-1]
        elif match := re.match(r"\s+state\s+(\d+) -\(tr\s+\d+\)-> state\s+(\d+)\s", line):
            found.setdefault(name, []).append((int(match[1]), int(match[2])))
    return found


def our_edges(path: Path, count_like: str) -> dict[str, list[tuple[int, int]]]:
    program = parse(read_source(path))
    watched, remote = remote_uses(program)
    passes = passes_of(program, count_like, remote)
    return {
        p.name: [
            (n, edge.target) for n, edges in control_flow(program, p, passes, watched).edges.items() for edge in edges
        ]
        for p in program.proctypes
        if p.role in {"proctype", "init"}
    }


def compare_with_spin(path: Path, folder: Path, count_like: str, *, counts: bool) -> None:
    compile_pan(path, folder, count_like)
    states, transitions, fails = spin_figures(folder)
    outcome = checked(path, count_like)
    assert (outcome.verdict.value == "fails") == fails
    assert checked(path, "own").verdict is outcome.verdict
    if counts:
        assert figures(outcome) == (states, transitions)
    theirs, ours = spin_edges(folder), our_edges(path, count_like)
    for name in ours:
        reached = {source for source, _ in theirs[name]}  # pan leaves out what only an escape reaches
        assert sorted(theirs[name]) == sorted(e for e in ours[name] if e[0] in reached), name


@needs_spin
@pytest.mark.parametrize("name", SAMPLE)
@pytest.mark.parametrize("count_like", ["spin", "plain"])
def test_real_spin_on_a_few_models(name: str, count_like: str, tmp_path: Path) -> None:
    path = FOLDER / f"{name}.pml"
    compare_with_spin(path, tmp_path, count_like, counts="states" in expectation(path))


@needs_spin
@pytest.mark.soak
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
@pytest.mark.parametrize("count_like", ["spin", "plain"])
def test_real_spin_on_all_models(path: Path, count_like: str, tmp_path: Path) -> None:
    compare_with_spin(path, tmp_path, count_like, counts="states" in expectation(path))


@needs_spin
@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(k, marks=pytest.mark.soak) for k in range(2, 100))])
@pytest.mark.parametrize("count_like", ["spin", "plain"])
def test_random_programs(seed: int, count_like: str, tmp_path: Path) -> None:
    path = tmp_path / "random.pml"
    path.write_text(random_program(seed))
    folder = tmp_path / "spin"
    folder.mkdir()
    try:
        load(path, LoadOptions(count_like=count_like))
    except UserError:
        assert is_refused(path, folder)
    else:
        compare_with_spin(path, folder, count_like, counts=True)


def is_refused(path: Path, folder: Path) -> bool:
    """Whether spin refuses to make a verifier, or the verifier refuses to run."""
    try:
        compile_pan(path, folder, "spin")
    except subprocess.CalledProcessError:
        return True
    return spin_figures(folder)[0] < 0
