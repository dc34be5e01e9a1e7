"""The parts that the Promela texts of model families are made of."""

from __future__ import annotations

from collections.abc import Iterable


def lines(*parts: str | Iterable[str]) -> str:
    """The text of a model from its lines and lists of lines."""
    flat = [[part] if isinstance(part, str) else list(part) for part in parts]
    return "\n".join(line for part in flat for line in part) + "\n"


def start(calls: Iterable[str], *others: str) -> list[str]:
    """An init that starts everything in one step."""
    return ["init {", "  atomic {", *(f"    run {call};" for call in calls), *(f"    {o}" for o in others), "  }", "}"]


def ids(n: int) -> range:
    return range(1, n + 1)
