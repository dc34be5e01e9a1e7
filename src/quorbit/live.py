"""``quorbit.check`` and ``quorbit.symmetry`` as notebooks call them: a line shows how far the run is, and goes when it
ends.  Outside of notebooks, and where the caller watches the run, they are the steps of ``pipeline/run.py``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from quorbit.pipeline import run
from quorbit.pipeline.load import Given
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.steps import Watch
from quorbit.report.progress import describe_progress
from quorbit.report.record import CheckResults, Found
from quorbit.result.outcome import Statistics
from quorbit.source.kernel import kernel_shell

__all__ = ["check", "symmetry"]

EVERY = 0.25  # seconds between two changes of the line


def check(model: Given, options: CheckOptions | None = None, watch: Watch | None = None) -> CheckResults:
    """Answer every question about a model; in a notebook a line shows how far the run is."""
    with watched(watch) as shown:
        return run.check(model, options, shown)


def symmetry(model: Given, options: CheckOptions | None = None, watch: Watch | None = None) -> Found:
    """The symmetry of a model together with the properties asked for; in a notebook a line shows how far the run is."""
    with watched(watch) as shown:
        return run.symmetry(model, options, shown)


@contextmanager
def watched(watch: Watch | None) -> Iterator[Watch | None]:
    """Who watches: the caller, the notebook, or nobody."""
    if watch is not None or kernel_shell() is None:
        yield watch
        return
    line = NotebookLine()
    try:
        yield line
    finally:
        line.close()


class NotebookLine:
    """Told the step and the figures so far by the pipeline; never asks it to stop."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self.step, self.shown = "", 0.0
        self.handle: Any = None

    def __call__(self, step: str, statistics: Statistics) -> bool:
        now = time.monotonic()
        if step != self.step or now - self.shown >= EVERY:
            self.step, self.shown = step, now
            self.show(describe_progress(step, statistics, now - self.began))
        return False

    def show(self, text: str) -> None:
        from IPython.display import display

        data = {"text/html": f"<code>{escape(text)}</code>" if text else "", "text/plain": text}
        if self.handle is None:
            self.handle = display(data, raw=True, display_id=True)
        else:
            self.handle.update(data, raw=True)

    def close(self) -> None:
        """The result shows the figures; the line is no longer needed."""
        if self.handle is not None:
            self.show("")
