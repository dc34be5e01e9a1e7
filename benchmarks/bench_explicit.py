"""The explicit engine beside SPIN's pan on equal models with equal counts; canonicalisers; threads; memory.

CPU time of the search on both sides, measured in the same run.  The native code is compiled before (warm), as pan is.
SPIN is left out where it is not installed; then only our own figures are shown.
"""

from __future__ import annotations

import ctypes
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks.models.systems import counters, mail, peterson

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.engines.explicit import library
from quorbit.engines.explicit.explore import explore
from quorbit.engines.explicit.layout import lay_out, pack_state
from quorbit.engines.explicit.tables import plan_record
from quorbit.engines.options import SearchOptions
from quorbit.groups.group import Group, hypercube, symmetric
from quorbit.model.system import Atom, System, Variable
from quorbit.model.types import NONE, AtomOf, Number

Row = tuple[str, float, str]
MODELS = Path(__file__).parent / "models"
PAN_FLAGS = ("-O2", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-w")


def run() -> list[Row]:
    return [*beside_pan(), *scaling(), *threads(), *canonicalisers(), *reduction()]


def beside_pan() -> Iterator[Row]:
    cases = (
        ("peterson 5", peterson(5), "peterson.pml", ("-DN=5",)),
        ("mail 3 3", mail(3, 3), "mail.pml", ("-DN=3", "-DCAPACITY=3")),
        ("peterson 6", peterson(6), "peterson.pml", ("-DN=6",)),
    )
    for name, system, file, defines in cases:
        warm(system)
        native, native_bytes = search(system, SearchOptions())
        bytecode, _ = search(system, SearchOptions(native=False))
        yield f"{name}: exploration, native", native, "s CPU"
        yield f"{name}: exploration, bytecode", bytecode, "s CPU"
        yield f"{name}: memory", native_bytes, "bytes/state"
        theirs = pan(MODELS / file, defines, system) if shutil.which("spin") and shutil.which("gcc") else None
        if theirs is not None:
            search_cpu, total = theirs
            yield f"{name}: pan", search_cpu, "s CPU"
            yield f"{name}: pan / ours, native", search_cpu / native, "times"
            yield f"{name}: pan / ours, bytecode", search_cpu / bytecode, "times"
            yield f"{name}: spin + gcc + pan / ours from process start", total / from_start(system), "times"


def warm(system: System) -> None:
    """Run until the native code is there."""
    for _ in range(3):
        explore(system, system.properties, options=SearchOptions(timeout=4.0))


def search(system: System, options: SearchOptions) -> tuple[float, float]:
    """CPU seconds and bytes per state; the better of two runs."""
    outcomes = [explore(system, system.properties, options=options) for _ in range(2)]
    best = min(outcome.statistics.explore_seconds for outcome in outcomes)
    return best, outcomes[0].statistics.memory_bytes / outcomes[0].statistics.states


def pan(model: Path, defines: tuple[str, ...], system: System) -> tuple[float, float] | None:
    """CPU seconds of pan, and of spin, gcc and pan together; pan must find as many states as we do."""
    wanted = explore(system, system.properties).statistics
    with tempfile.TemporaryDirectory() as directory:
        began = children()
        subprocess.run(["spin", "-a", *defines, str(model)], cwd=directory, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["gcc", *PAN_FLAGS, "-o", "pan", "pan.c"], cwd=directory, check=True)
        compiled = children()
        done = subprocess.run(["./pan", "-m10000000", "-E"], cwd=directory, check=True, capture_output=True, text=True)
        ended = children()
    states = re.search(r"(\d+) states, stored", done.stdout)
    assert states is not None
    assert int(states[1]) == wanted.states, "the twins differ"
    return ended - compiled, ended - began


def children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def from_start(system: System) -> float:
    """CPU seconds of a whole process that explores a benchmark model."""
    name, *numbers = system.name.split()
    call = f"{name}({', '.join(numbers)})"
    script = (
        "from benchmarks.models.systems import *; from quorbit.engines.explicit.explore import explore; "
        f"system = {call}; explore(system, system.properties)"
    )
    began = children()
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parents[1])
    return children() - began


def scaling() -> Iterator[Row]:
    """Time per state from 10^5 to 10^7 states."""
    per_state = []
    for n in (5, 6, 7):
        warm(counters(n, 10))
        seconds, _ = search(counters(n, 10), SearchOptions())
        per_state.append(seconds / 10**n)
        yield f"counters, 10^{n} states", per_state[-1] * 1e9 / n, "ns per transition"
    yield "time per transition, 10^7 / 10^5 states", per_state[2] / 7 / (per_state[0] / 5), "times"


def threads() -> Iterator[Row]:
    system = peterson(6)
    walls = []
    for n in (1, 2):
        began = time.perf_counter()
        explore(system, system.properties, options=SearchOptions(threads=n))
        walls.append(time.perf_counter() - began)
    yield "peterson 6: one thread / two threads, wall", walls[0] / walls[1], "times"


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
    yield "representative, S8 without references", per_state(plain, symmetric(8), sparse=1.0), "us"
    yield "representative, S8 with references", per_state(joined, symmetric(8), sparse=0.5), "us"
    for busy in (1, 4, 16, 32):
        yield f"representative, 5d cube, {busy} busy", per_state(corners, hypercube(5), sparse=busy / 32), "us"


def atoms_with(n: int, *variables: Variable) -> System:
    return System("states", tuple(Atom(f"A{i}", "process") for i in range(n)), variables, ())


def per_state(system: System, group: Group, sparse: float) -> float:
    """Microseconds for a representative, without the cache; random states, ``sparse`` of the places not at rest."""
    layout, random = lay_out(system), Random(1)
    record = plan_record(system, layout, classify(layout_of(system), group))
    record.cache_bits = 0
    runtime = library.runtime()
    handle = runtime.qb_reducer_open(ctypes.byref(record))
    words = [w for _ in range(4096) for w in pack_state(layout, random_state(system, random, sparse))]
    best = float("inf")
    for _ in range(3):
        states = (ctypes.c_uint64 * len(words))(*words)
        began = time.process_time()
        runtime.qb_reduce_all(handle, states, 4096)
        best = min(best, time.process_time() - began)
    runtime.qb_reducer_close(handle)
    return best / 4096 * 1e6


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
    """A reduced run beside the whole one; the reduction factor is 24 at least."""
    for n, system in ((4, peterson(4)), (5, peterson(5)), (3, mail(3, 3))):
        layout = layout_of(system)
        plan = classify(layout, symmetric(n))
        whole = explore(system, system.properties).statistics
        reduced = explore(system, system.properties, plan, layout).statistics
        factor = whole.states / reduced.states
        yield (
            f"{system.name}: whole / reduced (factor {factor:.1f})",
            whole.explore_seconds / reduced.explore_seconds,
            "times",
        )
