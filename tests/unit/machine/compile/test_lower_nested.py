"""Deeply nested conditions: the code grows with the expression, not with two to the power of its depth."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.machine.compile.lower.system import lower
from quorbit.machine.compile.packing import lay_out
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

DEPTH = 40


def chain(depth: int) -> str:
    """The successor of x, one case after the other; the last case divides by zero where it is computed."""
    text = "1 / (x - x)"
    for k in reversed(range(depth)):
        text = f"(x == {k} -> {(k + 3) % depth} : {text})"
    return text


def promela(depth: int) -> str:
    return f"byte x;\nactive proctype p() {{ do :: x = {chain(depth)} od }}\n"


def table(depth: int) -> str:
    rows = "\n".join(f"{k} {(k + 3) % depth}" for k in range(depth))
    names = f".model m\n.outputs x\n.mv x, y {depth}\n"
    return f"{names}.table x -> y\n.default =x\n{rows}\n.latch y x\n.reset x\n0\n.end\n"


@pytest.mark.parametrize(("name", "text"), [("nested.pml", promela(DEPTH)), ("nested.mv", table(DEPTH))])
def test_nested_conditions_mean_the_same(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    found = {}
    for engine in ("explicit", "reference"):
        result = check(path, CheckOptions(engine=engine, symmetry="off")).worst
        found[engine] = (result.verdict, result.states, result.transitions)
    assert found["explicit"] == found["reference"]
    assert found["explicit"][1] == DEPTH


def test_code_grows_with_the_depth(tmp_path: Path) -> None:
    sizes = []
    for depth in (20, 40, 80):
        path = tmp_path / f"nested{depth}.pml"
        path.write_text(promela(depth))
        system = load(path).system
        sizes.append(len(lower(system, lay_out(system, moving=False), system.properties).code))
    assert sizes[2] - sizes[1] < 2.5 * (sizes[1] - sizes[0])
