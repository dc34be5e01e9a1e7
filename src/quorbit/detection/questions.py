"""The symmetries that each of many questions about one System leaves, for as long as there is time.

What is asked for decides what is a symmetry: G joined with the formulas [M97, 5.5].  The search runs in a process of
its own, so that it ends when it should; what it found by then is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.detection.any_start import beyond_the_start
from quorbit.detection.detect import detect
from quorbit.groups.group import Group
from quorbit.model.system.system import Property, System
from quorbit.source.isolate import CAN_FORK, Limits, Send, run_isolated

__all__ = ["groups_of"]

STARVED = 4  # times as long as it computes, the search may last


def groups_of(system: System, questions: Sequence[tuple[Property, ...]], seconds: float) -> list[Group | None]:
    """The group on the atoms that keeps the steps and the properties of each question; None where time ran out.

    Of a circuit the initial states need not be kept: who uses the group starts from their representatives."""
    if not CAN_FORK:
        return [None] * len(questions)

    def work(send: Send) -> None:
        for properties in questions:
            found = detect(system, properties)
            group = (beyond_the_start(system, found) if system.synchronous else found).group
            send((group.degree, tuple(group.moves)))

    told = run_isolated(work, Limits(STARVED * seconds, seconds)).told
    groups: list[Group | None] = [Group(degree, moves=moves) for degree, moves in told]
    return groups + [None] * (len(questions) - len(groups))
