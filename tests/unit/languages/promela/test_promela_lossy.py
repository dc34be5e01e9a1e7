"""Messages to a full channel: the sender waits, or the message is lost (SPIN's -m)."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError

MODEL = """chan q = [1] of { byte };
active proctype sender() { q!1; q!2; q!3 }
active proctype receiver() { byte x; end: do :: q?x od }
"""


@pytest.mark.parametrize(("lossy", "states", "transitions"), [(False, 7, 7), (True, 10, 13)])
def test_counts_are_those_of_spin(lossy: bool, states: int, transitions: int, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(MODEL, encoding="utf-8")
    result = check(load(path, LoadOptions(count_like="spin", lossy=lossy))).worst
    assert result.verdict == "holds"
    assert (result.outcome.statistics.states, result.outcome.statistics.transitions) == (states, transitions)


def test_only_promela_has_channels(tmp_path: Path) -> None:
    path = tmp_path / "model.edges"
    path.write_text("processes 2\nstates A, B\nA -> B\n", encoding="utf-8")
    with pytest.raises(UserError, match="lossy"):
        load(path, LoadOptions(lossy=True))
