"""A circuit whose every state has 2^20 moves: a trace is not looked for again among all of them."""

from __future__ import annotations

from pathlib import Path

from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

ROOT = Path(__file__).parents[4]


def test_a_counterexample_of_twenty_philosophers(tmp_path: Path) -> None:
    properties = tmp_path / "table.ctl"
    properties.write_text("AG(s0=thinking);\n", encoding="utf-8")
    [result] = check(ROOT / "examples/circuits/philosophers20.mv", CheckOptions((str(properties),))).results
    assert result.verdict == "fails"
    assert result.outcome.engine == "symbolic"
    assert result.outcome.trace is not None
    assert len(result.outcome.trace.steps) == 1
