"""A hundred million states in memory: CPU, bytes for each state, and what they say about ten times as many.

Four counters of a hundred values: four transitions from each state, states of one word, nothing is symmetric.  Native
code is compiled before.  Needs 2 GB of memory.
"""

from __future__ import annotations

from benchmarks.models.systems import counters
from benchmarks.rows import Row, row
from quorbit.engines.explicit.explore import explore
from quorbit.machine.options import SearchOptions

MEMORY = 8 << 30


def run() -> list[Row]:
    system = counters(4, 100)
    explore(system, (), options=SearchOptions(max_states=1000, compile_first=True))
    rows: list[Row] = []
    for name, no_parents in (("--no-parents", True), ("with parents", False)):
        options = SearchOptions(memory=MEMORY, no_parents=no_parents, compile_first=True)
        s = explore(system, (), options=options).statistics
        assert s.states == 100**4
        rows.append(row(f"10^8 states, {name}: CPU of the search", s.explore_seconds, "s", most=40))
        rows.append(row(f"10^8 states, {name}: each transition", s.explore_seconds / s.transitions * 1e9, "ns"))
        rows.append(row(f"10^8 states, {name}: memory for a state", s.memory_bytes / s.states, "bytes"))
    each = rows[2][1]
    rows.append(row("10^9 such states at as many bytes each, --no-parents", each * 1e9 / 2**30, "GiB", most=24))
    return rows
