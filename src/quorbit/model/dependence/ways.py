"""The ways of a place to the values for which a test holds, and who makes the first step on them.

A test of one place that is false becomes true only if the place goes, value by value, to one for which the test holds;
so whoever makes the first step on such a way has to happen before.  A process at one location comes to another only by
leaving the one where it is.  This leads straight to what can happen in a state, where the last steps
(``Facts.makes_true``) lead back location by location.  It is asked for places that are changed only by those who ask
for their value, like locations; of a variable that anyone may set, the last step says more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quorbit.model.dependence.abstract import Values
from quorbit.model.system.types import Value

__all__ = ["first_steps", "nearest_gates"]

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


def nearest_gates(false: Sequence[int], last: Sequence[int], alone: Mapping[int, int]) -> dict[int, int]:
    """For each of the tests of one place that are false for one value of it: of which cases one must happen before it
    holds, with the ``last`` steps to each test, and the cases that wait for nothing but a test ``alone``.

    The last steps to a test are such cases.  One of them that waits for nothing but another of these tests is replaced
    by what that test needs, and so on: what is left can happen in this state, or waits for something else as well."""
    going_on = sum(alone.get(t, 0) for t in false)
    found = {t: last[t] & ~going_on for t in false}
    before = {t: [u for u in false if last[u] & alone[t]] for t in false if t in alone}
    waiting = list(before)
    while waiting:
        t = waiting.pop()
        for u in before[t]:
            if found[t] & ~found[u]:
                found[u] |= found[t]
                waiting += [u] if u in before else []
    return found
