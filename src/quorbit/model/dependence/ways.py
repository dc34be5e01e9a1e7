"""The ways of a place to the values for which a test holds, and who makes the first step on them.

A test of one place that is false becomes true only if the place goes, value by value, to one for which the test holds;
so whoever makes the first step on such a way has to happen before.  A process at one location comes to another only by
leaving the one where it is.  This leads straight to what can happen in a state, where the last steps
(``Facts.makes_true``) lead back location by location.  It is asked for places that are changed only by those who ask
for their value, like locations; of a variable that anyone may set, the last step says more.
"""

from __future__ import annotations

from collections.abc import Mapping

from quorbit.model.dependence.abstract import Values
from quorbit.model.system.types import Value

__all__ = ["first_steps"]

Changes = Mapping[tuple[Values, Values], int]  # the cases that write a place, by its values before and after


def first_steps(changes: Changes, possible: frozenset[Value], goal: frozenset[Value]) -> dict[Value, int] | None:
    """For each value outside the goal the cases that make the first step from it on a way to the goal; None if some
    case changes the place whatever its value is."""
    if any(before is None or (before >= possible and len(possible) > 1) for before, _ in changes):
        return None
    rows: dict[tuple[Value, Value], int] = {}
    for (before, after), row in changes.items():
        for v in (before or frozenset()) & possible:
            for w in possible if after is None else after & possible:
                rows[v, w] = rows.get((v, w), 0) | row
    leading = values_that_lead(rows, goal)
    found = dict.fromkeys(possible - goal, 0)
    for (v, w), row in rows.items():
        if v != w and v in found and w in leading:
            found[v] |= row
    return found


def values_that_lead(rows: Mapping[tuple[Value, Value], int], goal: frozenset[Value]) -> frozenset[Value]:
    """The values from which steps may lead to the goal, and the goal."""
    sources: dict[Value, list[Value]] = {}
    for v, w in rows:
        sources.setdefault(w, []).append(v)
    found, waiting = set(goal), list(goal)
    while waiting:
        for v in sources.get(waiting.pop(), ()):
            if v not in found:
                found.add(v)
                waiting.append(v)
    return frozenset(found)
