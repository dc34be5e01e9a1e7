"""Bounds of integers: what commands keep, what the invariant promises, and that no reachable value is outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.b.load import load_lowered
from quorbit.languages.options import LoadOptions
from quorbit.model.system.types import Number, SetOf, TupleOf, Type


def types(tmp_path: Path, text: str) -> dict[str, Type]:
    path = tmp_path / "m.mch"
    path.write_text(f"MACHINE m {text} END", encoding="utf-8")
    return {v.name: v.type for v in load_lowered(path, LoadOptions()).system.variables}


COUNTER = "VARIABLES n INVARIANT {invariant} INITIALISATION n := 0 OPERATIONS {operations}"


@pytest.mark.parametrize(
    ("invariant", "operations", "expected"),
    [
        ("n : NATURAL", "up = PRE n < 5 THEN n := n + 1 END", Number(0, 5)),
        ("n : NATURAL", "up = PRE n < 1000 THEN n := n + 1 END", Number(0, 1000)),
        ("n : NATURAL", "up(k) = PRE k : 1..3 & n + k <= 7 THEN n := n + k END", Number(0, 7)),
        ("n : INTEGER", "down = PRE n > -4 THEN n := n - 1 END", Number(-4, 0)),
        ("n : 0..9", "up = n := n + 1", Number(0, 10)),
        ("n : NATURAL & n <= 9", "up = n := n + 2", Number(0, 11)),
        ("n : NATURAL", "up = n := n + 1", Number(0, None)),
        ("n : NATURAL", "set = n :: 3..6", Number(0, 6)),
        ("n : NATURAL", "turn = n := (n + 1) mod 4", Number(0, 3)),
        ("n : NATURAL", "up = IF n < 3 THEN n := n + 1 ELSE n := 0 END", Number(0, 3)),
        ("n : NATURAL", "up = SELECT n /= 4 & n < 8 THEN n := 2 * n + 1 END", Number(0, 15)),
        ("n : NATURAL", "card_of(s) = PRE s <: 1..3 THEN n := card(s) END", Number(0, 3)),
    ],
)
def test_bounds_of_a_counter(tmp_path: Path, invariant: str, operations: str, expected: Number) -> None:
    text = COUNTER.format(invariant=invariant, operations=operations)
    assert types(tmp_path, text)["n"] == expected


def test_bounds_inside_functions_and_sequences(tmp_path: Path) -> None:
    text = """SETS S VARIABLES f, q INVARIANT f : S --> NATURAL & q : iseq(S)
    INITIALISATION f := S * {0} || q := []
    OPERATIONS inc(x) = PRE x : S & f(x) < 2 THEN f(x) := f(x) + 1 END;
      put(x) = PRE x : S & x /: ran(q) THEN q := q <- x END"""
    found = types(tmp_path, text)
    assert isinstance(found["f"], SetOf)
    assert isinstance(found["f"].element, TupleOf)
    assert found["f"].element.parts[1] == Number(0, 2)
    assert isinstance(found["q"], SetOf)
    assert isinstance(found["q"].element, TupleOf)
    assert found["q"].element.parts[0] == Number(1, 3)  # two jobs, and one more before the invariant is found broken
