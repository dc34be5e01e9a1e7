"""How far a run is, in words: for the line on a terminal and for notebooks."""

from __future__ import annotations

from quorbit.result.outcome import Statistics

__all__ = ["describe_progress"]

STEPS = {
    "": "reading",
    "prepare": "preparing",
    "specialise": "preparing",
    "detect": "detecting symmetry",
    "classify": "classifying the group",
}


def describe_progress(step: str, known: Statistics, elapsed: float) -> str:
    """``elapsed``: the seconds since the run began."""
    if step != "explore":
        return f"{STEPS.get(step, step)} ..."
    rate = known.states / elapsed if elapsed else 0
    figures = f"{known.states:,} states, {known.transitions:,} transitions, depth {known.depth}"
    return f"{figures}, {rate:,.0f} states/s, {elapsed:.0f} s"
