"""The symmetries that no edge of an almost symmetric System breaks: of friends [W07, section 8], or of a ring."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import factorial, lcm, prod

from quorbit.detection.commands.rotation import rotation
from quorbit.groups.group import Group, swap
from quorbit.model.system.partitions import Partitions, Rotations, friends

__all__ = ["describe_steps", "group_of_friends", "group_of_ring"]


def group_of_friends(degree: int, partitions: Partitions) -> Group:
    """All exchanges of processes that no edge tells apart."""
    cells = friends(partitions)
    moves = [swap(a, b) for cell in cells for a, b in pairwise(cell)]
    return Group(degree, moves=moves, known_order=prod(factorial(len(cell)) for cell in cells))


def group_of_ring(degree: int, rotations: Rotations) -> Group:
    """The rotations that every edge keeps."""
    n = len(rotations.ring)
    step = lcm(*rotations.steps) % n
    return Group(degree, [rotation(degree, rotations.ring, step)], n // (step or n))


def describe_steps(rotations: Rotations) -> str:
    """By which rotations the edges may be turned."""
    n = len(rotations.ring)
    kept = Counter(n // step for step in rotations.steps)
    said = [f"{count} by {show_order(order)}" for order, count in sorted(kept.items(), reverse=True)]
    return f"the ring of {n} processes is turned only as far as the commands on the path permit: {', '.join(said)}"


def show_order(order: int) -> str:
    return f"C{order}" if order > 1 else "none"
