"""Every model of the tests on the explicit engine: bytecode, native code, threads and disk agree with the reference."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quorbit.engines.explicit.explore import explore
from quorbit.engines.reference.explore import explore as explore_plainly
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.model.system.system import System, Temporal
from quorbit.pipeline.load import load
from quorbit.result.outcome import Outcome
from quorbit.source.errors import UserError

MODELS = Path(__file__).parents[1] / "models"
FILES = sorted(f for f in MODELS.rglob("*") if f.suffix in (".pml", ".mch", ".edges", ".mv", ".aag"))
SOME = FILES[::9]
LIMIT = 1500
PLAIN = SearchOptions(all_errors=True, max_states=LIMIT, native=False)


def answers(outcome: Outcome) -> tuple[object, ...]:
    s = outcome.statistics
    return outcome.verdict, s.states, s.transitions, s.levels, s.errors, s.fired


def loaded(file: Path) -> tuple[System, Outcome] | None:
    """The System and the reference engine's answer; None for what is no model by itself."""
    for bounds in (1, 2, 4, 8):
        try:
            system = load(file, LoadOptions(bounds=bounds)).system
            safety = tuple(p for p in system.properties if not isinstance(p, Temporal))
            system = replace(system, properties=safety)
            return system, explore_plainly(system, safety, options=PLAIN)
        except BoundExceeded:
            continue
        except UserError:
            return None
    return None


def check(file: Path, directory: Path, native: bool) -> None:
    found = loaded(file)
    if found is None or found[1].statistics.states > LIMIT:
        return
    system, plain = found
    generous = replace(PLAIN, max_states=None)
    options = [generous, replace(generous, threads=2), replace(generous, spill=str(directory))]
    for chosen in [*options, *([replace(generous, native=True)] if native else [])]:
        assert answers(explore(system, system.properties, options=chosen)) == answers(plain)


@pytest.mark.parametrize("file", SOME, ids=lambda f: f.name)
def test_some_models_agree(file: Path, tmp_path: Path) -> None:
    check(file, tmp_path, native=False)


@pytest.mark.soak
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_all_models_agree(file: Path, tmp_path: Path) -> None:
    check(file, tmp_path, native=True)
