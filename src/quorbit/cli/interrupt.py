"""Ctrl-C, SIGTERM and the time limit: the search is asked to stop and says what it knows; any other step is left.

A second signal does not wait for the search.  Once a command answers, the answer is not torn apart: one signal is
ignored, the next ends the process.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from quorbit.cli.supervise import is_supervised, seconds_spent, tell
from quorbit.source.interrupted import Interrupted
from quorbit.source.time_limit import left_to_signals

__all__ = ["stoppable"]

GRACE = 0.5  # seconds a search has to stop by itself; then whatever it does (a long trace) is left
AGAIN = 1.0  # seconds until the run is left once more: Python cannot pass an exception on from everywhere
AT_ONCE = 0.1  # seconds: a terminal and the process that watches this one may both send the same signal
WATCHED = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
UNKNOWN = 3
SHORTEST = 1e-3  # seconds; a timer of 0 never goes off


class Stopper:
    """Whether the run should stop, and why."""

    def __init__(self, timeout: float | None) -> None:
        self.timeout = timeout
        self.reason = ""
        self.searching = False
        self.last: dict[int, float] = dict.fromkeys(WATCHED, -AT_ONCE)

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.is_echo(number):
            return
        again = bool(self.reason)
        self.reason = self.reason or self.describe(number)
        if not again:
            tell("stopping")
        leaves = again or not self.searching
        signal.setitimer(signal.ITIMER_REAL, AGAIN if leaves else GRACE)
        if leaves:
            raise Interrupted(self.reason)

    def is_echo(self, number: int) -> bool:
        before, self.last[number] = self.last[number], time.monotonic()
        return self.last[number] - before < AT_ONCE and number != signal.SIGALRM

    def while_answering(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGALRM or self.is_echo(number):
            return
        if self.reason == "again":
            os._exit(UNKNOWN)
        self.reason = "again"

    def describe(self, number: int) -> str:
        if number == signal.SIGALRM:
            return f"the time limit of {self.timeout:g} s was reached"
        return "terminated" if number == signal.SIGTERM else "interrupted"


@contextmanager
def swallowed_in_silence() -> Iterator[None]:
    """Where Python cannot pass an interruption on (in a destructor) it says so; the next one comes soon."""
    earlier = sys.unraisablehook
    sys.unraisablehook = lambda lost: None if isinstance(lost.exc_value, Interrupted) else earlier(lost)
    try:
        yield
    finally:
        sys.unraisablehook = earlier


@contextmanager
def stoppable(timeout: float | None) -> Iterator[Stopper]:
    """Signals go to the stopper while this lasts; requires the main thread.  What follows is the answer."""
    stopper = Stopper(timeout)
    earlier = {number: signal.signal(number, stopper.on_signal) for number in WATCHED}
    if timeout is not None:
        left = max(SHORTEST, timeout - seconds_spent())
        tell(f"limit {timeout} {left}")
        signal.setitimer(signal.ITIMER_REAL, left)
    try:
        with left_to_signals(), swallowed_in_silence():
            yield stopper
    finally:
        stopper.searching = True  # a signal that comes now is noted
        signal.setitimer(signal.ITIMER_REAL, 0)
        if is_supervised():
            earlier = dict.fromkeys(WATCHED, Stopper(None).while_answering)
        for number, handler in earlier.items():
            signal.signal(number, handler)
        tell("answering")
