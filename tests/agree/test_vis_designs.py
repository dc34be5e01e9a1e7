"""Designs in the Verilog of VIS: every engine says of every formula what its comment says.

The verdicts and the numbers of states come from programs that share no code with ours: Icarus Verilog told all
successors of all states of the designs, with enumerations as numbers and choices as inputs, and formulas were evaluated
on these graphs by their definitions.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

MODELS = Path(__file__).parents[1] / "models" / "vis"
FILES = sorted(f for f in MODELS.iterdir() if f.suffix in (".ctl", ".ltl", ".inv"))
UNDER_FAIRNESS = [f for f in FILES if f.suffix != ".inv" and f.with_suffix(".fair").exists()]  # no invariant is there
WAYS = [("auto", "auto", "auto"), ("symbolic", "off", "auto"), ("symbolic", "auto", "next")]
ANSWER = re.compile(r"# (holds|fails)$", re.MULTILINE)


def verdicts(file: Path, engine: str, symmetry: str, quotient: str) -> list[str]:
    asked = tuple(str(f) for f in (file, file.with_suffix(".fair")) if f.exists())
    options = CheckOptions(asked, symmetry, engine=engine, quotient=quotient)
    return [result.outcome.verdict.value for result in check(load(file.with_suffix(".v")), options).results]


def expected(file: Path) -> list[str]:
    answers = ANSWER.findall(file.read_text())
    assert len(answers) == file.read_text().count(";") > 0
    return answers


@pytest.mark.parametrize(("engine", "symmetry", "quotient"), WAYS)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_sets_of_states_answer_as_the_comments_say(file: Path, engine: str, symmetry: str, quotient: str) -> None:
    assert verdicts(file, engine, symmetry, quotient) == expected(file)


@pytest.mark.parametrize("file", UNDER_FAIRNESS, ids=lambda file: file.name)
def test_single_states_answer_as_the_comments_say(file: Path) -> None:
    assert verdicts(file, "temporal", "auto", "auto") == expected(file)
