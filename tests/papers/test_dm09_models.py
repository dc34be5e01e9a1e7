"""[DM09, Figures 4 and 5] on our own wording of its models: small rows here, larger ones under soak."""

from math import factorial
from pathlib import Path

import pytest

from quorbit.cli.commands.bench_command import FAMILIES, attempt, measure, read
from quorbit.papers.dm09 import FIGURE_4, Configuration, Measured, figure_4, figure_5, reduced
from quorbit.pipeline.run import symmetry
from quorbit.result.outcome import Verdict

SMALL = [
    "simple mutex 5",
    "simple mutex 10",
    "simple mutex 15",
    "Peterson 3",
    "Peterson 4",
    "Peterson without atomicity 2",
    "three-tiered 3-3",
    "email 3",
]
LARGER = [
    "Peterson 5",
    "Peterson 6",
    "Peterson without atomicity 3",
    "three-tiered 4-4",
    "three-tiered 3-3-3",
    "email 4",
]


def configuration(name: str) -> Configuration:
    return next(c for c in FIGURE_4 if f"{c.family} {c.size}" == name)


@pytest.mark.parametrize("name", [*SMALL, *(pytest.param(name, marks=pytest.mark.soak) for name in LARGER)])
def test_exact_reduction(name: str, tmp_path: Path) -> None:
    c = configuration(name)
    found = attempt(read(tmp_path, FAMILIES[c.family](c.size)), "auto", 60)
    assert found is not None
    assert found.outcome.verdict is Verdict.HOLDS
    assert found.symmetry.exact
    assert str(found.states) == (reduced(c) or c.states[2])
    assert found.symmetry.structure == c.structure


@pytest.mark.parametrize("name", ["simple mutex 5", "Peterson 3", "three-tiered 3-3"])
def test_no_reduction(name: str, tmp_path: Path) -> None:
    c = configuration(name)
    found = attempt(read(tmp_path, FAMILIES[c.family](c.size)), None, 60)
    assert found is not None
    assert str(found.states) == c.states[0]


def test_a_row(tmp_path: Path) -> None:
    c = configuration("Peterson 3")
    found = measure(c, 20, tmp_path)
    assert set(found.states.values()) == {2636, 494}
    assert found.order == 6
    assert "494 (494)" in "\n".join(figure_4([(c, found)]))


@pytest.mark.parametrize("name", ["resource allocator 3-3", "hypercube 3d"])
def test_other_versions_are_marked(name: str, tmp_path: Path) -> None:
    """The allocator's group is the published one, the cube has its whole group; their states are others."""
    c = configuration(name)
    order = symmetry(read(tmp_path, FAMILIES[c.family](c.size))).order
    assert order == (36 if c.family == "resource allocator" else 48)
    assert f"{name} *" in "\n".join(figure_4([(c, Measured())]))
    assert f"{name} *" in "\n".join(figure_5([(c, Measured())]))


def test_the_misprint() -> None:
    c = configuration("three-tiered 4-4")
    shown = "\n".join(figure_4([(c, Measured())]))
    assert c.states[1] == "5012"
    assert "- (5021)" in shown
    assert "misprint" in shown


@pytest.mark.parametrize("name", ["three-tiered 3-3", "three-tiered 4-4", "three-tiered 3-3-3"])
def test_section_8_2_1(name: str, tmp_path: Path) -> None:
    """The paper says that H in H wr K is S_n^m; with H = S_n the order is that of the group, with S_n^m it is not."""
    c = configuration(name)
    n, m = int(c.size[0]), c.size.count("-") + 1
    order = symmetry(read(tmp_path, FAMILIES[c.family](c.size))).order
    assert order == int(c.order) == factorial(n) ** m * factorial(m)
    assert order != (factorial(n) ** m) ** m * factorial(m)


def test_the_load_balancer_is_mentioned() -> None:
    shown = "\n".join(figure_4([]))
    assert "published 4901, here 4772" in shown
