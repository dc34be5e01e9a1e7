"""Table 1 of [W07] with measured cells beside the published ones."""

from __future__ import annotations

from quorbit.report.layout import table
from quorbit.report.papers.dm09 import count, duration
from quorbit.report.resource import Published


def table_1(rows: list[tuple[Published, int | None, float | None]]) -> list[str]:
    """k classes among 80 processes, all but the last of m; states and seconds, published in brackets."""
    header = ["k", "m", "states", "published", "s", "published"]
    listed = [
        [str(p.k), str(p.m), count(states), str(p.states), duration(seconds), str(p.seconds)]
        for p, states, seconds in rows
    ]
    return table(header, listed)
