"""Who watches a run: told the step and what is known so far, and asked whether to stop."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.result.outcome import Statistics
from quorbit.source.interrupted import Interrupted

__all__ = ["Interrupted", "Watch", "in_search", "tell"]
Watch = Callable[[str, Statistics], bool]  # told the step and what is known so far; answers whether to stop


def tell(watch: Watch | None, step: str) -> None:
    if watch is not None:
        watch(step, Statistics())


def in_search(watch: Watch | None) -> Callable[[Statistics], bool] | None:
    """Who watches, as an engine sees it."""
    return None if watch is None else lambda statistics: watch("explore", statistics)
