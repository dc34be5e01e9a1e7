"""Times of automorphism groups and canonical forms: netlists, diagrams, cubes; the own search against BLISS."""

from __future__ import annotations

import random
from collections.abc import Callable
from time import perf_counter

from quorbit.graphs.automorphisms import automorphisms, automorphisms_on
from quorbit.graphs.canonical import canonical_form
from quorbit.graphs.graph import Arc, Graph
from quorbit.graphs.search import search_group
from quorbit.graphs.simple import simplify

Row = tuple[str, float, str]


def run() -> list[Row]:
    """Rows (name, value, unit)."""
    automorphisms(hypercube(3))  # import igraph outside the measurements
    small = [random_graph(12, seed) for seed in range(200)]
    rows = [
        ("three-tier diagram of 57 vertices, group", 1e3 * seconds(lambda: automorphisms(tiers(8, 6))), "ms"),
        ("5-cube, group", 1e3 * seconds(lambda: automorphisms(hypercube(5))), "ms"),
        ("12 vertices, canonical form", 1e6 * seconds(lambda: [canonical_form(g) for g in small]) / len(small), "us"),
        ("own search / BLISS, 5-cube", own_ratio(hypercube(5)), "times"),
    ]
    for copies in (4, 20, 200):
        rows += netlist_rows(10_000, copies)
    large = netlist(100_000, 2000)
    rows.append(("netlist of 10^5 vertices, 2000 copies, group", seconds(lambda: automorphisms(large), 1), "s"))
    rows.append(
        ("10^5 vertices without arcs, group", seconds(lambda: automorphisms(Graph((0,) * 100_000, ())), 1), "s")
    )
    return rows


def netlist_rows(n: int, copies: int) -> list[Row]:
    graph = netlist(n, copies)
    outputs = [v for v, colour in enumerate(graph.colours) if colour == OUTPUT]
    name = f"netlist of {graph.size} vertices, {copies} copies"
    return [
        (f"{name}, group", seconds(lambda: automorphisms(graph), 2), "s"),
        (f"{name}, group on the outputs", seconds(lambda: automorphisms_on(graph, outputs), 2), "s"),
    ]


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The best time of several."""
    best = float("inf")
    for _ in range(times):
        start = perf_counter()
        work()
        best = min(best, perf_counter() - start)
    return best


def own_ratio(graph: Graph) -> float:
    return seconds(lambda: search_group(simplify(graph))) / seconds(lambda: automorphisms(graph))


OUTPUT, CLOCK = 8, 9


def netlist(n: int, copies: int) -> Graph:
    """Equal copies of a random circuit of gates with two inputs, told apart by label for some gates; one clock."""
    rng, size = random.Random(1), (n - 1) // copies
    colours = [rng.randrange(5) for _ in range(size - 1)] + [OUTPUT]
    arcs: list[Arc] = []
    for v in range(min(10, size - 1), size):
        near = range(max(0, v - 100), v)
        arcs += [(rng.choice(near), v, 0), (rng.choice(near), v, int(colours[v] < 2))]
    clock = copies * size
    wired = [(u + c * size, v + c * size, label) for c in range(copies) for u, v, label in arcs]
    wired += [(clock, c * size, 0) for c in range(copies)]
    return Graph((*colours * copies, CLOCK), tuple(wired))


def tiers(servers: int, clients: int) -> Graph:
    """A database, its servers, each server's clients."""
    colours = (0, *[1] * servers, *[2] * (servers * clients))
    arcs = [(s, 0, 0) for s in range(1, servers + 1)]
    arcs += [(v, 1 + (v - servers - 1) // clients, 0) for v in range(servers + 1, len(colours))]
    return Graph(colours, tuple(arcs))


def hypercube(d: int) -> Graph:
    return Graph((0,) * 2**d, tuple((v, v ^ 1 << i, 0) for v in range(2**d) for i in range(d)))


def random_graph(n: int, seed: int) -> Graph:
    rng = random.Random(seed)
    arcs = tuple((rng.randrange(n), rng.randrange(n), rng.randrange(2)) for _ in range(2 * n))
    return Graph(tuple(rng.randrange(3) for _ in range(n)), arcs)


if __name__ == "__main__":
    for name, value, unit in run():
        print(f"{name:60s} {value:10.3f} {unit}")
