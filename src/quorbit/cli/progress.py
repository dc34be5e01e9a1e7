"""A line on the terminal that shows how far a run is; only after a second, and only where somebody can see it."""

from __future__ import annotations

import sys
import time
from typing import Any

from quorbit.cli.interrupt import Stopper
from quorbit.result.outcome import Statistics

PATIENCE = 1.0  # seconds of silence


class ProgressLine:
    """Called by the pipeline with the step and the figures so far; answers whether to stop."""

    def __init__(self, stopper: Stopper) -> None:
        self.stopper = stopper
        self.began = time.monotonic()
        self.line: Any = None
        self.last = Statistics()

    def __call__(self, step: str, statistics: Statistics) -> bool:
        self.stopper.searching = step == "explore"
        self.last = statistics
        if sys.stderr.isatty() and time.monotonic() - self.began > PATIENCE:
            self.show(step, statistics)
        return bool(self.stopper.reason)

    def show(self, step: str, statistics: Statistics) -> None:
        if self.line is None:
            # rich takes a third of a second to import, so only a run that lasts pays for it
            from rich.console import Console
            from rich.status import Status

            self.line = Status("", console=Console(stderr=True))
            self.line.start()
        self.line.update(describe(step, statistics, time.monotonic() - self.began))

    def close(self) -> None:
        self.stopper.searching = False
        if self.line is not None:
            self.line.stop()


def describe(step: str, statistics: Statistics, elapsed: float) -> str:
    if step != "explore":
        return f"{step} ... {elapsed:.0f} s"
    rate = statistics.states / elapsed if elapsed else 0
    figures = f"{statistics.states:,} states, {statistics.transitions:,} transitions, depth {statistics.depth}"
    return f"{figures}, {rate:,.0f} states/s, {elapsed:.0f} s"
