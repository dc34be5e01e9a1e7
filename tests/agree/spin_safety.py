"""Real SPIN's answer about the safety of a model: its verdict, and its states and transitions where it holds."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

SWITCHES = {"spin": (), "plain": ("-o1", "-o2", "-o3")}
USUAL = ("gcc", "cc")  # what SPIN's users compile with; the first one that is installed
QUICK = (
    "tcc",
    *USUAL,
)  # tcc takes a twentieth of the time, but what C leaves undefined (k / k, overflow) it does its way
FLAGS = ("-w", "-DSAFETY", "-DNOREDUCE", "-DNOCLAIM", "-DVECTORSZ=8192", "-o", "pan", "pan.c")
RUN = ("./pan", "-m100000", "-w18", "-c0")  # 2^18 places in its table: to clear more takes longer than most searches
REFUSED, TOO_LONG = "refused", "too long"


@dataclass(frozen=True)
class Answer:
    """verdict: holds, fails, refused, or too long."""

    verdict: str
    states: int = 0
    transitions: int = 0


def is_installed() -> bool:
    return shutil.which("spin") is not None and any(map(shutil.which, USUAL))


def compiles(folder: Path, compilers: tuple[str, ...]) -> bool:
    name = next(name for name in compilers if shutil.which(name))
    return subprocess.run((name, *FLAGS), cwd=folder, check=False, capture_output=True).returncode == 0


def ask_spin(
    model: Path, folder: Path, count_like: str, compilers: tuple[str, ...] = USUAL, seconds: float = 20.0
) -> Answer:
    """The verifier goes on after an error with what happens to be in its memory; a crash is an error too."""
    made = subprocess.run(
        ["spin", "-a", *SWITCHES[count_like], str(model)], cwd=folder, check=False, capture_output=True, text=True
    )
    refuses = made.returncode != 0 or "Error:" in made.stdout + made.stderr
    if refuses or not compiles(folder, compilers):
        return Answer(REFUSED)
    try:
        ran = subprocess.run(RUN, cwd=folder, check=False, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return Answer(TOO_LONG)
    if "search depth too small" in ran.stdout:
        return Answer(TOO_LONG)
    found = [re.search(p, ran.stdout) for p in (r"errors: (\d+)", r"(\d+) states, stored", r"(\d+) transitions")]
    errors, states, transitions = (int(match[1]) if match else -1 for match in found)
    if errors == 0 and ran.returncode == 0:
        return Answer("holds", states, transitions)
    return Answer("fails") if errors > 0 or ran.returncode < 0 else Answer(REFUSED)
