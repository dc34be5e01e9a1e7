"""Random Murphi programs against Rumur: equal verdicts, with symmetry too, and equal numbers of states without."""

from __future__ import annotations

from pathlib import Path

import pytest
from murphi_random import random_program
from rumur import is_installed, verdict_of

from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

FEW, MANY = 4, 1_000
ONCE_WRONG = (20,)  # adaptive reduction was chosen, which does not see moves that change nothing

pytestmark = pytest.mark.skipif(not is_installed(), reason="rumur is the oracle: apt-get install rumur gcc")


@pytest.mark.parametrize("seed", [*range(FEW), *ONCE_WRONG])
def test_random_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(FEW, MANY))
def test_many_random_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)


def compare(seed: int, folder: Path) -> None:
    path = folder / "random.m"
    path.write_text(random_program(seed))
    verdict, states = verdict_of(path)
    model = load(path)
    (plain,) = check(model, CheckOptions(symmetry="off")).results
    (reduced,) = check(model).results
    assert plain.outcome.verdict.name.lower() == reduced.outcome.verdict.name.lower() == verdict
    if verdict == "holds":
        assert plain.states == states
        assert reduced.states <= states
