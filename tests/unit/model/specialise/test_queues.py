"""Queues of one type that nobody can take for each other become variables of their own."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.show import show_state
from quorbit.model.specialise.start import Started, run_start
from quorbit.model.specialise.wordings.queues import tell_queues_apart
from quorbit.model.system.system import State
from quorbit.model.system.types import QueueOf

JOBS = """
chan result = [1] of { byte };
chan job[2] = [1] of { byte };
active [2] proctype worker() {
    byte x;
    do :: job[_pid]?x; result!_pid :: job[1 - _pid]!7; result?x od
}
"""
LENT = """
chan a = [1] of { byte };
chan b = [1] of { byte };
active proctype p() { chan c; if :: c = a :: c = b fi; c!1; a?_ }
"""


def started(text: str, folder: Path) -> Started:
    path = folder / "model.pml"
    path.write_text(text)
    return run_start(load(path, LoadOptions()))


def reached(begun: Started) -> set[str]:
    assert begun.states is not None
    meaning, found, waiting = Meaning(begun.system), set(begun.states), list(begun.states)
    while waiting:
        targets: list[State] = [move.target for move in meaning.moves(waiting.pop()) if move.target not in found]
        found.update(targets)
        waiting += targets
    return {str(sorted(show_state(begun.system, s).items())) for s in found}


def test_each_class_is_a_variable_and_the_states_stay(tmp_path: Path) -> None:
    begun = started(JOBS, tmp_path)
    apart = tell_queues_apart(begun)
    queues = [v for v in apart.system.variables if isinstance(v.type, QueueOf)]
    assert sorted(len(v.owners[0]) for v in queues) == [1, 2]
    assert reached(begun) == reached(apart)
    assert tell_queues_apart(apart) is apart


def test_channels_that_one_name_may_stand_for_stay_together(tmp_path: Path) -> None:
    begun = started(LENT, tmp_path)
    assert tell_queues_apart(begun) is begun
