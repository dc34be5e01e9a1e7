"""Every model of the tests and examples with partial-order reduction: the verdict stays, and so does every deadlock.

What is found in part is part of what is found in full, so as many deadlocks are the same ones.  Where something else is
wrong too, a run may end there before it comes to a deadlock; then only the verdict is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from quorbit.engines.explicit.explore import explore
from quorbit.engines.partial_order import refusal
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.model.system.system import NoDeadlock
from quorbit.pipeline.case import Case
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import ask_together
from quorbit.pipeline.run import prepare
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError

ROOT = Path(__file__).parents[2]
SUFFIXES = (".pml", ".mch", ".edges", ".m")
FILES = sorted(f for folder in ("tests/models", "examples") for f in (ROOT / folder).rglob("*") if f.suffix in SUFFIXES)
MOST = 20_000  # states of a model that is compared
PAST_ERRORS = SearchOptions(all_errors=True, max_states=MOST)
IN_PART = replace(PAST_ERRORS, por="on", max_states=None)


def prepared(file: Path, symmetry: str, given: LoadOptions) -> Case:
    """The System and the plan that the explicit engine gets for the safety properties of a model."""
    options = CheckOptions(("safety",), symmetry=symmetry)
    return prepare(*ask_together(load(file, given), options), options)


def cases(file: Path, given: LoadOptions) -> Iterator[Case]:
    """With and without symmetry; nothing for what is not a model by itself."""
    for symmetry in ("off", "auto"):
        try:
            yield prepared(file, symmetry, given)
        except UserError:
            return


def compared(case: Case) -> int:
    """How many searches were compared: none where the model is large, or cannot be reduced."""
    system, plan = case.system, case.plan
    properties = system.properties
    if refusal(system, properties, plan, PAST_ERRORS):
        return 0
    try:
        full = explore(system, properties, plan, case.layout, PAST_ERRORS)
    except UserError:
        return 0
    if full.statistics.states >= MOST or full.verdict is Verdict.UNKNOWN:
        return 0
    others = tuple(p for p in properties if not isinstance(p, NoDeadlock))
    only = tuple(p for p in properties if isinstance(p, NoDeadlock))
    is_dead = full.statistics.errors > 0 and only
    if is_dead and explore(system, others, plan, case.layout, PAST_ERRORS).verdict is Verdict.FAILS:
        is_dead = False
    for threads in (1, 2):
        partly = explore(system, properties, plan, case.layout, replace(IN_PART, threads=threads))
        assert partly.verdict is full.verdict, threads
        assert partly.statistics.states <= full.statistics.states
        if is_dead:
            assert partly.statistics.errors == full.statistics.errors, threads
    return 2


def check(file: Path, given: LoadOptions | None = None) -> int:
    for bounds in (1, 2, 4, 8, 16):
        try:
            return sum(map(compared, cases(file, replace(given or LoadOptions(), bounds=bounds))))
        except BoundExceeded:
            continue
    return 0


def test_some_models_keep_verdicts_and_deadlocks() -> None:
    assert sum(map(check, FILES[::30])) > 10


@pytest.mark.soak
@pytest.mark.parametrize("part", range(10))
def test_all_models_keep_verdicts_and_deadlocks(part: int) -> None:
    assert sum(map(check, FILES[part::10])) > 20
