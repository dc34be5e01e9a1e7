"""Circuits in every format and formulas in VIS's words mean what their definitions say, alone and in company."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from circuit_definitions import (
    FORMATS,
    Circuit,
    Tree,
    holds_ctl,
    holds_ltl,
    random_circuit,
    random_ctl,
    random_ltl,
    written,
)

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.load import lower_for, read_circuit
from quorbit.languages.options import LoadOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check


def verdicts(model: Path, files: list[Path]) -> dict[int, bool]:
    """What is answered about the formulas of the first file, by their lines."""
    found = {}
    for system in lower_for(model, read_circuit(model, LoadOptions()), files, LoadOptions()).systems:
        for p, outcome in zip(system.properties, check_all(system, system.properties), strict=True):
            found[int(p.name.rpartition(":")[2])] = outcome.verdict.value == "holds"
    return found


def write(folder: Path, name: str, formulas: list[Tree]) -> Path:
    path = folder / name
    path.write_text("".join(f"{written(f)};\n" for f in formulas))
    return path


def compare(folder: Path, seed: int, kind: str) -> None:
    rng = random.Random(seed)
    suffix = list(FORMATS)[seed % len(FORMATS)]
    c = random_circuit(rng, suffix == ".mv", 2 if kind == "ltl" else 3)
    model = folder / f"m{suffix}"
    model.write_text(FORMATS[suffix](c))
    make, holds = (random_ctl, holds_ctl) if kind == "ctl" else (random_ltl, holds_ltl)
    formulas = [make(rng, c, 3) for _ in range(4)] if kind == "ctl" else [random_ltl(rng, c, 3, 2) for _ in range(4)]
    fair = [random_ctl(rng, c, 1)] if rng.random() < 0.4 else []
    fairness = [write(folder, "f.fair", fair)] if fair else []
    expected = [holds(c, f, fair) for f in formulas]
    together = verdicts(model, [write(folder, f"p.{kind}", formulas), *fairness])
    assert [together[k] for k in range(1, 5)] == expected, (model.read_text(), [*map(written, formulas)], fair)
    alone = [verdicts(model, [write(folder, f"p.{kind}", [f]), *fairness])[1] for f in formulas]
    assert alone == expected, (model.read_text(), [*map(written, formulas)], fair)


@pytest.mark.parametrize("kind", ["ctl", "ltl"])
@pytest.mark.parametrize("seed", range(8))
def test_formulas_mean_what_they_say(seed: int, kind: str, tmp_path: Path) -> None:
    compare(tmp_path, seed, kind)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["ctl", "ltl"])
@pytest.mark.parametrize("seed", range(1000, 1500))
def test_formulas_mean_what_they_say_in_4000_cases(seed: int, kind: str, tmp_path: Path) -> None:
    compare(tmp_path, seed, kind)


SHARED = Circuit({"i0": 2}, {"l0": (2, 0, ("net", "i0"))}, {})
BOTH = ("and", ("E", ("X", ("is", "l0", 1))), ("E", ("X", ("is", "l0", 0))))
OF_THE_INPUT = ("A", ("G", ("implies", ("is", "i0", 1), ("A", ("X", ("is", "l0", 1))))))


@pytest.mark.parametrize("suffix", [".blif", ".aag", ".v"])  # those that are written with gates
def test_another_formula_makes_no_input_part_of_the_state(suffix: str, tmp_path: Path) -> None:
    model = tmp_path / f"m{suffix}"
    model.write_text(FORMATS[suffix](SHARED))
    file = write(tmp_path, "p.ctl", [BOTH, OF_THE_INPUT])
    results = check(load(model), CheckOptions(properties=(str(file),))).results
    assert [(r.asked, r.verdict) for r in results] == [("p.ctl:1", "holds"), ("p.ctl:2", "holds")]


IDLE = Circuit(
    {"i0": 2},
    {"l0": (2, 0, ("net", "i0"))},
    {"w0": (2, ("xor", ("net", "l0"), ("and", ("net", "i0"), ("not", ("net", "i0")))))},
)
OF_THE_LATCH = ("and", ("E", ("X", ("is", "w0", 1))), ("E", ("X", ("is", "w0", 0))))


@pytest.mark.parametrize("suffix", [".blif", ".aag", ".v"])
def test_what_a_net_does_not_depend_on_is_not_mentioned(suffix: str, tmp_path: Path) -> None:
    """However it is written, w0 is l0, and the step decides what comes."""
    model = tmp_path / f"m{suffix}"
    model.write_text(FORMATS[suffix](IDLE))
    formulas = [OF_THE_LATCH, OF_THE_INPUT]
    assert [holds_ctl(IDLE, f, []) for f in formulas] == [True, True]
    assert verdicts(model, [write(tmp_path, "p.ctl", formulas)]) == {1: True, 2: True}
    assert verdicts(
        model, [write(tmp_path, "p.ctl", [OF_THE_LATCH]), write(tmp_path, "f.fair", [("is", "w0", 0)])]
    ) == {1: holds_ctl(IDLE, OF_THE_LATCH, [("is", "w0", 0)])}
