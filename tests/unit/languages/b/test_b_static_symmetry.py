"""Constants up to symmetry: which valuations are taken, and that every valuation has an image among them."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest

from quorbit.languages.b.load import load, load_typed
from quorbit.languages.b.meaning.explore import Animator, explore
from quorbit.languages.options import LoadOptions

MACHINES = [
    ("SETS S CONSTANTS a, b, c PROPERTIES card(S) = 4 & a : S & b : S & c : S & a /= c", 2 + 1),
    ("SETS S CONSTANTS a, P PROPERTIES card(S) = 3 & a : S & P <: S & card(P) = 1", 3),
    ("SETS S CONSTANTS R, P, Q PROPERTIES card(S) = 3 & R <: P & card(R) = 1 & P \\/ Q = S & P /\\ Q = {}", 3),
    ("SETS S CONSTANTS P, Q PROPERTIES card(S) = 5 & P \\/ Q = S & P /\\ Q = {}", 6),
    ("SETS S CONSTANTS P, Q, R PROPERTIES card(S)=3 & S = P\\/Q\\/R & P/\\Q = {} & R/\\P = {} & {} = Q/\\R", 10),
    ("SETS S CONSTANTS a, P, Q PROPERTIES card(S) = 4 & a : S & P \\/ Q = S & P /\\ Q = {}", 2 * 4),
    ("SETS S; T CONSTANTS f, g PROPERTIES card(S) = 3 & card(T) = 3 & f : S >->> T & g : S >->> T", 6),
    ("SETS S; T CONSTANTS f, t PROPERTIES card(S) = 2 & card(T) = 2 & f : S >->> T & t : T", 2),
    ("SETS S CONSTANTS f PROPERTIES card(S) = 3 & f : S >->> S", 6),
    ("SETS S CONSTANTS P PROPERTIES card(S) = 3 & P <: S", 8),
    ("SETS S = {x, y, z} CONSTANTS P, Q PROPERTIES P \\/ Q = S & P /\\ Q = {}", 8),
]  # fmt: skip


def animator(tmp_path: Path, text: str, static_symmetry: bool) -> Animator:
    path = tmp_path / "m.mch"
    path.write_text(f"MACHINE m {text} END")
    machine, universe, _ = load_typed(path, LoadOptions())
    return Animator(machine, universe, static_symmetry)


@pytest.mark.parametrize(("text", "count"), MACHINES)
def test_number_of_valuations(tmp_path: Path, text: str, count: int) -> None:
    assert len(set(animator(tmp_path, text, True).setups())) == count


@pytest.mark.parametrize("text", [text for text, _ in MACHINES])
def test_every_valuation_has_an_image_that_is_taken(tmp_path: Path, text: str) -> None:
    every, taken = animator(tmp_path, text, False), set(animator(tmp_path, text, True).setups())
    universe = every.universe
    movable = [universe.atoms[s] for s in sorted(universe.deferred)]
    for values in every.setups():
        images = (
            tuple(image(dict(zip(sum(movable, ()), sum(moved, ()), strict=True)), v) for v in values)
            for moved in product(*(permutations(atoms) for atoms in movable))
        )
        assert any(i in taken for i in images)


def image(g: dict[int, int], value: Any) -> Any:
    if isinstance(value, frozenset | tuple):
        return type(value)(image(g, v) for v in value)
    return g.get(value, value)


def test_parts_tell_the_size_of_a_set(tmp_path: Path) -> None:
    text = "SETS S CONSTANTS P, Q PROPERTIES P \\/ Q = S & P /\\ Q = {} & card(P) = 3 & card(Q) = 4"
    assert len(animator(tmp_path, text, True).universe.atoms["S"]) == 7


def test_properties_that_nothing_satisfies(tmp_path: Path) -> None:
    path = tmp_path / "m.mch"
    path.write_text("MACHINE m CONSTANTS c PROPERTIES c : 1..3 & c > 5 OPERATIONS o = skip END")
    system = load(path, LoadOptions())
    assert "no values of the constants" in " ".join(system.incomplete)
    assert explore(animator(tmp_path, "CONSTANTS c PROPERTIES c : 1..3 & c > 5", True)).counts == (1, 0)


def test_functions_between_sets_that_constants_decide_are_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "m.mch"
    path.write_text(
        "MACHINE m CONSTANTS n PROPERTIES n : 4..5 VARIABLES f INVARIANT f : 1..n --> 0..1 "
        "INITIALISATION f : (f : 1..n --> 0..1) "
        "OPERATIONS o = ANY g WHERE g : 1..n >-> 1..n & g(1) = n THEN skip END END"
    )
    assert load(path, LoadOptions()).incomplete == ()
