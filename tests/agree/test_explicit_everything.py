"""Every model of the tests, under every strategy that serves it: the reference engine, bytecode and native code, one
and two threads, in memory and on disk, depth-first, and killed at random moments and resumed; all answers are equal."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from test_explicit_models import FILES
from test_explicit_native import compiled

from quorbit.canon.classify import STRATEGIES
from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.canon.plan import Plan
from quorbit.engines.explicit.explore import answer, drive, explore
from quorbit.engines.reference.explore import explore as explore_plainly
from quorbit.languages.options import LoadOptions
from quorbit.machine import checkpoint, library, run
from quorbit.machine.options import SearchOptions
from quorbit.machine.run import initial_words, opened, start
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.model.system.system import System, Temporal
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import prepare
from quorbit.result.outcome import Outcome
from quorbit.source.errors import UserError

SMALL, LARGE = 1200, 60_000  # states that the reference engine goes through, and the others
OPTIONS = SearchOptions(all_errors=True, native=False, max_states=LARGE)
AS_MEANT = ("minimising", "local")  # approximate, but kernel and meaning go the same way
KILLS = 20
FEW = [file for file in FILES if file.name in ("mutex.edges", "loops.mch", "rendezvous_pair.pml")]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def answers(outcome: Outcome) -> tuple[object, ...]:
    s = outcome.statistics
    return outcome.verdict, s.states, s.transitions, s.levels, s.errors, s.fired


def in_any_order(outcome: Outcome) -> tuple[object, ...]:
    s = outcome.statistics
    return outcome.verdict, s.states, s.transitions, s.errors, s.fired


def of_any_representatives(outcome: Outcome) -> tuple[object, ...]:
    """Which commands ran depends on the representatives of the orbits: some exchange `x++` and `x = 0`, and how often a
    loop inside a step finds a greater number depends on the order of the numbers."""
    s = outcome.statistics
    return outcome.verdict, s.states, s.transitions, s.levels, s.errors


def without_choices(outcome: Outcome) -> tuple[object, ...]:
    s = outcome.statistics
    return outcome.verdict, s.states, s.levels, s.errors


def prepared(file: Path, strategy: str) -> Iterator[tuple[System, Plan | None]]:
    """The System to search and its plan ("": no reduction); nothing where the strategy or the file does not serve."""
    for bounds in (1, 2, 4, 8):
        try:
            system = load(file, LoadOptions(bounds=bounds)).system
            safety = tuple(p for p in system.properties if not isinstance(p, Temporal))
            asked = CheckOptions(symmetry="auto", strategy=strategy) if strategy else CheckOptions(symmetry="off")
            found = prepare(replace(system, properties=safety), safety, asked, None)
            plan = found.plan
            if strategy in ("", "auto") or plan is not None:
                explore(found.system, found.system.properties, plan, options=replace(OPTIONS, max_states=1))
                yield found.system, plan
            return
        except BoundExceeded:
            continue
        except UserError:
            return


def natively(system: System, plan: Plan | None) -> Outcome:
    with opened(system, system.properties, OPTIONS, plan) as engine:
        if engine.program.gates is None:  # gates have no code
            native = compiled(engine.program)
            library.runtime().qb_set_native(engine.engine, *native[1])
        start(engine, initial_words(engine))
        found = answer(engine, drive(engine))
        assert isinstance(found, Outcome)
        return found


def check(file: Path, strategy: str, directory: Path, kills: int) -> int:
    """How many Systems were compared."""
    compared = 0
    for system, plan in prepared(file, strategy):
        whole = explore(system, system.properties, plan, options=OPTIONS)
        if whole.statistics.states > LARGE:
            return compared
        compare_with_reference(system, plan, strategy, whole)
        for options in (replace(OPTIONS, threads=2), replace(OPTIONS, spill=str(directory / "spill"))):
            assert answers(explore(system, system.properties, plan, options=options)) == answers(whole)
        deep = explore(system, system.properties, plan, options=replace(OPTIONS, search="dfs"))
        assert in_any_order(deep) == in_any_order(whole)
        if strategy in ("", "auto"):
            assert answers(natively(system, plan)) == answers(whole)
            assert answers(killed(system, plan, directory / "run", kills)) == answers(whole)
        compared += 1
    return compared


def compare_with_reference(system: System, plan: Plan | None, strategy: str, whole: Outcome) -> None:
    layout = layout_of(system)
    reduce = None if plan is None else reducer(layout, plan)
    meant = explore_plainly(system, system.properties, reduce, replace(OPTIONS, max_states=SMALL))
    if meant.statistics.states > SMALL:
        return
    if plan is not None and system.synchronous:  # of the choices that a state's symmetries exchange gates take one
        assert without_choices(whole) == without_choices(meant) or not plan.exact
        assert whole.verdict is meant.verdict or strategy == "hash-marker"
    elif plan is None:
        assert sum(whole.statistics.fired) == sum(meant.statistics.fired)
        assert of_any_representatives(whole) == of_any_representatives(meant)
    elif plan.exact or strategy in AS_MEANT:
        assert of_any_representatives(whole) == of_any_representatives(meant)
    elif strategy != "hash-marker":  # which may miss errors, and which ones depends on the hash
        assert whole.verdict is meant.verdict


# Killed and resumed.


def killed(system: System, plan: Plan | None, directory: Path, kills: int) -> Outcome:
    """The answer after so many runs that were killed, each going on from the one before."""
    random = Random(len(system.commands) * 1000 + len(system.places))
    options = replace(OPTIONS, resume=str(directory))
    began = time.monotonic()
    explore(system, system.properties, plan, options=replace(OPTIONS, checkpoint=str(directory / "timed")))
    lasts = time.monotonic() - began
    for k in range(kills):
        child = os.fork()
        if child == 0:
            continue_after_errors(system, plan, replace(options, threads=1 + k % 2))
        time.sleep(random.random() * lasts)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return explore(system, system.properties, plan, options=options)


def continue_after_errors(system: System, plan: Plan | None, options: SearchOptions) -> None:
    """In a process of its own, with as many checkpoints as there are levels."""
    checkpoint.SECONDS_BETWEEN, checkpoint.SHARE_OF_TIME, run.SLICE = 0.0, 1e9, 0.0
    try:
        explore(system, system.properties, plan, options=options)
    finally:
        os._exit(0)


@pytest.mark.parametrize("file", FEW, ids=lambda f: f.name)
def test_few_models(file: Path, tmp_path: Path) -> None:
    assert sum(check(file, strategy, tmp_path / (strategy or "none"), kills=3) for strategy in ("", "auto")) == 2


@pytest.mark.soak
@pytest.mark.parametrize("strategy", ["", *STRATEGIES])
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_every_model_under_every_strategy(file: Path, strategy: str, tmp_path: Path) -> None:
    check(file, strategy, tmp_path, KILLS)
