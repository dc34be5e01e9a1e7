"""Small Murphi models that use every construct of the language the way old distributions do: each gives the answer in
its first line by both engines, with symmetry and without, and Rumur's answer where Rumur reads it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from rumur import is_installed, verdict_of

from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.result.outcome import Verdict

MODELS = sorted((Path(__file__).parents[1] / "models" / "murphi").glob("*.m"))
EXPECTED = re.compile(r"-- expect: (?:property=\w+ )?(?:states=(\d+) orbits=(\d+) )?verdict=(\w+)")
FOR_US_ALONE = ("union", "multiset")  # what Rumur does not read


def answer(path: Path, **how: str | tuple[str, ...]) -> tuple[str, int]:
    """The worst verdict and the number of states."""
    results = check(load(path), CheckOptions(**how)).results  # type: ignore[arg-type]
    verdicts = {result.outcome.verdict for result in results}
    return ("fails" if Verdict.FAILS in verdicts else "holds"), results[0].states


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.stem)
def test_expected_answers(model: Path) -> None:
    expected = EXPECTED.match(model.read_text())
    assert expected is not None
    states, orbits, verdict = expected.groups()
    plain, reduced = answer(model, symmetry="off"), answer(model)
    assert plain[0] == reduced[0] == verdict
    assert verdict == "fails" or (plain[1], reduced[1]) == (int(states), int(orbits))


@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.stem)
def test_engines_agree(model: Path) -> None:
    """About safety: the reference engine answers no formulas."""
    quick, slow = (answer(model, properties=("safety",), symmetry="off", engine=e) for e in ("explicit", "reference"))
    assert quick[0] == slow[0]
    assert quick[0] == "fails" or quick[1] == slow[1]


@pytest.mark.soak
@pytest.mark.skipif(not is_installed(), reason="rumur is the oracle: apt-get install rumur gcc")
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.stem)
def test_answers_of_rumur(model: Path, tmp_path: Path) -> None:
    if any(word in model.read_text() for word in FOR_US_ALONE):
        return
    copy = tmp_path / model.name
    shutil.copy(model, copy)
    try:
        verdict, states = verdict_of(copy)
    except subprocess.CalledProcessError as refusal:
        pytest.fail(f"rumur does not read it: {refusal.stderr}")
    found = answer(model, symmetry="off")
    assert found[0] == verdict
    assert verdict == "fails" or found[1] == states
