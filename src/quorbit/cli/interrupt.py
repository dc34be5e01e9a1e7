"""Ctrl-C, SIGTERM and the time limit: the search is asked to stop and says what it knows; any other step is left.

A second signal does not wait for the search.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from quorbit.source.interrupted import Interrupted

GRACE = 0.7  # seconds a search has to stop by itself; then whatever it does (a long trace) is left


class Stopper:
    """Whether the run should stop, and why."""

    def __init__(self, timeout: float | None) -> None:
        self.timeout = timeout
        self.reason = ""
        self.searching = False

    def on_signal(self, number: int, frame: FrameType | None) -> None:
        again = bool(self.reason)
        self.reason = self.reason or self.describe(number)
        if again or not self.searching:
            raise Interrupted(self.reason)
        signal.setitimer(signal.ITIMER_REAL, GRACE)

    def describe(self, number: int) -> str:
        if number == signal.SIGALRM:
            return f"the time limit of {self.timeout:g} s was reached"
        return "terminated" if number == signal.SIGTERM else "interrupted"


@contextmanager
def stoppable(timeout: float | None) -> Iterator[Stopper]:
    """Signals go to the stopper while this lasts; requires the main thread."""
    stopper = Stopper(timeout)
    watched = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
    earlier = {number: signal.signal(number, stopper.on_signal) for number in watched}
    if timeout is not None:
        signal.setitimer(signal.ITIMER_REAL, timeout)
    try:
        yield stopper
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in earlier.items():
            signal.signal(number, handler)
