"""Processes that this program starts for itself."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

__all__ = ["age_of", "end_with"]

WHEN_PARENT_DIES = 1  # prctl's PR_SET_PDEATHSIG


def age_of(process: int) -> float:
    """How many seconds ago it was started; 0 where that is not known."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


def end_with(parent: int) -> None:
    """This process dies when the given one, its parent, does; only Linux can do that."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(WHEN_PARENT_DIES, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
