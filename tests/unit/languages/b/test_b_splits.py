"""Equations of sequences that give unknown parts of a known sequence their values."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.machine.options import SearchOptions
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check


@pytest.mark.parametrize(
    "formula",
    [
        "{x, y | x ^ y = [1, 2]} = {[] |-> [1, 2], [1] |-> [2], [1, 2] |-> []}",
        "{x | [1] ^ x = [1, 2, 3]} = {[2, 3]} & {x | x ^ [3] = [1, 2]} = {} & {x | [1, 2, 3] ^ x = [1]} = {}",
        "{x, y | x -> y = [1, 2]} = {1 |-> [2]} & {x, y | [1, 2] = x <- y} = {[1] |-> 2}",
        "{x, y | x ^ [2] ^ y = [1, 2, 2]} = {[1] |-> [2], [1, 2] |-> []}",
        "{x, y, z | [x, y, z] = [1, 2, 3]} = {1 |-> 2 |-> 3}",
        "#(x, y).(x ^ [3] ^ y = [1, 3, 2]) & not(#(x, y).(x ^ [3] ^ y = [1, 2]))",
    ],
)
def test_sequences_are_taken_apart(tmp_path: Path, formula: str) -> None:
    path = tmp_path / "M.mch"
    path.write_text(f"MACHINE M ASSERTIONS {formula} OPERATIONS o = skip END")
    assert check(path).worst.verdict == "holds"


def test_rewriting_of_words(tmp_path: Path) -> None:
    """Ten words and 17 steps, counted by a program of a few lines that shares nothing with this one."""
    path = tmp_path / "M.mch"
    path.write_text("""MACHINE M SETS S = {a, b, c} VARIABLES q INVARIANT q : seq(S) INITIALISATION q := [a, b]
    OPERATIONS one(x, y) = PRE q = x ^ [a, b] ^ y THEN q := x ^ [b, c, a] ^ y END;
      two(x, y) = PRE q = x ^ [b, c] ^ y THEN q := x ^ [c] ^ y END;
      pop(x) = SELECT #y.(q = x -> y) THEN q := tail(q) END;
      swap(x, y, z) = SELECT q = [x, y] ^ z & x /= y THEN q := [y, x] ^ z END END""")
    found = check(path, CheckOptions(symmetry="off", search=SearchOptions(all_errors=True))).worst
    assert (found.states, found.transitions) == (10, 18)
