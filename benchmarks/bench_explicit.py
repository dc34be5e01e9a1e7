"""The explicit engine beside SPIN's pan on equal models with equal counts.

CPU time of the search on both sides, measured in the same run.  The native code is compiled before (warm), as pan is.
SPIN is left out where it is not installed; then only our own figures are shown.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from compileall import compile_dir
from pathlib import Path

import quorbit
from benchmarks.models.systems import mail, peterson
from benchmarks.rows import Row, row, search, warm
from quorbit.engines.explicit.explore import explore
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import System

MODELS = Path(__file__).parent / "models"
EXAMPLES = Path(__file__).parents[1] / "examples"
WHOLE_COMMANDS = (
    ("peterson 4 (20,184 states)", MODELS / "peterson.pml", "-D", "N=4", "--symmetry", "off"),
    ("peterson 5 (6,039 orbits)", MODELS / "peterson.pml", "-D", "N=5"),
    ("peterson step by step (12,706 orbits)", EXAMPLES / "promela" / "peterson_step_by_step.pml"),
    ("floors (4,367 orbits)", EXAMPLES / "promela" / "floors.pml"),
    ("seat booking (2,198 states)", EXAMPLES / "b" / "SeatBooking.mch", "--symmetry", "off"),
    ("token ring of 9 (768 orbits)", EXAMPLES / "token_ring.edges", "-D", "n=9"),
)
PAN_FLAGS = ("-O2", "-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-w")


def run() -> list[Row]:
    return [*beside_pan(), *whole_command()]


def beside_pan() -> Iterator[Row]:
    cases = (
        ("peterson 5", peterson(5), "peterson.pml", ("-DN=5",), 4),
        ("mail 3 3", mail(3, 3), "mail.pml", ("-DN=3", "-DCAPACITY=3"), 8),
        ("peterson 6", peterson(6), "peterson.pml", ("-DN=6",), 6),
    )
    for name, system, file, defines, times in cases:
        warm(system)
        native, native_bytes = search(system, SearchOptions())
        bytecode, _ = search(system, SearchOptions(native=False))
        yield row(f"{name}: exploration, native", native, "s CPU")
        yield row(f"{name}: exploration, bytecode", bytecode, "s CPU")
        yield row(f"{name}: memory", native_bytes, "bytes/state", most=36 if name == "peterson 6" else None)
        theirs = pan(MODELS / file, defines, system) if shutil.which("spin") and shutil.which("gcc") else None
        if theirs is not None:
            search_cpu, total = theirs
            yield row(f"{name}: pan", search_cpu, "s CPU")
            yield row(f"{name}: pan / ours, native", search_cpu / native, "times", least=times)
            yield row(f"{name}: pan / ours, bytecode", search_cpu / bytecode, "times", least=2)
            ratio = total / from_start(system)
            yield row(f"{name}: spin + gcc + pan / ours from process start", ratio, "times", least=4)


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


def whole_command() -> Iterator[Row]:
    """Models of 10^3 to some 10^4 states, from the text to the answer."""
    compile_dir(str(Path(quorbit.__file__).parent), quiet=2)  # as an installation does
    for name, model, *options in WHOLE_COMMANDS:
        command = [sys.executable, "-m", "quorbit", "check", str(model), *options]
        used = []
        for _ in range(3):
            began = children()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            used.append(children() - began)
        yield row(f"{name}: the whole command", min(used), "s CPU", most=0.3)
