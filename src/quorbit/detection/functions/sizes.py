"""How large the expressions of a circuit are: as they stand, and with everything written out that they share."""

from __future__ import annotations

from quorbit.model.system.command import Together
from quorbit.model.system.expression import Expr
from quorbit.model.system.system import System
from quorbit.model.system.walk import parts

__all__ = ["WrittenOut", "has_more_parts", "is_too_large"]

MOST_NODES = 40_000  # of the expressions of a circuit


def is_too_large(system: System) -> bool:
    return has_more_parts(system, MOST_NODES)


def has_more_parts(system: System, most: int) -> bool:
    """Whether the expressions of a circuit have more parts; those that are shared count once."""
    count, seen = 0, set[int]()
    waiting = [d.body for d in system.definitions]
    waiting += [a.value for c in system.commands for s in c.effect if isinstance(s, Together) for a in s.assignments]
    while waiting and count <= most:
        e = waiting.pop()
        if id(e) not in seen:
            seen.add(id(e))
            count += 1
            waiting += parts(e)
    return count > most


class WrittenOut:
    """How large expressions are with everything written out that they share."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[Expr, int]] = {}

    def size(self, e: Expr) -> int:
        known = self.known.get(id(e))
        if known is None:
            known = self.known[id(e)] = (e, 1 + sum(map(self.size, parts(e))))
        return known[1]
