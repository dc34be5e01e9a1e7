"""Wait for a compiler whose run has ended, and keep the library: the next run of the model has it from the start.

A process of its own at the lowest priority: ``python -m quorbit.machine.native.finish TARGET FOLDER PROCESS``.  It
waits as long as a run would, stops the compiler then, and loads the library before it gives it its name.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from quorbit.machine.native.build import LONGEST_COMPILE, keep, loads

POLL = 0.05  # seconds


def finish_later(target: Path, folder: Path, process: int) -> bool:
    """Whether the library is there now."""
    lower_priority(process)
    until = time.monotonic() + LONGEST_COMPILE
    while is_running(process) and time.monotonic() < until:
        time.sleep(POLL)
    in_time = not is_running(process)
    if not in_time:
        with suppress(OSError):
            os.killpg(process, signal.SIGKILL)
    return keep(target, folder, in_time and loads(folder))


def lower_priority(process: int) -> None:
    with suppress(OSError):
        os.nice(19)
        os.setpriority(os.PRIO_PGRP, process, 19)


def is_running(process: int) -> bool:
    """Whether a process has not ended, seen from one that is not its parent."""
    try:
        os.kill(process, 0)
        state = (
            Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0]
        )
    except ProcessLookupError:
        return False
    except (OSError, IndexError):
        return Path("/proc/self").exists() is False  # without /proc only the signal tells
    return state != "Z"


if __name__ == "__main__":
    finish_later(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
