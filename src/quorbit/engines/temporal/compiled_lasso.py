"""A lasso out of a product of the compiled engine in which an accepting cycle was found (runtime/lasso.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from quorbit.engines.temporal.compiled_graph import Graph
from quorbit.engines.temporal.compiled_product import FIND_ALL, Ask, Product, Search, memory_stop, opened_product
from quorbit.engines.temporal.space import STUTTERING
from quorbit.logic.graphs.lasso import Lasso
from quorbit.machine import library
from quorbit.machine.library import u32, u64
from quorbit.machine.shared_records import check_records
from quorbit.source.frozen import frozen, mutable

TO_MARK, TO_NODE, TO_GOOD = range(3)
STUTTER = 2**64 - 1


class WayRecord(ctypes.Structure):
    _fields_ = [
        ("length", u64),
        ("edges", ctypes.POINTER(u64)),
        *((name, u32) for name in ("start", "node", "found", "ends")),
    ]


@frozen
class Way:
    """Edges, the states they lead from, the node at the end and the marks on the way; whether it may end there."""

    edges: tuple[int, ...]
    node: int
    marks: int
    ends: bool = False


def find_lasso(graph: Graph, asked: Ask) -> Lasso | None:
    """A fair path from a root that the automaton accepts, to the nearest cycle among the states that are expanded."""
    with opened_product(graph, asked, FIND_ALL) as product:
        if product.search() is not Search.FOUND:
            return None
        with opened_ways(product) as ways:
            start, stem = ways.stem()
            if (
                stem.ends
            ):  # the automaton reads a state when it leaves it: the last edge only leaves the one that counts
                return Lasso(start, named(stem.edges[:-1]), ())
            loop = Loop(ways, stem.node, ways.state_after(start, stem.edges))
            loop.collect((1 << asked.automaton.sets) - 1)
            if asked.fairness != "none":
                loop.serve(len(graph.processes))
            loop.close()
            return Lasso(start, named(stem.edges), named(loop.edges))


def named(edges: tuple[int, ...] | list[int]) -> tuple[int, ...]:
    return tuple(STUTTERING if e == STUTTER else e for e in edges)


@mutable
class Loop:
    """A path among the nodes of the cycle that grows until it has all it needs."""

    ways: Ways
    entry: int
    first: int  # the state it begins in

    def __post_init__(self) -> None:
        self.edges: list[int] = []
        self.node = self.entry

    def collect(self, missing: int) -> None:
        """All marks, and at least one edge."""
        while missing or not self.edges:
            way = self.go(TO_MARK, missing & -missing)
            missing &= ~way.marks

    def serve(self, processes: int) -> None:
        """Every thread takes a good edge, if it has one."""
        for process in range(processes):
            number = self.follow(process)
            if number is not None:
                self.go(TO_GOOD, goal=number)

    def follow(self, process: int) -> int | None:
        """What becomes of a process; None if an edge is good for it."""
        runtime, state = library.runtime(), self.first
        for edge in self.edges:
            if runtime.qb_lasso_good(self.ways.handle, state, edge, process):
                return None
            process = runtime.qb_lasso_renamed(self.ways.handle, edge, process)
            state = self.ways.state_after(state, (edge,))
        return process

    def close(self) -> None:
        self.go(TO_NODE, goal=self.entry)

    def go(self, kind: int, marks: int = 0, goal: int = 0) -> Way:
        """Further by a shortest way, if there is one."""
        way = self.ways.inside(self.node, kind, marks, goal)
        self.edges.extend(way.edges)
        self.node = way.node
        return way


@mutable
class Ways:
    product: Product
    handle: Any

    def stem(self) -> tuple[int, Way]:
        """The state in which the shortest way to the cycle begins, and the way."""
        record = WayRecord()
        if not library.runtime().qb_lasso_stem(self.handle, ctypes.byref(record)):
            raise memory_stop(self.product.graph)
        assert record.found
        return record.start, self.read(record)

    def inside(self, node: int, kind: int, marks: int, goal: int) -> Way:
        record = WayRecord()
        if not library.runtime().qb_lasso_way(self.handle, node, kind, marks, goal, ctypes.byref(record)):
            raise memory_stop(self.product.graph)
        return self.read(record) if record.found else Way((), node, 0)

    def read(self, record: WayRecord) -> Way:
        marks: int = library.runtime().qb_lasso_marks(self.handle)
        return Way(tuple(record.edges[: record.length]), record.node, marks, bool(record.ends))

    def state_after(self, state: int, edges: tuple[int, ...]) -> int:
        """Stuttering stays where it is."""
        for edge in edges:
            state = state if edge == STUTTER else self.product.graph.target(state, edge)
        return state


@contextmanager
def opened_ways(product: Product) -> Iterator[Ways]:
    declare(library.runtime())
    handle = library.runtime().qb_lasso_open(product.handle)
    if not handle:
        raise memory_stop(product.graph)
    try:
        yield Ways(product, handle)
    finally:
        library.runtime().qb_lasso_close(handle)


def declare(runtime: Any) -> None:
    check_records(runtime, {"qb_way": WayRecord})
    pointer = ctypes.c_void_p
    types: dict[str, tuple[Any, list[Any]]] = {
        "qb_lasso_open": (pointer, [pointer]),
        "qb_lasso_close": (None, [pointer]),
        "qb_lasso_stem": (ctypes.c_bool, [pointer, ctypes.POINTER(WayRecord)]),
        "qb_lasso_way": (ctypes.c_bool, [pointer, u32, ctypes.c_int, u64, u32, ctypes.POINTER(WayRecord)]),
        "qb_lasso_marks": (u64, [pointer]),
        "qb_lasso_good": (ctypes.c_bool, [pointer, u32, u64, u32]),
        "qb_lasso_renamed": (u32, [pointer, u64, u32]),
    }
    for name, (result, arguments) in types.items():
        function = getattr(runtime, name)
        function.restype, function.argtypes = result, arguments
