"""Wait for a compiler whose run has ended, and keep the library: the next run of the model has it from the start.

A process of its own at the lowest priority: ``python -m quorbit.machine.native.finish TARGET FOLDER PROCESS BIRTH``.
It waits as long as a run would, stops the compiler then, and loads the library before it gives it its name.  The number
of a process that has ended may be given to another one, so the compiler is known by the time it was started too
(``birth`` in build.py); where the system does not tell that, it is waited for and never stopped.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

from quorbit.machine.native.build import LONGEST_COMPILE, birth, keep, loads

POLL = 0.05  # seconds


def finish_later(target: Path, folder: Path, process: int, born: str) -> bool:
    """Whether the library is there now."""
    with suppress(OSError):
        os.nice(19)
        if born and is_running(process, born):
            os.setpriority(os.PRIO_PGRP, process, 19)
    until = time.monotonic() + LONGEST_COMPILE
    while is_running(process, born) and time.monotonic() < until:
        time.sleep(POLL)
    in_time = not is_running(process, born)
    if born and not in_time:
        with suppress(OSError):
            os.killpg(process, signal.SIGKILL)  # its leader is there, so the group is still the compiler's
    return keep(target, folder, in_time and loads(folder))


def is_running(process: int, born: str) -> bool:
    """Whether this very process has not ended, seen from one that is not its parent."""
    if born:
        return birth(process) == born
    try:
        os.kill(process, 0)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    finish_later(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
