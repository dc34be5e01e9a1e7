"""Random symmetric circuits, CTL*, CTL and LTL with and without fairness: whatever the engine, and whether or how
orbits are used, the answer is the same."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pytest
from circuit_definitions import Circuit, Tree, as_blif, bracketed, holds_ctl, holds_ctlstar, holds_ltl, written

from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError

WAYS = [{}, {"quotient": "next"}, {"quotient": "relation"}, {"quotient": "off"}, {"symmetry": "off"}]


def cells(rng: random.Random, n: int) -> Circuit:
    """Cells that are alike: each looks at itself, at its input and at what all of them have in common."""
    names = [f"l{k}" for k in range(n)]
    join = rng.choice(["and", "or", "xor"])
    common: Tree = ("net", names[0])
    for name in names[1:]:
        common = (join, common, ("net", name))
    c = Circuit({f"i{k}": 2 for k in range(n)}, {}, {"w0": (2, common)})
    shape = random_shape(rng, 2)
    first = rng.choice([0, 1, None])
    for k, name in enumerate(names):
        c.latches[name] = (2, first if rng.random() < 0.8 else 1, place(shape, name, f"i{k}"))
    return c


def random_shape(rng: random.Random, depth: int) -> Tree:
    if depth == 0:
        return ("net", rng.choice(["own", "input", "w0"]))
    kind = rng.choice(["and", "or", "xor", "not", "mux"])
    return (kind, *(random_shape(rng, depth - 1) for _ in range({"not": 1, "mux": 3}.get(kind, 2))))


def place(shape: Tree, own: str, given: str) -> Tree:
    if shape[0] == "net":
        return ("net", {"own": own, "input": given}.get(shape[1], shape[1]))
    return (shape[0], *(place(part, own, given) for part in shape[1:]))


def random_formula(rng: random.Random, n: int, depth: int) -> Tree:
    """CTL over what all cells or some cell have, or over one cell."""
    if depth == 0:
        value = rng.randrange(2)
        parts: list[Tree] = [("is", f"l{k}", value) for k in range(n)]
        if rng.random() < 0.2:
            return parts[0]
        found, join = parts[0], rng.choice(["and", "or"])
        for part in parts[1:]:
            found = (join, found, part)
        return found
    kind = rng.choice(["not", "and", "X", "F", "G", "U"])
    inner = [random_formula(rng, n, depth - 1) for _ in range(2)]
    if kind == "not":
        return ("not", inner[0])
    if kind == "and":
        return ("and", *inner)
    return (rng.choice("AE"), (kind, *(inner if kind == "U" else inner[:1])))


def random_ltl(rng: random.Random, n: int, depth: int) -> Tree:
    if depth == 0:
        return random_formula(rng, n, 0)
    kind = rng.choice(["not", "and", "X", "F", "G", "U", "R"])
    inner = [random_ltl(rng, n, depth - 1) for _ in range(1 if kind in ("not", "X", "F", "G") else 2)]
    return (kind, *inner)


def random_ctlstar(rng: random.Random, n: int, depth: int) -> Tree:
    """A quantifier over a path formula, in which there may be quantifiers again."""
    inner = random_ltl(rng, n, depth)
    if rng.random() < 0.4:
        inner = ("and", inner, ("F", (rng.choice("AE"), random_ltl(rng, n, depth - 1))))
    return (rng.choice("AE"), inner)


def compare(folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    n = rng.choice([2, 3])
    c = cells(rng, n)
    model = folder / "cells.blif"
    model.write_text(as_blif(c))
    kind = rng.choice(["ctl", "ctl*", "ltl"])
    make = {"ctl": random_formula, "ctl*": random_ctlstar, "ltl": random_ltl}[kind]
    formula = make(rng, n, 2)
    fair = [random_formula(rng, n, 0)] if kind != "ctl*" and rng.random() < 0.4 else []  # CTL* can say it
    holds = {"ctl": holds_ctl, "ctl*": holds_ctlstar, "ltl": holds_ltl}[kind]
    expected = "holds" if holds(c, formula, fair) else "fails"
    (folder / "p.fair").write_text("".join(f"{written(f)};\n" for f in fair))
    text = bracketed(formula) if kind == "ctl*" else str(folder / f"p.{kind}")
    if kind != "ctl*":
        (folder / f"p.{kind}").write_text(f"{written(formula)};\n")
    asked = (text, *([str(folder / "p.fair")] if fair else []))
    for way in WAYS:
        (result,) = check(load(model), CheckOptions(properties=asked, **way)).results  # type: ignore[arg-type]
        assert result.verdict == expected, (seed, way, model.read_text(), bracketed(formula), fair)
    for engine in ("temporal", "explicit", "symbolic"):
        options = CheckOptions(properties=asked, engine=engine)
        with suppress(UserError):  # it says what it is not for
            (result,) = check(load(model), options).results
            assert result.verdict == expected, (seed, engine, model.read_text(), bracketed(formula), fair)


@pytest.mark.parametrize("seed", [*range(6), 2651])  # 2651: conjuncts that are images by what they mean
def test_every_way_gives_the_answer_of_the_definition(seed: int, tmp_path: Path) -> None:
    compare(tmp_path, seed)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(100))
def test_every_way_gives_the_answer_of_the_definition_in_3000_cases(block: int, tmp_path: Path) -> None:
    for seed in range(1000 + 30 * block, 1030 + 30 * block):
        compare(tmp_path, seed)


def test_a_loop_of_two_orbits_is_carried_back(tmp_path: Path) -> None:
    """Cells that all turn over at every step: the orbits of one and of two cells that are 1 follow each other."""
    names = [f"l{k}" for k in range(3)]
    c = Circuit({"i0": 2}, {name: (2, None, ("not", ("net", name))) for name in names}, {})
    model = tmp_path / "cells.blif"
    model.write_text(as_blif(c))
    for quotient in ("next", "relation"):
        options = CheckOptions(properties=("AF AX(l0=1 * l1=1 * l2=1)",), quotient=quotient)
        (result,) = check(load(model), options).results
        assert result.verdict == "fails"
        assert result.outcome.trace is not None
        assert result.outcome.trace.loop is not None
