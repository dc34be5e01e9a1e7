"""The symmetries that each of many questions about one System leaves, for as long as there is time.

What is asked for decides what is a symmetry: G joined with the formulas [M97, 5.5].  The search runs in a process of
its own, so that it ends when it should; what it found by then is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.detection.detect import detect, keeping_the_start
from quorbit.groups.group import Group
from quorbit.model.system.system import Property, System
from quorbit.source.isolate import CAN_FORK, Limits, Send, run_isolated

__all__ = ["groups_of"]

STARVED = 12  # times as long as it computes, the search may last
SHARE = 8  # of the time that is left, it may last a part


def groups_of(
    system: System, questions: Sequence[tuple[Property, ...]], seconds: float, left: float | None = None
) -> list[Group | None]:
    """The group on the atoms that keeps the steps and the properties of each question; None where time ran out: so
    many seconds of computing, and a small share of those that are left.

    Of a circuit the initial states need not be kept: who uses the group starts from their representatives.  They are
    kept where nothing is asked, for then the group is used to carry answers from one formula to another."""
    if not CAN_FORK:
        return [None] * len(questions)

    def work(send: Send) -> None:
        for properties in questions:
            found = detect(system, properties, meant=True)
            group = found.group if system.synchronous and properties else keeping_the_start(system, found)
            send((group.degree, tuple(group.moves)))

    longest = STARVED * seconds if left is None else min(STARVED * seconds, left / SHARE)
    told = run_isolated(work, Limits(longest, seconds)).told
    groups: list[Group | None] = [Group(degree, moves=moves) for degree, moves in told]
    return groups + [None] * (len(questions) - len(groups))
