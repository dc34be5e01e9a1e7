"""Symmetries that a SAT solver uses keep the start, the steps and the property; without any of the three conditions the
answer is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quorbit.engines.symbolic.reach import Clock
from quorbit.engines.symbolic.sat import symmetry
from quorbit.engines.symbolic.sat.by_clauses import Inquiry, bad_states
from quorbit.engines.symbolic.sat.pdr import Search, Unproved
from quorbit.engines.symbolic.sat.symmetry import confirmed, orbit_of
from quorbit.groups.permutation import Permutation
from quorbit.model.diagrams.steps import encode_steps
from quorbit.model.system.system import System
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import ask
from quorbit.result.outcome import Verdict

MODEL = """.model m
.inputs i j
.outputs p
.latch na a {a}
.latch nb b {b}
.latch one c 0
.names one
1
{steps}
.names a b c p
{p}
.end
"""
TAKEN = ".names i j c na\n100 1\n.names j i c nb\n100 1"  # whoever asks alone, in the first step
ONE_TAKEN = ".names i j na\n10 1\n.names j b nb\n11 1"
HELD = ".names i a na\n11 1\n.names j b nb\n11 1"
EITHER, EITHER_LATER, FIRST = "1-- 1\n-1- 1", "1-1 1\n-11 1", "1-- 1"
CASES = {  # of each the exchange of a and b keeps two of the three
    "keeps_start": MODEL.format(a=0, b=1, steps=HELD, p=EITHER_LATER),
    "keeps_steps": MODEL.format(a=0, b=0, steps=ONE_TAKEN, p=EITHER),
    "keeps_bad": MODEL.format(a=0, b=0, steps=TAKEN, p=FIRST),
}
SYMMETRIC = MODEL.format(a=0, b=0, steps=HELD, p=EITHER_LATER)


def system_of(folder: Path, text: str) -> tuple[System, Permutation]:
    """The System, asked whether p never happens, and the exchange of a and b, i and j."""
    path = folder / "m.blif"
    path.write_text(text)
    question = ask(load(path), CheckOptions(properties=("AG p=0",)))[0]
    names = [a.name for a in question.system.atoms]
    images = dict(zip("abij", "baji", strict=True))
    exchange = tuple(names.index(images.get(name, name)) for name in names)
    return replace(question.system, properties=question.properties), exchange


@pytest.mark.parametrize("condition", CASES)
def test_a_permutation_that_keeps_two_of_three_is_not_used(condition: str, tmp_path: Path) -> None:
    system, exchange = system_of(tmp_path, CASES[condition])
    steps = encode_steps(system)
    bad, _ = bad_states(steps, system.properties[0])
    assert confirmed(steps, bad, [exchange]) == ()
    assert Inquiry(steps, system.properties[0], [exchange]).answer(Clock()).verdict is Verdict.FAILS
    assert Inquiry(steps, system.properties[0]).answer(Clock()).verdict is Verdict.FAILS


@pytest.mark.parametrize("condition", ["keeps_steps", "keeps_bad"])
def test_without_a_condition_the_answer_is_wrong(
    condition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, exchange = system_of(tmp_path, CASES[condition])
    monkeypatch.setattr(symmetry, condition, always)
    outcome = Inquiry(encode_steps(system), system.properties[0], [exchange]).answer(Clock())
    assert outcome.verdict is Verdict.HOLDS  # there is a run of one step to an error


def test_without_the_start_blocked_cubes_exclude_reachable_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the two starts that the exchange carries into each other, one is where the bad states that the solver shows
    first are not reached, but their images are."""
    monkeypatch.setattr(symmetry, "keeps_start", always)
    asked = []
    for start in ({"a": 0, "b": 1}, {"a": 1, "b": 0}):
        system, exchange = system_of(tmp_path, MODEL.format(**start, steps=HELD, p=EITHER_LATER))
        steps = encode_steps(system)
        bad, _ = bad_states(steps, system.properties[0])
        symmetries = confirmed(steps, bad, [exchange])
        assert len(symmetries) == 1
        assert Search(steps, bad, Clock()).prove() is not None  # there is a run of one step to an error
        asked.append((steps, bad, Clock(), symmetries))
    assert any(map(is_unproved, asked))
    monkeypatch.setattr(Search, "confirm", lambda self, invariant: None)
    assert any(Search(*question).prove() is None for question in asked)


def is_unproved(question: Any) -> bool:
    try:
        Search(*question).prove()
    except Unproved:
        return True
    return False


def always(*_: Any) -> bool:
    return True


def test_cubes_are_copied_along_a_symmetry_that_keeps_all_three(tmp_path: Path) -> None:
    system, exchange = system_of(tmp_path, SYMMETRIC)
    steps = encode_steps(system)
    bad, _ = bad_states(steps, system.properties[0])
    (images,) = confirmed(steps, bad, [exchange])
    search = Search(steps, bad, Clock(), [images])
    assert search.prove() is None
    assert search.copied >= 1
    assert Inquiry(steps, system.properties[0], [exchange]).answer(Clock()).verdict is Verdict.HOLDS


def test_images_of_a_cube_up_to_a_limit() -> None:
    cycle = [0, 2, 3, 4, 1]
    assert orbit_of((1, -2), [cycle], 4) == ((-2, 1), (-3, 2), (-4, 3), (-1, 4))
    assert orbit_of((1, -2), [cycle], 3) is None
    assert orbit_of((1,), [], 1) == ((1,),)


def test_levels_that_are_not_closed_still_prove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where orbits are too large to be written out, images are asked about one by one."""
    monkeypatch.setattr("quorbit.engines.symbolic.sat.pdr.MOST_IMAGES", 1)
    system, exchange = system_of(tmp_path, SYMMETRIC)
    steps = encode_steps(system)
    bad, _ = bad_states(steps, system.properties[0])
    search = Search(steps, bad, Clock(), confirmed(steps, bad, [exchange]))
    assert search.prove() is None
    assert not search.closed
