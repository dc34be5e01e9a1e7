"""Formulas that symmetries carry into each other are evaluated once, and only by symmetries that diagrams confirm."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.engines.symbolic.ctlstar.check import Checker
from quorbit.engines.symbolic.model import open_model
from quorbit.engines.symbolic.quotients import classes
from quorbit.engines.symbolic.reach import Clock, reach
from quorbit.groups.permutation import Permutation
from quorbit.languages.circuits.load import lower_for, read_circuit
from quorbit.languages.options import LoadOptions
from quorbit.model.system.system import System, Temporal

COUNTERS = Path(__file__).parents[4] / "examples" / "circuits" / "counters.v"
SIZE = 4
KINDS = ("cell[{}].count<0>", "cell[{}].count<1>", "enable<{}>")


def counters(tmp_path: Path, formulas: str) -> System:
    stated = tmp_path / "some.ctl"
    stated.write_text(formulas, encoding="utf-8")
    options = LoadOptions(defines=(("N", str(SIZE)),))
    (system,) = lower_for(COUNTERS, read_circuit(COUNTERS, options), [stated], options).systems
    return system


def exchange(system: System, i: int, j: int, kinds: tuple[str, ...] = KINDS) -> Permutation:
    names = [a.name for a in system.atoms]
    images = {kind.format(a): kind.format(b) for kind in kinds for a, b in ((i, j), (j, i))}
    return tuple(names.index(images.get(name, name)) for name in names)


def evaluated(system: System, generators: list[Permutation]) -> Checker:
    model = open_model(system)
    checker = Checker(model, reach(model, Clock()).states, Clock(), generators)
    plain = Checker(model, checker.universe, Clock())
    for p in system.properties:
        assert isinstance(p, Temporal)
        assert checker.states(p.formula) == plain.states(p.formula)
    return checker


def test_the_second_of_two_images_is_found_by_renaming(tmp_path: Path) -> None:
    system = counters(tmp_path, "EF cell[0].count[1:0]=3;\nEF cell[1].count[1:0]=3;\n")
    assert evaluated(system, [exchange(system, 0, 1)]).images.renamed > 0
    assert evaluated(system, []).images.renamed == 0


def test_what_is_not_a_symmetry_carries_nothing(tmp_path: Path) -> None:
    """The low bits alone are exchanged."""
    system = counters(tmp_path, "EF cell[0].count[1:0]=3;\nEF cell[1].count[1:0]=3;\n")
    wrong = exchange(system, 0, 1, ("cell[{}].count<0>",))
    checker = evaluated(system, [wrong])
    assert checker.images.renamed == 0


def test_diagrams_are_not_asked_about_symmetries_that_keep_every_formula(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Permutation] = []
    monkeypatch.setattr(classes, "is_symmetry", lambda model, universe, images, g: bool(asked.append(g)))
    even = counters(tmp_path, "AG EF all_full=1;\nAG EF none_full=1;\n")
    evaluated(even, [exchange(even, k, k + 1) for k in range(SIZE - 1)])
    assert not asked
    uneven = counters(tmp_path, "EF cell[0].count[1:0]=3;\nEF cell[1].count[1:0]=3;\n")
    evaluated(uneven, [exchange(uneven, k, k + 1) for k in range(SIZE - 1)])
    assert asked == [exchange(uneven, 0, 1), exchange(uneven, 1, 2)]
