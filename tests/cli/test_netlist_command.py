"""``quorbit symmetry --netlist``: statistics, groups with and without formulas, large circuits by their models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quorbit.cli.main import main

PHILOSOPHERS = Path(__file__).parents[2] / "examples" / "circuits" / "philosophers20.mv"
RING = ".model ring\n.outputs q0 q1 q2 q3\n" + "".join(
    f".names q{i} q{(i - 1) % 4} d{i}\n11 1\n.latch d{i} q{i} 0\n" for i in range(4)
)


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["symmetry", *arguments, "--netlist"])
    return code, capsys.readouterr().out


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code, text = ask(capsys, *arguments, "--json")
    assert code == 0
    found: dict[str, Any] = json.loads(text)
    return found


def test_philosophers_by_models_and_flat(capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, str(PHILOSOPHERS))
    assert found["by_models"]["structure"] == found["quotient"]["structure"] == "C20"
    assert found["models"]["instances"] == 20
    assert found["models"]["vertices"] < found["graph"]["n"]


def test_formulas_restrict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, fair = tmp_path / "ring.blif", tmp_path / "ring.fair"
    path.write_text(RING)
    fair.write_text("q0=1;\n")
    assert told(capsys, str(path))["quotient"]["order"] == 4
    either = told(capsys, str(path), "--property", "AG q0=1 + AG q2=1")
    assert (either["quotient"]["order"], either["subformulas"]["order"]) == (1, 2)
    assert told(capsys, str(path), "--property", "AG(q0=1 + q2=1)")["quotient"]["order"] == 2
    both = told(capsys, str(path), "--property", "AG(q0=1 + q2=1)", "--property", str(fair))
    assert both["quotient"]["order"] == 1


def test_a_circuit_without_latches_is_about_its_inputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "gates.blif"
    path.write_text(".model g\n.inputs a b c d\n.outputs x y\n.names a c x\n11 1\n.names b d y\n10 1\n01 1\n")
    code, text = ask(capsys, str(path))
    assert code == 0
    assert "classes     {a, c}\n            {b, d}\n" in text
    assert "S2 x S2, order 4" in text


def test_large_circuits_are_not_flattened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cell = ".model cell\n.inputs a\n.outputs y\n.latch a y 0\n.end\n"
    row = ".model row\n.inputs a\n.outputs y\n" + "".join(
        f".subckt cell a={'a' if k == 0 else f'n{k}'} y={'y' if k == 199 else f'n{k + 1}'}\n" for k in range(200)
    )
    top = ".model top\n" + "".join(f".subckt row a=w{k} y=w{(k + 1) % 101}\n" for k in range(101))
    path = tmp_path / "long.blif"
    path.write_text(f"{top}.end\n{row}.end\n{cell}")
    found = told(capsys, str(path))
    assert found["graph"] is None
    assert found["models"] == {"parts": 3, "vertices": found["models"]["vertices"], "instances": 101 * 201}
    assert found["by_models"]["order"] == 101


def test_what_cannot_be_combined_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["symmetry", str(PHILOSOPHERS), "--netlist", "--svg", str(tmp_path / "x.svg")]) == 2
    assert "--svg cannot be combined with --netlist" in capsys.readouterr().err
    model = tmp_path / "m.pml"
    model.write_text("active proctype p() { skip }\n")
    assert main(["symmetry", str(model), "--netlist"]) == 2
    assert "--netlist is about circuits" in capsys.readouterr().err


def test_functions_show_what_their_rows_hide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The majority of three latches, written so that its rows are not symmetric."""
    majority = tmp_path / "majority.blif"
    rows = ".names a b c z\n11- 1\n101 1\n011 1\n"
    majority.write_text(f".model majority\n{rows}" + "".join(f".latch z {n} 0\n" for n in "abc"), encoding="utf-8")
    found = told(capsys, str(majority))
    assert (found["quotient"]["order"], found["functions"]["order"]) == (2, 6)
    assert told(capsys, str(PHILOSOPHERS))["functions"] is None  # the graph shows them all
