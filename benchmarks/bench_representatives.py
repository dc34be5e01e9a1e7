"""Microseconds for a representative, without the cache, on reachable states of the models of [DM09, Figure 4].

The states are those that an unreduced search finds first; they have not been reduced, as the successors in a reduced
search have not.  Beside it: what rumur spends on each rule in a reduced search of a model with references, and we on
the same, everything included.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.rows import Row, row
from quorbit.engines.engine import Guide
from quorbit.engines.explicit.explore import drive
from quorbit.machine import library
from quorbit.machine.compile.packing import lay_out, pack_state
from quorbit.machine.kernels.plan_tables import plan_record
from quorbit.machine.options import SearchOptions
from quorbit.machine.run import ask, initial_words, opened, start, state_at
from quorbit.papers.mutex_families import peterson
from quorbit.papers.promela_families import email, hypercube, resource_allocator, three_tiered
from quorbit.pipeline.case import Case
from quorbit.pipeline.load import load
from quorbit.pipeline.prepare import classify, detect, specialise

SEARCHED = 60_000  # states, of which the samples are taken
SAMPLES = 4096
RUNS = 15
MODELS = {
    "Peterson 5, S5": peterson(5),
    "Peterson 8, S8": peterson(8),
    "allocator 4-4, S4 x S4": resource_allocator((0, 0, 0, 0, 1, 1, 1, 1)),
    "three-tiered 3-3, S3 wr S2": three_tiered((3, 3)),
    "three-tiered 4-4, S4 wr S2": three_tiered((4, 4)),
    "three-tiered 3-3-3, S3 wr S3": three_tiered((3, 3, 3)),
    "three-tiered 4-4-4, S4 wr S3": three_tiered((4, 4, 4)),
    "email 4, S4 with references": email(4),
    "email 7, S7 with references": email(7),
    "email 10, S10 with references": email(10),
    "hypercube 3d": hypercube(3),
    "hypercube 4d": hypercube(4),
    "hypercube 5d": hypercube(5),
}
WAITING = Path(__file__).parents[1] / "examples" / "murphi" / "waiting.m"
SIZES = (5, 6)


def run() -> list[Row]:
    return [
        *(measured(name, text) for name, text in MODELS.items()),
        *(line for n in SIZES for line in beside_rumur(n)),
    ]


def measured(name: str, text: str) -> Row:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.pml")
        file.write_text(text, encoding="utf-8")
        case = classify(detect(specialise(Case(load(file).system, Guide.PLAN))))
    return row(f"representative, {name}", per_state(case), "us", most=1.5)


def per_state(case: Case) -> float:
    """The best of some runs: the machine may have more to do."""
    assert case.plan is not None
    layout = lay_out(case.system, moving=True)
    with opened(case.system, (), SearchOptions(max_states=SEARCHED, native=False)) as searching:
        start(searching, initial_words(searching))
        drive(searching)
        found = ask(searching).states
        states = [state_at(searching, k) for k in range(0, found, max(1, found // SAMPLES))]
    record = plan_record(case.system, layout, case.plan)
    record.cache_bits = 0
    runtime = library.runtime()
    reducer = runtime.qb_reducer_open(ctypes.byref(record))
    words = [word for state in states for word in pack_state(layout, state)]
    best = float("inf")
    for _ in range(RUNS):
        given = (ctypes.c_uint64 * len(words))(*words)
        began = time.process_time()
        runtime.qb_reduce_all(reducer, given, len(states))
        best = min(best, time.process_time() - began)
    runtime.qb_reducer_close(reducer)
    return best / len(states) * 1e6


def beside_rumur(n: int) -> Iterator[Row]:
    """CPU for each rule that fires, of the whole process; rumur without the compile."""
    if shutil.which("rumur") is None or shutil.which("gcc") is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        model, code, program = (Path(folder, name) for name in ("waiting.m", "waiting.c", "waiting"))
        model.write_text(re.sub(r"N: \d+", f"N: {n}", WAITING.read_text(encoding="utf-8")), encoding="utf-8")
        options = ["--symmetry-reduction", "heuristic", "--threads", "1", "--value-type", "int32_t"]
        subprocess.run(["rumur", *options, "--output", str(code), str(model)], check=True, capture_output=True)
        gcc = ["gcc", "-mcx16", "-O3", "-march=native", "-w", "-o", str(program), str(code), "-lpthread"]
        subprocess.run(gcc, check=True, capture_output=True)
        seconds, text = used([str(program)])
        states, rules = (int(number) for number in re.findall(r"(\d+) states, (\d+) rules fired in", text)[-1])
        yield row(f"waiting {n}, rumur, heuristic: {states:,} states", seconds / rules * 1e6, "us per rule")
        case = classify(detect(specialise(Case(load(model).system, Guide.PLAN))))
    with opened(case.system, (), SearchOptions(), case.plan, own_store=True) as searching:
        start(searching, initial_words(searching))
        drive(searching)
        report = ask(searching)
    each = report.cpu_seconds / report.transitions * 1e6
    yield row(f"waiting {n}, ours, exact: {report.states:,} states", each, "us per transition")


def used(command: list[str]) -> tuple[float, str]:
    before = os.times()
    text = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300).stdout
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, text
