"""Processes that this program starts for itself."""

from __future__ import annotations

import os
import signal
import sys

WHEN_PARENT_DIES = 1  # prctl's PR_SET_PDEATHSIG


def end_with(parent: int) -> None:
    """This process dies when the given one, its parent, does; only Linux can do that."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(WHEN_PARENT_DIES, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
