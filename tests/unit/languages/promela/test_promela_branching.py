"""CTL and CTL* about Promela models, asked from outside; an ltl block has SPIN's words only."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.pipeline.load import load as load_model
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError

TURNS = """bool cs[3];
active [3] proctype P() { do :: atomic { !cs[0] && !cs[1] && !cs[2] -> cs[_pid] = 1 }; cs[_pid] = 0 od }
"""
VERDICTS = {
    "AG EF cs[0]": "holds",
    "AG (EF (cs[0] == 1))": "holds",
    "AF cs[0]": "fails",
    "EG !cs[0]": "holds",
    "E [!cs[0] U cs[1]]": "holds",
    "A (!cs[0] U cs[1])": "fails",
    "AX (cs[0] || cs[1] || cs[2])": "holds",
    "EX EX cs[0]": "fails",
    "E <>[] cs[1]": "fails",
    "!EF (cs[0] && cs[1])": "holds",
}


@pytest.mark.parametrize(("formula", "verdict"), VERDICTS.items())
@pytest.mark.parametrize("symmetry", ["auto", "off"])
def test_verdicts(formula: str, verdict: str, symmetry: str, tmp_path: Path) -> None:
    path = tmp_path / "turns.pml"
    path.write_text(TURNS)
    asked = CheckOptions(properties=(formula,), symmetry=symmetry)
    assert check(load_model(path), asked).results[0].outcome.verdict.value == verdict


def test_a_variable_wins_over_a_path_quantifier(tmp_path: Path) -> None:
    path = tmp_path / "named.pml"
    path.write_text("bool AG; active proctype P() { AG = 1 }")
    assert check(load_model(path), CheckOptions(properties=("<> AG",))).results[0].outcome.verdict.value == "holds"


def test_an_ltl_block_has_no_path_quantifiers(tmp_path: Path) -> None:
    path = tmp_path / "block.pml"
    path.write_text(TURNS + "ltl p { AG cs[0] }")
    with pytest.raises(UserError, match="AG"):
        load(path, LoadOptions())
