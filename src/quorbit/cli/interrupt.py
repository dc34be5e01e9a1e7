"""Ctrl-C, SIGTERM and the time limit: the search is asked to stop and says what it knows; any other step is left.

A second signal does not wait for the search.  Once a command answers, the answer is not torn apart: one signal is
ignored, the next ends the process.  The time limit lasts while the answer is put into words (``Stopper.wording``): what
was found stands then, and a run that takes too long to tell is told in short.
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
from quorbit.source.limits import time_reached
from quorbit.source.time_limit import left_to_signals

__all__ = ["Stopper", "stoppable"]

GRACE = 0.5  # seconds a search has to stop by itself; then whatever it does (a long trace) is left
AGAIN = 1.0  # seconds until the run is left once more: Python cannot pass an exception on from everywhere
AT_ONCE = 0.1  # seconds: a terminal and the process that watches this one may both send the same signal
WATCHED = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
UNKNOWN = 3
SHORTEST = 1e-3  # seconds; a timer of 0 never goes off
WORDING = 1.0  # seconds that there are at least to put an answer into words


class Stopper:
    """Whether the run should stop, and why."""

    def __init__(self, timeout: float | None) -> None:
        self.timeout = timeout
        self.end: float | None = None  # when the time is up, once that is known
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

    @contextmanager
    def wording(self) -> Iterator[None]:
        """Raises Interrupted in the body once the time is up; requires that the run is over and the main thread."""
        if self.end is None:
            yield
            return
        is_over: list[bool] = []

        def leave(number: int, frame: FrameType | None) -> None:
            if not is_over:
                is_over.append(True)
                raise Interrupted(self.describe(signal.SIGALRM))

        earlier = signal.signal(signal.SIGALRM, leave)
        signal.setitimer(signal.ITIMER_REAL, max(WORDING, self.end - time.monotonic()))
        try:
            yield
        finally:
            is_over.append(True)
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, earlier)

    def describe(self, number: int) -> str:
        if number == signal.SIGALRM and self.timeout is not None:
            return time_reached(self.timeout)
        return "interrupted" if number == signal.SIGINT else "terminated"


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
        stopper.end = time.monotonic() + left
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
