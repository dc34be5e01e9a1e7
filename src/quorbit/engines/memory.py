"""The memory limit, for engines that do not watch their own memory."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from quorbit.engines.engine import Progress
from quorbit.result.outcome import Statistics

__all__ = ["MemoryGuard", "peak_memory"]


class MemoryGuard:
    """Passes reports of progress on, and stops the search when the process holds too much memory."""

    def __init__(self, limit: int | None, progress: Progress) -> None:
        self.limit = limit
        self.progress = progress
        self.exceeded = False

    def __call__(self, statistics: Statistics) -> bool:
        self.exceeded = self.limit is not None and memory_now() > self.limit
        return self.exceeded or self.progress(statistics)


def memory_now() -> int:
    """The memory the process holds now, in bytes; where that is not known, the most it ever held."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return peak_memory()
    return pages * resource.getpagesize()


def peak_memory() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
