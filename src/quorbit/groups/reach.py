"""How far the group algorithms go before they say that a group is beyond them."""

from __future__ import annotations

__all__ = ["BeyondReach"]

MOST_ROOM = 4 * 10**7  # entries of permutations held at once
MOST_WORK = 3 * 10**8  # entries written by products
MOST_STEPS = 5 * 10**6  # of union-find and the like


class BeyondReach(Exception):
    """The group is too large for an exact answer in reasonable time and room; the answer is then "unknown"."""


def check_room(entries: int) -> None:
    if entries > MOST_ROOM:
        raise BeyondReach(f"a group that needs more than {MOST_ROOM} entries of permutations is too large")


def check_work(entries: int) -> None:
    if entries > MOST_WORK:
        raise BeyondReach(f"a group that needs more than {MOST_WORK} entries of products is too large")


def check_steps(steps: int) -> None:
    if steps > MOST_STEPS:
        raise BeyondReach(f"a group that needs more than {MOST_STEPS} steps is too large")
