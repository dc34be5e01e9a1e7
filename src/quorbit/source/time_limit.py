"""A time limit for whatever this thread does, wherever it is.

The searches look at the clock themselves and end with what they know.  What they do not cover (reading, detection, a
long trace) is left by an exception that a timer sets in the thread, a moment after the limit.  It needs no signals, so
it serves in every thread of a program that uses this package.  A run is left once: the command line, which ends its
runs by signals, says so, and nothing is set then.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer, get_ident

from quorbit.source.interrupted import Interrupted
from quorbit.source.limits import time_reached

__all__ = ["TimeIsUp", "left_to_signals", "time_limit"]

GRACE = 0.5  # seconds for a search to end by itself
_by_signals: set[int] = set()  # threads whose runs are ended by signals


class TimeIsUp(Interrupted):
    """The time limit was reached."""


@contextmanager
def left_to_signals() -> Iterator[None]:
    """While this lasts, a signal ends the runs of this thread when their time is up.  Two that say so at about the same
    moment would leave no moment to keep what is known."""
    _by_signals.add(get_ident())
    try:
        yield
    finally:
        _by_signals.discard(get_ident())


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raises TimeIsUp in the body, or on leaving it, once the time is over."""
    thread, lock = get_ident(), Lock()
    if seconds is None or thread in _by_signals:
        yield
        return
    is_done: list[bool] = []

    class Over(TimeIsUp):
        def __str__(self) -> str:
            return time_reached(seconds)

    def interrupt() -> None:
        import ctypes

        with lock:
            if not is_done:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Over))

    timer = Timer(seconds + GRACE, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            is_done.append(True)
        timer.cancel()
