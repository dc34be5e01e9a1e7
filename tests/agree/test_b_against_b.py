"""What ``check`` says of a machine is what the meaning of B in ``languages/b`` says: states, transitions, verdict."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from b_random import machine

from quorbit.languages.b.load import load_typed
from quorbit.languages.b.meaning.evaluator import IllDefined
from quorbit.languages.b.meaning.explore import Animator, BState, Exploration, Problem, distinct, expand, reach
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError

MOST_STATES = 300
REFUSED = ("assigned twice", "function applied outside its domain")  # mistakes of a machine that both meanings refuse


def explore(animator: Animator) -> Exploration | None:
    """All states by the meaning of B; None if they are too many."""
    found = Exploration(cuts=animator.reference.cuts)
    queue: deque[BState] = deque()
    try:
        for key, _, s in distinct(animator.initial(), lambda s: s):
            found.transitions += 1
            reach(animator, found, queue, key, s)
    except IllDefined as problem:
        found.problems.append(Problem(None, problem.span, problem.message))
    while queue:
        if len(found.states) > MOST_STATES:
            return None
        expand(animator, found, queue, queue.popleft(), lambda s: s)
    return found


def compare(files: dict[str, str]) -> bool:
    """Whether the machine could be compared."""
    with TemporaryDirectory() as folder:
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
        path = Path(folder, next(iter(files)))
        try:
            machine, universe, _ = load_typed(path, LoadOptions())
            model = load(path)
        except UserError as error:
            if any(text in error.message for text in REFUSED):
                return False
            raise
        wanted = explore(Animator(machine, universe, static_symmetry=True))
        if wanted is None or wanted.cuts:
            return False
        options = CheckOptions(symmetry="off", search=SearchOptions(all_errors=True))
        found = check(model, options).results[0]
    wrong = bool(wanted.problems or wanted.deadlocks)
    assert (found.outcome.verdict is Verdict.FAILS) == wrong, found.outcome.message
    if all("does not hold" in p.message and "this" in p.message for p in wanted.problems):
        assert (found.states, found.outcome.statistics.transitions) == (len(wanted.states), wanted.transitions)
    return True


@pytest.mark.parametrize("seed", range(25))
def test_random_machines(seed: int) -> None:
    compare(machine(Random(seed)))


@pytest.mark.soak
@pytest.mark.parametrize("block", range(30))
def test_random_machines_soak(block: int) -> None:
    compared = sum(compare(machine(Random(1000 + 100 * block + k))) for k in range(100))
    assert compared > 50
