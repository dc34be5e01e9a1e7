"""How far the group algorithms go before they say that a group is beyond them."""

from __future__ import annotations

MOST_ROOM = 10**8  # entries of transversal elements held at once
MOST_WORK = 5 * 10**8  # entries written by products


class BeyondReach(Exception):
    """The group is too large for an exact answer in reasonable time and room; the answer is then "unknown"."""
