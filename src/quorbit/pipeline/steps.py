"""Who watches a run, how long each of its steps took, and what a glance at its model has counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from quorbit.groups.moves import Moves
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import System
from quorbit.report.record import Seconds
from quorbit.result.outcome import Statistics
from quorbit.source.frozen import replace
from quorbit.source.interrupted import Interrupted

__all__ = ["Watch"]

Watch = Callable[[str, Statistics], bool]  # told the step and what is known so far; answers whether to stop


class Steps:
    """The steps to an answer: each is told to whoever watches when it begins, and its seconds are added up."""

    def __init__(self, watch: Watch | None = None, parse: float = 0.0) -> None:
        self.watch = watch
        self.parse = parse
        self.reason = ""  # why the run was left
        self.first = time.monotonic()
        self.left = 1  # searches that share the time
        self.counted: list[tuple[System, tuple[Moves, ...], int | None]] = []  # states, one per orbit of these moves
        self.forget()

    def forget(self) -> None:
        self.began = time.monotonic()
        self.spent: dict[str, float] = {}
        self.known = Statistics()

    def begin(self) -> None:
        """The next answer begins, unless the run was left."""
        self.forget()
        if not self.reason and self.watch is not None and self.watch("prepare", Statistics()):
            self.reason = "interrupted"
        if self.reason:
            raise Interrupted(self.reason)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        if self.watch is not None:
            self.watch(name, Statistics())
        began = time.monotonic()
        try:
            yield
        finally:
            self.spent[name] = self.spent.get(name, 0.0) + time.monotonic() - began

    def is_stopped(self, statistics: Statistics) -> bool:
        """Tells what an engine knows so far; answers whether it is to stop."""
        self.known = statistics
        return self.watch is not None and self.watch("explore", statistics)

    def total(self) -> float:
        return self.parse + time.monotonic() - self.began

    def seconds(self, found: Statistics, total: float | None = None) -> Seconds:
        """How long each step took, with what the engine measured; in all as long as is said, or up to now."""
        return Seconds(
            parse=self.parse,
            detect=self.spent.get("specialise", 0.0) + self.spent.get("detect", 0.0),
            classify=self.spent.get("classify", 0.0),
            compile=found.compile_seconds,
            explore=found.explore_seconds,
            total=self.total() if total is None else total,
        )

    def remaining(self, search: SearchOptions) -> SearchOptions:
        """The time limit is for the whole run; what a search does not need of its share, the next ones have."""
        if search.timeout is None:
            return search
        spent = self.parse + time.monotonic() - self.first
        return replace(search, timeout=max(0.0, search.timeout - spent) / self.left)
