"""Which types of a Murphi model are names: declared, found, or not, and what is made of that."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.murphi.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.run import check
from quorbit.source.span import Source

RING = """type T : 0 .. 2; var n : array [T] of boolean; p : T;
startstate for i : T do n[i] := false; end; p := 0; end;
"""


def sorts(text: str) -> dict[str, int]:
    """The sorts of atoms that a model has, with their sizes."""
    system = load_source(Source("model.m", text), LoadOptions()).system
    return {sort: len(atoms) for sort, atoms in system.sorts.items()}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ("ruleset i : T do rule n[i] ==> begin p := i; end; end;", {"T": 3}),
        ("ruleset i : T do rule n[i] ==> begin n[(i + 1) % 3] := true; end; end;", {"T": 3}),
        ("rule begin p := (p + 1) % 3; end;", {"T": 3}),
        ("rule begin p := (p + 1) % 3 + 0; end;", {"T": 3}),
        ("rule begin if p = 2 then p := 0; else p := p + 1; end; end;", {"T": 3}),
        ("rule begin p := p > 0 ? p - 1 : 2; end;", {"T": 3}),
        ("rule begin p := p = 2 ? 1 : p + 1; end;", {}),
        ("rule begin p := p > 1 ? p - 1 : 2; end;", {}),
        ("rule begin p := (p - 1) % 3; end;", {}),
        ("rule begin p := (p + 1) % 2; end;", {}),
        ("rule begin p := (p + p) % 3; end;", {}),
        ("ruleset i : T do rule i < p ==> begin n[i] := true; end; end;", {}),
        ("rule p = 1 ==> begin p := 2; end;", {}),
        ("rule begin p := 1; end;", {}),
        ("ruleset i : 0 .. 2 do rule n[i] ==> begin p := i; end; end;", {"T": 3}),
        ("rule begin for i := 0 to 2 do n[i] := true; end; end;", {"T": 3}),
    ],
)
def test_ranges_that_are_names(rules: str, expected: dict[str, int]) -> None:
    assert sorts(RING + rules) == expected


@pytest.mark.parametrize(
    ("rules", "order"),
    [
        ("ruleset i : T do rule begin n[i] := true; end; end;", 6),
        ("ruleset i : T do rule n[i] ==> begin n[(i + 1) % 3] := true; end; end;", 3),
        ("ruleset i : T do rule begin for j : T do if j != i then n[j] := n[i]; end; end; end; end;", 6),
        ("ruleset i : T do rule begin for j : T do if j != i then n[i] := n[j]; end; end; end; end;", 1),
        ("ruleset i : T do rule n[0] = n[i] ==> begin n[i] := !n[i]; end; end;", 2),
    ],
)
def test_groups(rules: str, order: int, tmp_path: Path) -> None:
    """A loop that does something for each node keeps the symmetry, one whose order can be seen does not."""
    path = tmp_path / "model.m"
    start = "startstate for i : T do n[i] := false; end; end;"
    moving = "ruleset i : T do rule begin n[i] := !n[i]; end; end;"  # else no state would tell the nodes apart
    path.write_text(f"type T : 0 .. 2; var n : array [T] of boolean; {start} {moving} {rules}")
    (found,) = check(load(path, LoadOptions(deadlock="off"))).results
    assert found.symmetry.order == order


MOST = """type T : scalarset(3); N : 0 .. 3; var n : array [T] of N;
function most() : N; var m : N; begin m := 0; for i : T do if n[i] {test} then m := n[i]; end; end; return m; end;
startstate for i : T do n[i] := 0; end; end;
ruleset i : T do rule most() < 3 ==> begin n[i] := most() + 1; end; end;
"""


@pytest.mark.parametrize(("test", "order"), [("> m", 6), (">= m", 6), ("> 1", 1)])
def test_the_greatest_of_all_is_that_of_any_order(test: str, order: int, tmp_path: Path) -> None:
    """The last one above 1, however, depends on the order."""
    path = tmp_path / "model.m"
    path.write_text(MOST.format(test=test))
    (found,) = check(load(path, LoadOptions(deadlock="off"))).results
    assert found.symmetry.order == order


def test_rules_are_no_loops_of_a_program(tmp_path: Path) -> None:
    """`why` and `symmetry` suggest `atomic` only where a program loops."""
    path = tmp_path / "model.m"
    start = "startstate h := 0; for i : 0 .. 3 do b[i] := false; end; end;"
    go = "rule begin b[h] := true; if h = 3 then h := 1; else h := h + 1; end; end;"
    path.write_text(f"var h : 0 .. 3; b : array [0 .. 3] of boolean; {start} {go}")
    (found,) = check(load(path, LoadOptions(deadlock="off"))).results
    assert found.symmetry.order == 1
    assert not any("atomic" in note for note in found.symmetry.notes)
