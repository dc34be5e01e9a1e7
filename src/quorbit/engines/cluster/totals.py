"""What is known of a search when a level is complete."""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.engines.cluster.worker import Alone
from quorbit.machine import library
from quorbit.machine.owner import Prepared
from quorbit.source.frozen import frozen

RANK = {library.STUCK: 0, library.BY_MOVE: 1, library.IN_STATE: 2}  # which failure is told: the shortest trace first


@frozen
class Failure:
    """A failing state, as a message, and the level it is on."""

    kind: int
    level: int
    state: bytes


@frozen
class Totals:
    """Sums over the levels up to some level; ``levels`` of them are complete."""

    levels: int = 0
    states: int = 0
    transitions: int = 0
    errors: int = 0
    fired: tuple[int, ...] = ()
    failure: Failure | None = None  # of the first level that has one
    partly: int = 0  # states that were expanded in part


def added(totals: Totals, told: Sequence[Prepared], failure: Failure | None) -> Totals:
    """With what all owners say of one more level."""
    fired = [sum(counts) for counts in zip(*(p.fired for p in told), strict=True)]
    before = totals.fired or (0,) * len(fired)
    found = sum(p.found for p in told)
    return Totals(
        totals.levels + (found > 0),
        totals.states + found,
        totals.transitions + sum(p.transitions for p in told),
        totals.errors + sum(p.errors for p in told),
        tuple(a + b for a, b in zip(before, fired, strict=True)),
        totals.failure or failure,
        totals.partly + sum(p.partly for p in told),
    )


def with_alone(totals: Totals, alone: Alone, failure: Failure | None) -> Totals:
    """With the levels that one worker has committed by itself."""
    before, more = totals.fired or (0,) * len(alone.fired), alone.fired or (0,) * len(totals.fired)
    return Totals(
        totals.levels + len(alone.counts),
        totals.states + sum(alone.counts),
        totals.transitions + alone.transitions,
        totals.errors + alone.errors,
        tuple(a + b for a, b in zip(before, more, strict=True)),
        totals.failure or failure,
        totals.partly + alone.partly,
    )
