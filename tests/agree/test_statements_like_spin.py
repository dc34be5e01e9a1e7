"""A trace of a Promela model tells the statements that ``spin -p -t`` tells of the same run: who, where and what."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from shutil import which

import pytest

from quorbit.cli.trail_file import find_stepwise
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.trail import write_trail
from quorbit.pipeline.load import load
from quorbit.report.trace import moves_of

ROOT = Path(__file__).parents[2]
MODELS = sorted(
    path
    for folder in (ROOT / "tests" / "models" / "promela", ROOT / "examples" / "promela")
    for path in folder.glob("*.pml")
    if "verdict=fails" in path.read_text(encoding="utf-8", errors="replace")[:4096]
)
STEP = re.compile(
    r"\s*\d+:\s+proc\s+(?:\d+|-) \((?P<name>[^)]*?):\d+\) \S*?:(?P<line>\d+) \(state \d+\)[^\[]*\[(?P<text>.*)\]"
)
D_STEPS = ("d_step_blocks", "d_step_sends")
STEPPED = re.compile(r"([\w.\[\]]+)(\+\+|--)")
NOT_STATEMENTS = ("end", "blocked")  # SPIN says "terminates", and "timeout" of the rest
Told = tuple[str, int, str]  # proctype, line, statement


def squeezed(text: str) -> str:
    """Without spaces and brackets; x++ as SPIN writes it."""
    text = STEPPED.sub(lambda m: f"{m[1]} = {m[1]}{m[2][0]}1", text)
    return re.sub(r"[\s()]", "", text).replace("true", "1").replace("false", "0").replace("skip", "1")


@pytest.mark.skipif(which("spin") is None, reason="spin is not installed")
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_statements_are_those_of_spin(path: Path, tmp_path: Path) -> None:
    result = find_stepwise(load(path, LoadOptions(stepwise=True)), "", 30)
    trace = result.outcome.trace
    assert trace is not None
    ours: list[Told] = []
    for moved in moves_of(result.system, trace):
        for said in moved.statements:
            if said.text not in NOT_STATEMENTS:
                ours.append((said.actor.split("[")[0], said.span.line, squeezed(said.text)))
    theirs = told_by_spin(path, write_trail(path, result.options, result.system, trace), tmp_path)
    if path.stem in D_STEPS:  # SPIN tells the first statement of a d_step on the line of the d_step
        ours, theirs = [(who, 0, text) for who, _, text in ours], [(who, 0, text) for who, _, text in theirs]
    assert ours == theirs


def told_by_spin(path: Path, trail: str, folder: Path) -> list[Told]:
    copy = folder / path.name
    copy.write_bytes(path.read_bytes())
    (folder / f"{path.name}.trail").write_text(trail, encoding="utf-8")
    done = subprocess.run(
        ["spin", "-p", "-t", path.name], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    steps = [found for line in done.stdout.splitlines() if (found := STEP.match(line))]
    return [(found["name"].strip(":"), int(found["line"]), squeezed(found["text"])) for found in steps]
