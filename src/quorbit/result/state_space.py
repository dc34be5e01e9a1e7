"""The states of a System and the moves between them, numbered."""

from __future__ import annotations

from dataclasses import dataclass

from quorbit.model.system import State, System


@dataclass(frozen=True)
class Arrow:
    """A move from one state to another, and what it is called."""

    source: int
    target: int
    label: str


@dataclass(frozen=True)
class StateSpace:
    """``failing``: what goes wrong in which state."""

    system: System
    states: tuple[State, ...]
    initial: tuple[int, ...]
    arrows: tuple[Arrow, ...]
    failing: dict[int, str]
