"""What a benchmark tells: rows of what, how much, which unit, and the bound it is meant to keep; timed searches."""

from __future__ import annotations

from quorbit.engines.explicit.explore import explore
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import System

Row = tuple[str, float, str] | tuple[str, float, str, str]


def row(what: str, value: float, unit: str, least: float | None = None, most: float | None = None) -> Row:
    """A row; with a bound it says whether the bound is kept."""
    if least is not None:
        return what, value, unit, f">= {least:g}: {'kept' if value >= least else 'missed'}"
    if most is not None:
        return what, value, unit, f"<= {most:g}: {'kept' if value <= most else 'missed'}"
    return what, value, unit


def warm(system: System) -> None:
    """Run until the native code is there."""
    for _ in range(3):
        explore(system, system.properties, options=SearchOptions(timeout=4.0))


def search(system: System, options: SearchOptions) -> tuple[float, float]:
    """CPU seconds and bytes per state; the better of two runs."""
    outcomes = [explore(system, system.properties, options=options) for _ in range(2)]
    best = min(outcome.statistics.explore_seconds for outcome in outcomes)
    return best, outcomes[0].statistics.memory_bytes / outcomes[0].statistics.states
