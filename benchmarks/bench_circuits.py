"""Circuits: reachability of 40 dining philosophers against a plain script for CUDD, rings of 12 cells with and without
symmetry, and families of symmetric circuits: the whole command by itself against its members asked for by name.
"""

from __future__ import annotations

import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from dd import cudd

from benchmarks.rows import Row, row
from quorbit.engines.explicit.engine import EXPLICIT
from quorbit.engines.symbolic.model import Model, open_model
from quorbit.engines.symbolic.reach import Clock, reach
from quorbit.languages.circuits.blif.parse import parse
from quorbit.languages.circuits.load import lower_all
from quorbit.model.system.system import System
from quorbit.netlists.check import checked
from quorbit.netlists.flatten import flatten
from quorbit.pipeline.explore import explore
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import prepare
from quorbit.source.span import Source

T = TypeVar("T")
EXAMPLES = Path(__file__).parent.parent / "examples" / "circuits"
FAMILIES = (("crossbar", 8), ("fifos", 16), ("counters", 20), ("cache", 16))
PLAIN = ("--symmetry off", "--engine symbolic --symmetry off", "--engine temporal --symmetry off")
REDUCED = ("--engine temporal", "--engine symbolic --quotient next", "--engine symbolic --quotient relation")
GIVEN = 30  # seconds for a command
QUICK, TURNS = 1.0, 7  # where all that is compared is quicker, each is run so often in turn, and the best counts


def run() -> list[Row]:
    rings = [*ring("token ring of 12", token_ring(12)), *ring("counters of 12", counters(12))]
    return [*philosophers(40), *rings, *(r for name, size in FAMILIES for r in family(name, size))]


def family(name: str, size: int) -> list[Row]:
    """CPU seconds of whole commands.  Where nobody answers, nothing is compared: ``inf`` / ``inf`` keeps no bound."""
    spent = {member: commanded(name, size, member) for member in ("", *PLAIN, *REDUCED)}
    close = [member for member, seconds in spent.items() if seconds < QUICK]
    for member in close * (TURNS if spent[""] < QUICK else 0):
        spent[member] = min(spent[member], commanded(name, size, member))
    auto, plain = spent.pop(""), min(spent[member] for member in PLAIN)
    title = f"{name} of {size}"
    return [
        row(f"{title}: auto", auto, "s CPU"),
        *(row(f"{title}: {member}", seconds, "s CPU") for member, seconds in spent.items()),
        row(f"{title}: best without symmetry / auto", plain / auto, "times"),
        row(f"{title}: auto / best member", auto / min(spent.values()), "times", most=1.2),
    ]


def commanded(name: str, size: int, member: str) -> float:
    """CPU seconds of a check of all properties; infinite if an answer is missing or the member refuses."""
    model = EXAMPLES / f"{name}.v"
    command = [sys.executable, "-m", "quorbit", "check", str(model), "-D", f"N={size}"]
    command += ["--property", str(model.with_suffix(".ctl")), "--timeout", str(GIVEN), *member.split()]
    before = computed_by_children()
    done = subprocess.run(command, capture_output=True, check=False)
    return computed_by_children() - before if done.returncode in (0, 1) else math.inf


