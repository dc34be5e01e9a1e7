"""Shared searches: what two workers save, what they send, and what Ray costs.

The mutex of n processes has 2^n + n 2^(n-1) states.  The critical path adds up, level by level, the CPU seconds of the
worker that computed longest, and those of the driver: the time a quiet machine with enough processors would take, and a
figure that other jobs on this one change little.  Ray is left out where it is not installed.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.rows import Row, row
from quorbit.engines.cluster.driver import Driver, Settings
from quorbit.engines.cluster.explore import for_workers, job_for
from quorbit.engines.cluster.pipes import Pipes
from quorbit.engines.cluster.ray_actors import RayActors
from quorbit.engines.cluster.transport import Transport
from quorbit.machine.options import SearchOptions
from quorbit.machine.owner import Owner
from quorbit.machine.run import opened
from quorbit.model.system.system import System
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import ask_together
from quorbit.pipeline.run import prepare
from quorbit.source.frozen import frozen

SIZES = (17, 20)  # 1,245,184 and 11,534,336 states
MODEL = "processes {n}\nstates N, T, C\nN -> T\nT -> C when #C = 0\nC -> N\ninvariant mutex: #C <= 1\n"
OPTIONS = SearchOptions()
DEEP = "byte x;\nactive proctype p() { do :: x < 250 -> x++ :: x >= 250 -> break od }\n"


@frozen
class Figures:
    """Of one search."""

    critical: float  # CPU seconds: the longest worker of each level, and the driver
    workers: float  # CPU seconds of all workers
    driver: float
    wall: float
    daemons: float  # CPU seconds of Ray's own processes
    sent: float  # bytes for each transition
    memory: float  # bytes for each state
    states: int


def run() -> list[Row]:
    return [*beside_one(), *level_latency()]


def beside_one() -> Iterator[Row]:
    for n in SIZES:
        system = mutex(n)
        transports = [("pipes", Pipes)] + ([("Ray", ray)] if importlib.util.find_spec("ray") else [])
        one = measured(system, Pipes(1))
        name = f"mutex {n} ({one.states:,} states)"
        yield row(f"{name}: one worker", one.critical, "s CPU")
        yield row(f"{name}: states of one worker", one.states / one.critical, "per s CPU")
        yield row(f"{name}: memory", one.memory, "bytes/state")
        for kind, make in transports:
            two = measured(system, make(2))
            assert two.states == one.states
            yield row(f"{name}: {kind}, 2 workers, critical path", two.critical, "s CPU")
            least = 1.4 if n == SIZES[-1] else None
            yield row(f"{name}: {kind}, one worker / critical path", one.critical / two.critical, "times", least=least)
            yield row(f"{name}: {kind}, driver", two.driver, "s CPU")
            yield row(f"{name}: {kind}, sent", two.sent, "bytes/transition")
            if kind == "Ray":
                share = two.daemons / (two.daemons + two.workers + two.driver)
                yield row(f"{name}: {kind}, share of its daemons", 100 * share, "% of CPU")


def level_latency() -> Iterator[Row]:
    """Levels with one state: all that is left is the way to and fro."""
    system = prepared(DEEP, "thin.pml")
    for workers, settings, name in ((2, Settings(alone=0), "shared"), (2, Settings(), "alone")):
        figures = measured(system, Pipes(workers), settings)
        yield row(f"a level of one state, pipes, {name}", 1e3 * figures.wall / figures.states, "ms")


def measured(system: System, transport: Transport, settings: Settings | None = None) -> Figures:
    try:
        return searched(system, transport, settings or Settings())
    finally:
        transport.close()


def searched(system: System, transport: Transport, settings: Settings) -> Figures:
    """The native code is compiled before."""
    with opened(system, system.properties, for_workers(OPTIONS)) as run:
        driver = Driver(transport, job_for(run, None), Owner(run), settings, OPTIONS)
        driver.native.advance(1e9)
        while driver.native.build is not None and driver.native.build.process is not None:
            driver.native.advance(1e9)
            time.sleep(0.05)
        daemons, began, cpu = daemon_seconds(transport), time.monotonic(), time.process_time()
        driver.search()
        spent, wall = time.process_time() - cpu, time.monotonic() - began
        states, workers = driver.latest.states, sum(driver.cpu_of.values())
        return Figures(
            driver.critical + spent,
            workers,
            spent,
            wall,
            daemon_seconds(transport) - daemons,
            driver.sent_bytes / driver.latest.transitions,
            sum(driver.bytes_of.values()) / states,
            states,
        )


def daemon_seconds(transport: Transport) -> float:
    """CPU seconds of Ray's own processes here, which are children of this one; the workers are not among them."""
    if not isinstance(transport, RayActors):
        return 0.0
    return sum(seconds for name, seconds in children(os.getpid()) if not name.startswith("ray::"))


def children(pid: int) -> Iterator[tuple[str, float]]:
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            pids = [int(word) for word in listed.read_text(encoding="ascii").split()]
        except OSError:
            continue
        for child in pids:
            try:
                name, _, rest = (
                    Path(f"/proc/{child}/stat").read_text(encoding="utf-8").partition("(")[2].rpartition(")")
                )
            except OSError:
                continue
            fields = rest.split()
            yield name, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            yield from children(child)


def ray(workers: int) -> Transport:
    return RayActors("local", workers)


def mutex(n: int) -> System:
    return prepared(MODEL.format(n=n), "mutex.edges")


def prepared(text: str, name: str) -> System:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_text(text, encoding="ascii")
        options = CheckOptions(symmetry="off")
        return prepare(*ask_together(load(file), options), options).system
