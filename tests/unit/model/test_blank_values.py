"""What places hold before anyone writes them belongs to the initial states, also where numbers have become atoms."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.detection.detect import keeping_the_start
from quorbit.detection.reveal import reveal
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.permute import permute_state
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

LAST = """pid last;
byte n;
active [3] proctype P() { do :: n < 1 -> n++; last = _pid; n-- :: last == _pid -> skip od }
ltl all { (<> (last == 0)) && (<> (last == 1)) && (<> (last == 2)) }
"""
BITS = """bit a; bit b;
active proctype P() { do :: a = 0 :: a = 1 :: a == 0 -> b = a :: a == 1 -> b = a od }
"""


@pytest.mark.parametrize("text", [LAST, BITS], ids=["a process", "a bit"])
def test_what_moves_the_initial_states_is_known(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text, encoding="utf-8")
    system, found = reveal(load(path, LoadOptions()), ())
    starts = Meaning(system).initial_states()
    for g in found.group.generators:
        assert ({permute_state(system, g, s) for s in starts} == set(starts)) is (g not in found.moving)
    for g in keeping_the_start(system, found).generators:
        assert {permute_state(system, g, s) for s in starts} == set(starts)


def test_the_process_that_a_variable_names_at_first_is_exchanged_by_what_moves_the_start(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(LAST, encoding="utf-8")
    system, found = reveal(load(path, LoadOptions()), ())
    assert found.group.moved == (0, 1, 2)
    assert keeping_the_start(system, found).moved == (1, 2)


def test_conjuncts_about_other_processes_are_checked(tmp_path: Path) -> None:
    """The first conjunct holds at once, the others need not: it must not stand for them."""
    path = tmp_path / "model.pml"
    path.write_text(LAST, encoding="utf-8")
    for symmetry in ("auto", "off"):
        options = CheckOptions(("all",), symmetry, search=SearchOptions(timeout=60))
        assert check(path, options).verdict == "fails"
