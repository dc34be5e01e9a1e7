"""Adaptive symmetry reduction on the resource controller: Figures 3 and 4 and Table 1 of [W07], with times; and a
system with a million annotated states.

    python benchmarks/bench_adaptive.py [folder for the plots]

Prints each number next to the published one and the closed form; exits with 1 if one differs or a time is over target.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from quorbit.detection.commands.partition import infer_partitions
from quorbit.engines.adaptive.explore import explore
from quorbit.languages.edges.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.papers.resource_controller import (
    TABLE_1,
    TABLE_1_PROCESSES,
    adaptive_states,
    fragmented,
    large_classes,
    plain_states,
    resource_controller,
    small_classes,
    standard_states,
)
from quorbit.papers.series import Plot, Series, render_plot, render_table
from quorbit.source.span import Source

ENTRY_TARGET, TABLE_TARGET = 2.0, 10.0  # seconds

Scheme = Callable[[int], tuple[int, ...]]


def measure(sizes: tuple[int, ...]) -> tuple[int, float]:
    """Reached states, and seconds from the text to the answer."""
    began = time.perf_counter()
    system = load_source(Source("resource.edges", resource_controller(sizes)), LoadOptions())
    outcome = explore(system, system.properties, infer_partitions(system, system.properties))
    return outcome.statistics.states, time.perf_counter() - began


def table_1() -> bool:
    rows, total, right = [], 0.0, True
    for entry in TABLE_1:
        sizes = fragmented(TABLE_1_PROCESSES, entry.k, entry.m)
        states, seconds = measure(sizes)
        total += seconds
        right = right and states == entry.states == adaptive_states(sizes) and seconds <= ENTRY_TARGET
        rows.append([entry.m, entry.k, states, entry.states, adaptive_states(sizes), seconds, entry.seconds])
    print(render_table(["class size", "k", "states", "paper", "closed form", "s", "paper s"], rows))
    print(f"all of Table 1: {total:.2f} s (target {TABLE_TARGET:g} s)")
    return right and total <= TABLE_TARGET


def figures(folder: Path | None) -> bool:
    right = True
    for name, scheme in (("n/2 classes of two", small_classes), ("two classes of n/2", large_classes)):
        found = {n: measure(scheme(n))[0] for n in range(2, 19, 2)}
        rows = [[n, plain_states(scheme(n)), standard_states(scheme(n)), found[n]] for n in found]
        right = right and all(found[n] == adaptive_states(scheme(n)) for n in found)
        print(name)
        print(render_table(["n", "plain", "standard", "adaptive"], rows))
        if folder is not None:
            draw(folder, name, scheme, found)
    return right


MANY = """processes 22
states A, B, C, D, E, F
shared x: 0..3 = 0
A -> B when #F < 5
B -> C
C -> D when #C > 1
D -> E do x := (x + 1) % 4
E -> F when i != 2 or x = 1
F -> A
B -> A when i = 2
no deadlock check
"""


def million() -> bool:
    """One process of 22 differs in two edges."""
    began = time.process_time()
    system = load_source(Source("many.edges", MANY), LoadOptions())
    outcome = explore(system, (), infer_partitions(system, ()))
    seconds, states = time.process_time() - began, outcome.statistics.states
    print(f"{states:,} annotated states: {seconds:.1f} s of CPU time, {states / seconds:,.0f} a second")
    return states > 1_000_000


def draw(folder: Path, name: str, scheme: Scheme, found: dict[int, int]) -> None:
    adaptive = Series("adaptive", tuple(found.items()))
    plain = Series("plain", tuple((n, plain_states(scheme(n))) for n in found))
    standard = Series("standard", tuple((n, standard_states(scheme(n))) for n in found))
    side = "left" if scheme is small_classes else "right"
    linear = scheme is large_classes
    for number, other, logarithmic in ((3, plain, True), (4, standard, not linear)):
        plot = Plot(f"Figure {number}, {name}", "processes", "reached states", (adaptive, other), logarithmic)
        (folder / f"w07-figure{number}-{side}.svg").write_text(render_plot(plot), encoding="utf-8")


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0]) if arguments else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    drawn = figures(folder)
    return 0 if table_1() and million() and drawn else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
