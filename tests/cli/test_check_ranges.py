"""``quorbit check --coverage``: the least and the greatest value of every variable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorbit.cli.main import main

MACHINE = """MACHINE m
VARIABLES x, s
INVARIANT x : 0..9 & s <: 1..3
INITIALISATION x := 2 || s := {}
OPERATIONS
  up = PRE x < 5 THEN x := x + 1 || s := {1, 2} END;
  never = PRE x > 7 THEN x := 0 END
END
"""


def test_ranges_and_operations_that_never_ran(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.mch"
    model.write_text(MACHINE)
    main(["check", str(model), "--coverage", "--all-errors"])
    shown = capsys.readouterr().out
    assert "x: 2 .. 5" in shown
    assert "s: 0 .. 2" in shown
    main(["check", str(model), "--coverage", "--all-errors", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["ranges"] == {"x": [2, 5], "s": [0, 2]}
    assert [u["statement"] for u in found["coverage"]["unreached"]] == ["never"]
