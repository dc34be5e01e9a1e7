"""The words for a limit that ended a search; every engine says them alike."""

from __future__ import annotations

__all__ = ["depth_reached", "memory_reached", "states_reached", "time_reached"]


def time_reached(seconds: float | None) -> str:
    assert seconds is not None, "without a limit none is reached"
    return f"the time limit of {seconds:g} s was reached"


def memory_reached(limit: int | None) -> str:
    """None: that of the machine."""
    return "the memory limit was reached" if limit is None else f"the memory limit of {limit} bytes was reached"


def depth_reached(limit: int | None) -> str:
    return f"the depth limit of {limit} was reached"


def states_reached(limit: int | None) -> str:
    return f"the limit of {limit} states was reached"
