"""The processes of a command, as its tests watch them: on a busy machine only their own time says how far they are."""

from __future__ import annotations

import os
import time
from pathlib import Path


def children(pid: int) -> list[int]:
    found = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        found += [int(word) for word in listed.read_text(encoding="ascii").split()]
    return found


def seconds_of(pid: int) -> float:
    """CPU time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def await_work(workers: list[int], seconds: float) -> None:
    """Until they have computed for so long: starting takes most of the first second, and longer on a busy machine."""
    until = time.monotonic() + 60
    while min(map(seconds_of, workers)) < seconds and time.monotonic() < until:
        time.sleep(0.05)


def await_children(pid: int) -> list[int]:
    """The processes that it has started, once there are some."""
    until = time.monotonic() + 60
    while not (found := children(pid)) and time.monotonic() < until:
        time.sleep(0.01)
    return found
