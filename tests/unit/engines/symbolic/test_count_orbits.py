"""The orbits of the reachable states, counted by what each element fixes: as many as the quotient has states."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

ROOT = Path(__file__).parents[4]


@pytest.mark.parametrize(("model", "formula"), [("ring.v", "AG two=0"), ("fifos.v", "AG bad=0")])
def test_as_many_orbits_as_the_quotient_has_states(model: str, formula: str) -> None:
    path = ROOT / "examples/circuits" / model
    (sets,) = check(load(path), CheckOptions(properties=(formula,))).results
    (quotient,) = check(load(path), CheckOptions(properties=(formula,), quotient="next")).results
    assert sets.outcome.statistics.orbits == quotient.states < sets.states