def computed_by_children() -> float:
    """In microseconds, where the clock of ``os.times`` goes by hundredths of a second."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def philosophers(n: int) -> list[Row]:
    """Every time is that of a first run, for later ones find what the libraries remember."""
    system = read(table_of_philosophers(n))
    opening, model = timed(lambda: open_model(system))
    ours, reached = timed(lambda: reach(model, Clock()))
    peer = open_model(system, "cudd")
    plain, states = timed(lambda: plain_reach(peer))
    assert states == model.count(reached.states)
    bits = 2 * len(model.layout.present)
    return [
        row(f"{n} philosophers: {bits} variables, encoding and reachability", opening + ours, "s", most=2),
        row(f"{n} philosophers: reachability", ours, "s"),
        row(f"{n} philosophers: plain script for CUDD, same order and clusters", plain, "s"),
        row(f"{n} philosophers: ours / plain", ours / plain, "times", most=2),
    ]


def plain_reach(model: Model) -> int:
    """What a user of CUDD would write, with the relation and the order of the model."""
    bdd, relation = model.m.diagrams, model.relations[0]  # type: ignore[attr-defined]
    first = [f"v{b}" for b in relation.forward.first.numbers]
    clusters = [(cluster, [f"v{b}" for b in done.numbers]) for cluster, done in relation.forward.clusters]
    back = {f"v{b}": f"v{a}" for a, b in zip(model.layout.present, model.layout.following, strict=True)}
    reached = ring = model.initial
    while ring != bdd.false:
        simpler = reached if len(reached) < len(ring) else ring
        image = bdd.exist(first, simpler) if first else simpler
        for cluster, done in clusters:
            image = cudd.and_exists(image, cluster, done) if done else image & cluster
        ring = bdd.let(back, image) & ~reached
        reached = reached | ring
    return model.count(reached)


def ring(name: str, text: str) -> list[Row]:
    system = read(text)
    reduced, whole = searched(system, "auto"), searched(system, "off")
    return [
        row(f"{name}: states, reduced", reduced[0], "states"),
        row(f"{name}: states, unreduced / reduced", whole[0] / reduced[0], "times", least=10),
        row(f"{name}: reduced, with detection", reduced[1], "s CPU"),
        row(f"{name}: unreduced / reduced, time", whole[1] / reduced[1], "times", least=1),
    ]


def searched(system: System, symmetry: str) -> tuple[int, float]:
    """States, and seconds from the System to the answer; the native code of the first run is there in the second."""
    for _ in range(2):
        began = time.process_time()
        outcome = explore(EXPLICIT, prepare(system, (), CheckOptions(symmetry=symmetry)))[0]
        seconds = time.process_time() - began
    return outcome.statistics.states, seconds


def timed(work: Callable[[], T]) -> tuple[float, T]:
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def read(text: str) -> System:
    return lower_all(checked(flatten(parse(Source("bench.mv", text), False))), [])


def table_of_philosophers(n: int) -> str:
    """Each thinks, takes the left fork, takes the right fork, eats; a choice of its own says whether it moves."""
    lines = [".model table", f".mv {', '.join(f'p{i}, n{i}' for i in range(n))} 4 think left both eat"]
    for i in range(n):
        before, after = f"p{(i - 1) % n}", f"p{(i + 1) % n}"
        lines += [f".table -> go{i}", "-", f".table go{i} p{i} {before} {after} -> n{i}", f".default =p{i}"]
        lines += ["1 think (think,left) - left", "1 left - think both", "1 both - - eat", "1 eat - - think"]
        lines += [f".latch n{i} p{i}", f".reset p{i}", "think"]
    return "\n".join([*lines, ".end", ""])


def token_ring(n: int) -> str:
    """Who has the token may change its own value and hand the token on.  One cell has it first."""
    lines = [".model ring", ".inputs change pass", f".mv {', '.join(f'v{i}, n{i}' for i in range(n))} 3"]
    for i in range(n):
        before = (i - 1) % n
        lines += [f".table change t{i} v{i} -> n{i}", f".default =v{i}", "1 1 0 1", "1 1 1 2", "1 1 2 0"]
        lines += [f".table pass t{i} t{before} -> m{i}", f".default =t{i}", f"1 - - =t{before}"]
        lines += [f".latch n{i} v{i}", f".reset v{i}", "0", f".latch m{i} t{i}", f".reset t{i}", str(int(i == 0))]
    return "\n".join([*lines, ".end", ""])


def counters(n: int) -> str:
    """Counters to three, of which each goes on when its neighbour is ahead of it; they start with any values."""
    lines = [".model counters", f".mv {', '.join(f's{i}, n{i}' for i in range(n))} 3", ".inputs go"]
    for i in range(n):
        lines += [f".table go s{i} s{(i - 1) % n} -> n{i}", f".default =s{i}", "1 0 1 1", "1 1 2 2", "1 2 0 0"]
        lines += [f".latch n{i} s{i}", f".reset s{i}", "(0,1,2)"]
    return "\n".join([*lines, ".end", ""])
