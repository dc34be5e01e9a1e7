"""Whole commands beside SPIN's pan on models as they are, symmetry and partial order off, with equal counts.

Our own benchmark models and, with ``python -m benchmarks public DIR ...`` or ``make bench MODELS=DIR``, every Promela
model below a folder; with ``python -m benchmarks public FILE ...`` these models only.  User CPU of whole processes, the
best of three runs that take turns: ours with native code from the cache (warm), ours in bytecode, ours with an empty
cache (cold), pan alone, and spin, gcc and pan together.  Of our search alone only user and kernel time together are
known: they are compared with both of pan's.  pan is compiled with -O2 -DSAFETY -DNOREDUCE and gets the depth (-m) that
it needs and no more.  Memory is the largest resident set of the process.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from compileall import compile_dir
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import quorbit
from benchmarks.rows import Row, row

MODELS = Path(__file__).parent / "models"
OWN = ((MODELS / "peterson.pml", ("N=5",)), (MODELS / "mail.pml", ("N=3", "CAPACITY=3")))
PAN_FLAGS = ("-O2", "-DSAFETY", "-DNOREDUCE", "-w")
RUNS = 3
LONGEST = 300  # seconds for one run; a model that takes longer is left out
OPTIONS = ("--symmetry", "off", "--por", "off", "--count-like", "spin", "--property", "safety", "--json")


@dataclass(frozen=True)
class Used:
    """What one process has used: user CPU seconds, those of the kernel, bytes of its largest resident set, and what it
    said."""

    seconds: float
    kernel: float
    memory: int
    text: str


@dataclass(frozen=True)
class Compared:
    """One model: the best runs."""

    name: str
    vector: int  # bytes of pan's state
    states: int
    bytes_per_state: float
    warm: Used
    bytecode: Used
    cold: Used
    pan: Used
    collapse: Used
    compiling: float  # seconds of spin and gcc
    search: float  # user and kernel seconds of the warm search without reading the model and starting up

    @property
    def search_ratio(self) -> float:
        return (self.pan.seconds + self.pan.kernel) / self.search


def run(paths: tuple[str, ...] = ()) -> list[Row]:
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        return [row("spin or gcc is not installed: nothing to compare with", 0, "")]
    compile_dir(str(Path(quorbit.__file__).parent), quiet=2)  # as an installation does
    found = []
    for file, defines in models_in(paths):
        if (each := compared(file, defines)) is not None:
            found.append(each)
            print(f"{each.name}: {each.pan.seconds / each.warm.seconds:.2f}", file=sys.stderr, flush=True)
    return [*(line for each in found for line in rows_of(each)), *medians(found)]


def models_in(paths: tuple[str, ...]) -> Iterator[tuple[Path, tuple[str, ...]]]:
    """What is named; our own models too, unless single models are."""
    if all(map(os.path.isdir, paths)):
        yield from OWN
    for path in map(Path, paths):
        yield from ((file, ()) for file in (sorted(path.rglob("*.pml")) if path.is_dir() else (path,)))


def rows_of(c: Compared) -> Iterator[Row]:
    name = f"{c.name} ({c.states:,} states of {c.vector} bytes)"
    yield row(f"{name}: pan", c.pan.seconds, "s user")
    yield row(f"{name}: pan / ours, native, warm", c.pan.seconds / c.warm.seconds, "times")
    yield row(f"{name}: pan / our search alone, native, warm, user and kernel", c.search_ratio, "times")
    yield row(f"{name}: pan / ours, bytecode", c.pan.seconds / c.bytecode.seconds, "times")
    yield row(
        f"{name}: spin + gcc + pan / ours, cold", (c.compiling + c.pan.seconds) / c.cold.seconds, "times", least=1
    )
    yield row(f"{name}: resident set, ours / pan", c.warm.memory / c.pan.memory, "times", most=0.5)
    yield row(f"{name}: resident set, ours / pan -DCOLLAPSE", c.warm.memory / c.collapse.memory, "times")
    yield row(f"{name}: bytes per state", c.bytes_per_state, "bytes")


def medians(found: list[Compared]) -> Iterator[Row]:
    for what, least, ratios in (
        ("native, warm", 5, [c.pan.seconds / c.warm.seconds for c in found]),
        ("search alone, native, warm, user and kernel", 5, [c.search_ratio for c in found]),
        ("bytecode", 2, [c.pan.seconds / c.bytecode.seconds for c in found]),
    ):
        if ratios:
            yield row(f"{len(ratios)} models: pan / ours, {what}: median", median(ratios), "times", least=least)
            yield row(f"{len(ratios)} models: pan / ours, {what}: least", min(ratios), "times")


def compared(file: Path, defines: tuple[str, ...]) -> Compared | None:
    """None where a side cannot say how many states there are, or they differ: then times say nothing."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            pan, compiling = build_pan(file, defines, folder, "pan", PAN_FLAGS)
            collapse, _ = build_pan(file, defines, folder, "collapse", (*PAN_FLAGS, "-DCOLLAPSE"))
            cache = os.path.join(folder, "cache")
            command = [sys.executable, "-m", "quorbit", "check", str(file), *OPTIONS]
            command += [word for each in defines for word in ("-D", each)]
            measure(warming(command), cache)
            turns = [
                (measure(command, cache), measure([*command, "--no-native"], cache), measure(pan)) for _ in range(RUNS)
            ]
            warm, bytecode, alone = (min(runs, key=lambda u: u.seconds) for runs in zip(*turns, strict=True))
            cold = min((measure(command, f"{cache}{k}") for k in range(RUNS)), key=lambda u: u.seconds)
            squeezed = measure(collapse)
        except (subprocess.SubprocessError, OSError, ValueError) as problem:
            print(f"{file}: left out: {type(problem).__name__}: {problem}", file=sys.stderr)
            return None
    theirs = counts_of_pan(alone.text)
    answers = [json.loads(each.text) for each in (warm, bytecode, cold)]
    if any((each["states"], each["transitions"]) != theirs for each in answers):
        print(
            f"{file}: left out: pan {theirs}, ours {answers[0]['states'], answers[0]['transitions']}", file=sys.stderr
        )
        return None
    vector = int(found_in(r"State-vector (\d+)", alone.text))
    name = " ".join((file.stem, *defines))
    each = answers[0]["memory_bytes"] / answers[0]["states"]
    return Compared(
        name,
        vector,
        theirs[0],
        each,
        warm,
        bytecode,
        cold,
        alone,
        squeezed,
        compiling,
        answers[0]["seconds"]["explore"],
    )


