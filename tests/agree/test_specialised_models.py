"""Specialising a System changes neither counts nor verdicts, and reduction no verdict, on every Promela model."""

from pathlib import Path

import pytest

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.detection.reveal import reveal
from quorbit.engines.reference.explore import explore
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.model.specialise.ground import ground
from quorbit.model.specialise.specialise import settle
from quorbit.model.system.system import System
from quorbit.source.errors import UserError

MODELS = sorted((Path(__file__).parent.parent / "models" / "promela").glob("*.pml"))
SMALL = SearchOptions(max_states=1500)
WHOLE = SearchOptions(all_errors=True, max_states=3000)


def load_small(path: Path, count_like: str) -> System | None:
    """The model, unless it is too large for the reference engine in a test."""
    for bounds in (1, 2, 4, 8):
        try:
            system = load(path, LoadOptions(count_like=count_like, bounds=bounds))
            outcome = explore(system, system.properties, options=SMALL)
            return None if outcome.verdict.value == "unknown" else system
        except BoundExceeded:
            continue
        except UserError:
            return None
    return None


@pytest.mark.parametrize("path", MODELS, ids=[path.stem for path in MODELS])
def test_counts_and_verdicts(path: Path) -> None:
    for count_like in ("own", "spin"):
        system = load_small(path, count_like)
        if system is None:
            return
        plain = explore(system, system.properties, options=WHOLE)
        settled = settle(system)
        again = explore(settled, settled.properties, options=WHOLE)
        assert counts(again) == counts(plain)
        revealed, symmetry = reveal(system, system.properties)
        revealed = ground(revealed)
        special = explore(revealed, revealed.properties, options=WHOLE)
        assert counts(special) == counts(plain)
        layout = layout_of(revealed)
        plan = classify(layout, symmetry.group)
        reduced = explore(revealed, revealed.properties, reducer(layout, plan), WHOLE)
        assert reduced.verdict == plain.verdict
        assert reduced.statistics.states <= plain.statistics.states


def counts(outcome: object) -> tuple[object, ...]:
    statistics = outcome.statistics  # type: ignore[attr-defined]
    return outcome.verdict, statistics.states, statistics.transitions, statistics.depth  # type: ignore[attr-defined]
