"""What may happen, found by an abstract run: in which order it looks makes no difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.detection.reveal import reveal
from quorbit.groups.chain import order
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.specialise.possible.outline import Outline
from quorbit.model.specialise.possible.run import Possible
from quorbit.model.system.system import System
from quorbit.pipeline.load import load
from quorbit.source.frozen import replace

STEPS = """byte x = 1, y; chan q = [1] of { byte };
active [2] proctype P() { byte m; x == 1 -> x = 2; q!3; q?m; y = m }
active proctype other() { if :: x == 7 -> y = 9 :: y != 0 -> y = 3 :: x == 2 -> x = 3 fi }
"""
NEVER = """byte x = 1;
active proctype P() { if :: x == 2 -> assert(false) :: x != 1 -> assert(false) :: x == 1 fi }
"""
NOT_THERE = """byte turn = 3; bool up[3]; byte n;
active [3] proctype P() { do :: turn == _pid -> turn = (turn + 2) % 3 :: up[turn] && turn != _pid -> n = 1 - n od }
"""

ROUND = """byte at; byte far;
active [3] proctype P() {
  do :: at == _pid -> if :: at < 3 -> at = (at + 1) % 3 :: at >= 3 -> at = 0 fi
     :: far < 2 -> far = (far - 5) % 3 + far od
}
"""


def loaded(text: str, tmp_path: Path) -> System:
    path = tmp_path / "model.pml"
    path.write_text(text)
    return load(path).system


def test_further_states_give_what_they_give_from_the_start(tmp_path: Path) -> None:
    system = loaded(STEPS, tmp_path)
    meaning, outline = Meaning(system), Outline(system)
    run = list(meaning.initial_states())
    for s in run:
        run += [move.target for move in meaning.moves(s) if move.target not in run]
    assert len(run) > 5
    for s, t in zip(run, reversed(run), strict=True):
        at_once, one_by_one = Possible(outline, (s, t)), Possible(outline, (s,))
        one_by_one.begin_also((t,))
        assert one_by_one.values == at_once.values
        assert [set(choices) for choices in one_by_one.choices] == [set(choices) for choices in at_once.choices]


@pytest.mark.parametrize("backwards", [False, True])
def test_no_value_is_taken_for_possible_before_the_start_is_known(backwards: bool, tmp_path: Path) -> None:
    """Whether places that a guard asks about come before or after the location of its process."""
    system = loaded(NEVER, tmp_path)
    variables = tuple(reversed(system.variables)) if backwards else system.variables
    system = replace(system, variables=variables)
    possible = Possible(Outline(system), Meaning(system).initial_states())
    can_run = [command.label for c, command in enumerate(system.commands) if possible.can_run(c)]
    assert "x==1" in [label.replace(" ", "") for label in can_run]
    assert not any("x==2" in label.replace(" ", "") or "x!=1" in label.replace(" ", "") for label in can_run)


def test_a_slot_that_is_not_there_is_no_place(tmp_path: Path) -> None:
    """The run goes wrong there; until then nothing is known of what it holds."""
    system = loaded(NOT_THERE, tmp_path)
    found, _ = reveal(system, system.properties)
    assert any("up[turn]" in command.label for command in found.commands)


def test_what_goes_round_has_few_values(tmp_path: Path) -> None:
    """A remainder is bounded whatever it is of; a sum of it is not looked at, and may be anything."""
    system = loaded(ROUND, tmp_path)
    possible = Possible(Outline(system), Meaning(system).initial_states())
    assert possible.values["at", (), ()] == {0, 1, 2}
    assert possible.values["far", (), ()] is None
    can_run = [command.label.replace(" ", "") for c, command in enumerate(system.commands) if possible.can_run(c)]
    assert "at<3" in can_run
    assert "at>=3" not in can_run


def test_a_branch_that_no_process_can_take_hides_no_rotation(tmp_path: Path) -> None:
    _, found = reveal(system := loaded(ROUND.split("     ::")[0] + " od }", tmp_path), system.properties)
    assert order(found.group) == 3
