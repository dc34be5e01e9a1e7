"""The states of a System and the moves between them, numbered."""

from __future__ import annotations

from quorbit.model.system.system import State, System
from quorbit.source.frozen import frozen

__all__ = ["Arrow", "StateSpace"]


@frozen
class Arrow:
    """A move from one state to another, and what it is called."""

    source: int
    target: int
    label: str


@frozen
class StateSpace:
    """``failing``: what goes wrong in which state."""

    system: System
    states: tuple[State, ...]
    initial: tuple[int, ...]
    arrows: tuple[Arrow, ...]
    failing: dict[int, str]
