"""That a run has come to its end is checked like its steps: a state that can be left is no deadlock."""

from __future__ import annotations

from typing import Any

import pytest

from quorbit.engines.replay import ReplayError, check_stuck
from quorbit.engines.temporal.lift import Lifter
from quorbit.engines.temporal.space import STUTTERING
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.command import Command, assign
from quorbit.model.system.expression import TRUE, Read, equal, number
from quorbit.model.system.system import NoDeadlock, System, Variable
from quorbit.model.system.types import Number

X = Read("x")
SYSTEM = System(
    "two steps",
    (),
    (Variable("x", Number(0, 2)),),
    (
        Command("up", equal(X, number(0)), (assign((X, number(1))),)),
        Command("stay", equal(X, number(1)), (assign((X, number(1))),)),
    ),
    start=(Command("start", TRUE, (assign((X, number(0))),)),),
)
MEANING = Meaning(SYSTEM)


def test_a_state_with_a_move_is_no_deadlock() -> None:
    check_stuck(MEANING, (NoDeadlock(),), (2,))
    for x in (0, 1):
        with pytest.raises(ReplayError, match="can be left"):
            check_stuck(MEANING, (NoDeadlock(),), (x,))


def test_a_move_that_changes_nothing_is_a_way_out_unless_it_stutters() -> None:
    check_stuck(MEANING, (NoDeadlock(stuttering=True),), (1,))
    with pytest.raises(ReplayError):
        check_stuck(MEANING, (NoDeadlock(stuttering=True),), (0,))


def test_a_run_that_can_go_on_does_not_stutter() -> None:
    nowhere: Any = None
    assert not Lifter(MEANING, nowhere, 0, (2,), (), []).take([STUTTERING])
    with pytest.raises(ReplayError, match="can go on"):
        Lifter(MEANING, nowhere, 0, (0,), (), []).take([STUTTERING])
