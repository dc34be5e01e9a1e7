"""The kernels of the explicit engine: growth, threads, canonicalisers, and what reduction costs and saves."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

from benchmarks.models.systems import classes, counters, mail, peterson
from benchmarks.rows import Row, row, search, warm
from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.canon.plan import Plan
from quorbit.engines.explicit.explore import explore
from quorbit.groups.group import Group, hypercube, swap, symmetric
from quorbit.machine import library
from quorbit.machine.compile.packing import lay_out, pack_state
from quorbit.machine.kernels.plan_tables import plan_record
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import Atom, System, Variable
from quorbit.model.system.types import NONE, AtomOf, Number
from quorbit.result.outcome import Statistics

SAMPLES = 16_384


def run() -> list[Row]:
    return [*scaling(), *threads(), *canonicalisers(), *reduction()]


def scaling() -> Iterator[Row]:
    """Time per state from 10^5 to 10^7 states."""
    per_state = []
    for n in (5, 6, 7):
        warm(counters(n, 10))
        seconds, _ = search(counters(n, 10), SearchOptions())
        per_state.append(seconds / 10**n)
        yield row(f"counters, 10^{n} states", per_state[-1] * 1e9, "ns per state")
    yield row("time per state, 10^7 / 10^5 states", per_state[2] / per_state[0], "times", most=2.5)


def threads() -> Iterator[Row]:
    """Wall time with one thread against two; the better of two runs each, in turn."""
    whole, many = peterson(6), peterson(9)
    warm(whole)
    for name, system, plan, options, least in (
        ("peterson 6 (1.7 * 10^7 states)", whole, None, SearchOptions(), 1.3),
        ("peterson 6, bytecode", whole, None, SearchOptions(native=False), 1.3),
        (
            "peterson 9 reduced (3.6 * 10^6 states)",
            many,
            classify(layout_of(many), symmetric(9)),
            SearchOptions(),
            None,
        ),
    ):
        walls = [min(times) for times in zip(*(in_turn(system, plan, options) for _ in range(2)), strict=True)]
        yield row(f"{name}: one thread / two threads, wall", walls[0] / walls[1], "times", least=least)


def in_turn(system: System, plan: Plan | None, options: SearchOptions) -> tuple[float, float]:
    return timed(system, plan, replace(options, threads=1)), timed(system, plan, replace(options, threads=2))


def timed(system: System, plan: Plan | None, options: SearchOptions) -> float:
    began = time.perf_counter()
    explore(system, system.properties, plan, options=options)
    return time.perf_counter() - began


def canonicalisers() -> Iterator[Row]:
    everyone = tuple(range(8))
    who = AtomOf(everyone, True)
    plain = atoms_with(8, Variable("pc", Number(0, 4), (everyone,)), Variable("k", Number(0, 7), (everyone,)))
    joined = atoms_with(
        8,
        Variable("pc", Number(0, 1), (everyone,)),
        Variable("to", who, (everyone,)),
        Variable("box", who, (everyone,)),
    )
    corners = atoms_with(32, Variable("x", Number(0, 31), (tuple(range(32)),)))
    yield row("representative, S8 without references", per_state(plain, symmetric(8), sparse=1.0), "us", most=0.15)
    yield row("representative, S8 with references", per_state(joined, symmetric(8), sparse=0.5), "us", most=0.3)
    for busy in (1, 4, 16, 32):
        spent = per_state(corners, hypercube(5), sparse=busy / 32)
        yield row(f"representative, 5d cube, {busy} busy", spent, "us", most=2)


def atoms_with(n: int, *variables: Variable) -> System:
    return System("states", tuple(Atom(f"A{i}", "process") for i in range(n)), variables, ())


def per_state(system: System, group: Group, sparse: float) -> float:
    """Microseconds for a representative, without the cache; random states, ``sparse`` of the places not at rest.  So
    many that no processor learns what comes next; the best of some runs, for the machine may have more to do."""
    layout, random = lay_out(system), Random(1)
    record = plan_record(system, layout, classify(layout_of(system), group))
    record.cache_bits = 0
    runtime = library.runtime()
    handle = runtime.qb_reducer_open(ctypes.byref(record))
    words = [w for _ in range(SAMPLES) for w in pack_state(layout, random_state(system, random, sparse))]
    best = float("inf")
    for _ in range(25):
        states = (ctypes.c_uint64 * len(words))(*words)
        began = time.process_time()
        runtime.qb_reduce_all(handle, states, SAMPLES)
        best = min(best, time.process_time() - began)
    runtime.qb_reducer_close(handle)
    return best / SAMPLES * 1e6


def random_state(system: System, random: Random, sparse: float) -> tuple[int, ...]:
    def value(type: object) -> int:
        busy = random.random() < sparse
        match type:
            case Number(low, high):
                return random.randint(low or 0, high or 0) if busy else low or 0
            case AtomOf(atoms):
                return random.choice(atoms) if busy else NONE
        raise AssertionError(type)

    return tuple(value(place.type) for place in system.places)


def reduction() -> Iterator[Row]:
    """A reduced run beside the whole one: exploration CPU with native code, which is warm, and with bytecode."""
    cases = (
        (peterson(4), symmetric(4)),
        (peterson(5), symmetric(5)),
        (mail(3, 3), symmetric(3)),
        (counters(3, 60), symmetric(3)),
        (counters(6, 10), symmetric(6)),
        (classes(3, 2, 12), pairs_of(5, ((0, 1, 2), (3, 4)))),
        (classes(4, 3, 7), pairs_of(7, ((0, 1, 2, 3), (4, 5, 6)))),
    )
    for system, group in cases:
        warm(system)
        plan = classify(layout_of(system), group)
        for code, options in (("native", SearchOptions()), ("bytecode", SearchOptions(native=False))):
            whole, reduced = best_of(system, None, options), best_of(system, plan, options)
            factor, ratio = whole.states / reduced.states, whole.explore_seconds / reduced.explore_seconds
            yield row(f"{system.name}, {code}: whole / reduced (factor {factor:.1f})", ratio, "times", least=1)


def best_of(system: System, plan: Plan | None, options: SearchOptions) -> Statistics:
    runs = [explore(system, system.properties, plan, options=options).statistics for _ in range(3)]
    return min(runs, key=lambda statistics: statistics.explore_seconds)


def pairs_of(degree: int, cells: tuple[tuple[int, ...], ...]) -> Group:
    """All permutations that keep each of the cells."""
    return Group(degree, moves=[swap(a, b) for cell in cells for a, b in pairwise(cell)])
