"""Identifiers that mean something in C, in any alphabet and of any length: they are data, never code."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

LONG = "x" * 500
NAMES = ("register", "volatile", "sizeof", "malloc", "main", "native_next", "größe", "ключ", LONG)


def promela(names: tuple[str, ...]) -> str:
    variables = "".join(f"byte {name};\n" for name in names)
    options = " ".join(f":: atomic {{ {name} < 2 -> {name}++ }}" for name in names)
    return f"{variables}active proctype {names[0]}_() {{ end: do {options} od }}\n"


def machine(names: tuple[str, ...]) -> str:
    typed = " & ".join(f"{name} : 0..2" for name in names)
    steps = ";\n".join(f"op_{name} = PRE {name} < 2 THEN {name} := {name} + 1 END" for name in names)
    start = " || ".join(f"{name} := 0" for name in names)
    head = f"MACHINE m\nVARIABLES {', '.join(names)}\nINVARIANT {typed}\nINITIALISATION {start}\n"
    return f"{head}OPERATIONS\n{steps}\nEND\n"


def diagram(names: tuple[str, ...]) -> str:
    shared = "".join(f"shared {name}: 0..2 = 0\n" for name in names)
    edges = "".join(f"ключи -> ключи when {name} < 2 do {name} := {name} + 1\n" for name in names)
    return f"processes struct: 1..2\nstates ключи\n{shared}{edges}no deadlock check\n"


@pytest.mark.parametrize(("suffix", "write"), [("pml", promela), ("mch", machine), ("edges", diagram)])
def test_names_are_data(tmp_path: Path, suffix: str, write: object) -> None:
    assert callable(write)
    path, plain = tmp_path / f"named.{suffix}", tmp_path / f"plain.{suffix}"
    path.write_text(write(NAMES), encoding="utf-8")
    plain.write_text(write(tuple(f"v{k}" for k in range(len(NAMES)))), encoding="utf-8")
    found, expected = (check(p, CheckOptions(symmetry="off")).worst for p in (path, plain))
    assert found.states == expected.states == 3 ** len(NAMES)
    assert (found.transitions, found.verdict) == (expected.transitions, expected.verdict)
