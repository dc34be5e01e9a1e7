"""When a search must stop before it is done: limits on states, memory and time, and the user's wish."""

from __future__ import annotations

import time
from collections.abc import Callable

from quorbit.machine.options import SearchOptions
from quorbit.result.outcome import Statistics
from quorbit.source.limits import memory_reached, states_reached, time_reached

Progress = Callable[[Statistics], bool]  # told what is known so far; answers whether to stop
BETWEEN_REPORTS = 0.05  # seconds


class Stopped(Exception):
    """A limit was hit or the user interrupted; the message says which."""


class Clock:
    """Looks at the sizes whenever asked, and at the time now and then."""

    def __init__(self, options: SearchOptions, progress: Progress | None) -> None:
        self.began = self.reported = time.monotonic()
        self.options, self.progress = options, progress

    def tick(self, states: int, memory: int, summarise: Callable[[float], Statistics]) -> None:
        options = self.options
        if options.max_states is not None and states > options.max_states:
            raise Stopped(states_reached(options.max_states))
        if options.memory is not None and memory > options.memory:
            raise Stopped(memory_reached(options.memory))
        now = time.monotonic()
        if now - self.reported < BETWEEN_REPORTS:
            return
        self.reported = now
        if options.timeout is not None and now - self.began > options.timeout:
            raise Stopped(time_reached(options.timeout))
        if self.progress is not None and self.progress(summarise(now - self.began)):
            raise Stopped("interrupted")
