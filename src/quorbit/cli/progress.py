"""A line on the terminal that shows how far a run is; only after a second, and only where somebody can see it."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import Any

from quorbit.cli.interrupt import Stopper
from quorbit.report.progress import describe_progress
from quorbit.result.outcome import Statistics

__all__ = ["progress_line"]

PATIENCE = 1.0  # seconds of silence


class ProgressLine:
    """Called by the pipeline with the step and the figures so far; answers whether to stop."""

    def __init__(self, stopper: Stopper, step: str = "") -> None:
        self.stopper = stopper
        self.began = time.monotonic()
        self.step, self.last = step, Statistics()
        self.line: Any = None
        self.lock = Lock()
        self.closed = False
        self.timer = Timer(PATIENCE, self.open)
        self.timer.daemon = True

    def __call__(self, step: str, statistics: Statistics) -> bool:
        self.stopper.searching = step == "explore"
        self.step, self.last = step, statistics
        if self.line is not None:
            self.line.update(self.describe())
        return bool(self.stopper.reason)

    def open(self) -> None:
        """Show the line; the library takes a third of a second to import, so only a run that lasts pays for it."""
        from rich.console import Console
        from rich.status import Status

        with self.lock:
            if not self.closed:
                self.line = Status(self.describe(), console=Console(stderr=True))
                self.line.start()

    def close(self) -> None:
        self.timer.cancel()
        self.stopper.searching = False
        with self.lock:
            self.closed = True
            if self.line is not None:
                self.line.stop()

    def describe(self) -> str:
        return describe_progress(self.step, self.last, time.monotonic() - self.began)


@contextmanager
def progress_line(stopper: Stopper, step: str = "") -> Iterator[ProgressLine]:
    """The line while this lasts."""
    line = ProgressLine(stopper, step)
    if sys.stderr.isatty():
        line.timer.start()
    try:
        yield line
    finally:
        line.close()
