"""Recordings of answers: what they keep, and which differences a comparison tells."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tools.snapshot import LATE, differences, steady

ROOT = Path(__file__).parents[3]


def test_what_depends_on_the_machine_is_left_out() -> None:
    found = {"verdict": "fails", "seconds": {"total": 1.5}, "results": [{"memory_bytes": 7, "states": 3}]}
    assert steady(found) == {"verdict": "fails", "results": [{"states": 3}]}
    assert steady({"trace": [1, 2]}) != steady({"trace": [2, 1]})


def test_differences_are_told_added_keys_and_late_answers_are_none() -> None:
    before = {"a.pml": {"check": {"answer": {"states": 3, "results": [{"verdict": "holds"}]}}, "symmetry": LATE}}
    same = {"a.pml": {"check": {"answer": {"states": 3, "results": [{"verdict": "holds"}], "new": 1}}, "symmetry": 1}}
    other = {"a.pml": {"check": {"answer": {"states": 3, "results": [{"verdict": "fails"}]}}, "symmetry": LATE}}
    assert list(differences(before, same)) == []
    assert list(differences(before, other)) == ["a.pml: check: answer.results[0].verdict: holds -> fails"]
    assert list(differences(before, {})) == ["a.pml: only before"]


def test_two_recordings_of_a_model_are_the_same(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    tool, model = str(ROOT / "tools" / "snapshot.py"), str(ROOT / "examples" / "mutex.edges")
    for file in (one, two):
        done = subprocess.run(
            [sys.executable, tool, "record", str(file), model], capture_output=True, text=True, check=True
        )
        assert done.stdout.startswith("1 models, ")
    assert '"states": 7' in one.read_text()
    compared = subprocess.run([sys.executable, tool, "compare", str(one), str(two)], check=False, capture_output=True)
    assert compared.returncode == 0