def warming(command: list[str]) -> list[str]:
    """The command that fills the cache for this one."""
    return ["compile" if word == "check" else word for word in command]


def build_pan(
    file: Path, defines: tuple[str, ...], folder: str, name: str, flags: tuple[str, ...]
) -> tuple[list[str], float]:
    """The command of a verifier with the depth that it needs, and the seconds that it took to make it."""
    given = [f"-D{each}" for each in defines]
    spin = measure(["spin", "-a", *given, str(file.resolve())], folder=folder)
    gcc = measure(["gcc", *flags, "-o", name, "pan.c"], folder=folder)
    program, depth = os.path.join(folder, name), 10_000
    while "max search depth too small" in (text := measure([program, f"-m{depth}"], folder=folder).text):
        depth *= 10
    needed = int(found_in(r"depth reached (\d+)", text)) + 10
    return [program, f"-m{needed}"], spin.seconds + gcc.seconds


def counts_of_pan(text: str) -> tuple[int, int]:
    return int(float(found_in(r"([\d.e+]+) states, stored", text))), int(
        float(found_in(r"([\d.e+]+) transitions", text))
    )


def found_in(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    if found is None:
        raise ValueError("pan has not told its counts")
    return found[1]


def measure(command: list[str], cache: str | None = None, folder: str | None = None) -> Used:
    """A process on its own account: only what it and those it waits for have used."""
    environment = dict(os.environ) if cache is None else {**os.environ, "XDG_CACHE_HOME": cache}
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, cwd=folder, env=environment)
        used = waited(process)
        out.seek(0)
        return Used(*used, out.read())


def waited(process: subprocess.Popen[bytes]) -> tuple[float, float, int]:
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        number, status, usage = os.wait4(process.pid, os.WNOHANG)
        if number:
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode not in (0, 1, 3):
                raise ValueError(f"{process.args} ended with {process.returncode}")  # type: ignore[str-bytes-safe]
            return usage.ru_utime, usage.ru_stime, usage.ru_maxrss * 1024
        time.sleep(0.01)
    process.kill()
    process.wait()
    raise ValueError(f"took longer than {LONGEST} s")
