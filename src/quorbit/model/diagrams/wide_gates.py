"""Gates of more than two inputs in an and-inverter graph: a node that one other node reads is part of that one.

A conjunction of conjunctions is one wide conjunction.  ``~(c & ~t) & ~(~c & ~e)`` is a choice: t where c, else e; an
exclusive or is a choice, too.  Who writes functions out, as clauses or otherwise, so needs fewer names for them.
"""

from __future__ import annotations

from quorbit.model.diagrams.gates import Gates
from quorbit.source.frozen import frozen

__all__ = ["Choice", "WideGates"]


@frozen
class Choice:
    """``then`` where the condition is true, else ``otherwise``; all of them edges."""

    condition: int
    then: int
    otherwise: int


class WideGates:
    """What the nodes of a graph are; how often one is read is known when it is asked for first."""

    def __init__(self, gates: Gates) -> None:
        self.gates = gates
        self.known: dict[int, Choice | tuple[int, ...] | None] = {}
        self.read: dict[int, tuple[int, ...]] = {}

    def of(self, n: int) -> Choice | tuple[int, ...] | None:
        """The operands of a conjunction, or a choice; None: the constant, or a variable."""
        if n not in self.known:
            self.known[n] = self.choice(n) or self.conjunction(n)
        return self.known[n]

    def inputs(self, n: int) -> tuple[int, ...]:
        """The edges that a node is a function of."""
        if (known := self.read.get(n)) is None:
            found = self.of(n)
            known = (found.condition, found.then, found.otherwise) if isinstance(found, Choice) else found or ()
            self.read[n] = known
        return known

    def choice(self, n: int) -> Choice | None:
        a, b = self.gates.operands[n] or (0, 0)
        if not (a & 1 and b & 1 and self.is_inner(a) and self.is_inner(b)):
            return None
        left, right = self.gates.operands[a >> 1] or (0, 0), self.gates.operands[b >> 1] or (0, 0)
        for x, other in (left, left[::-1]):
            for y, another in (right, right[::-1]):
                if x == y ^ 1:
                    return Choice(x, other ^ 1, another ^ 1)
        return None

    def conjunction(self, n: int) -> tuple[int, ...] | None:
        if self.gates.operands[n] is None:
            return None
        found: dict[int, None] = {}
        stack = [2 * n]
        while stack:
            edge = stack.pop()
            operands = self.gates.operands[edge >> 1]
            if operands is not None and (edge == 2 * n or self.is_part(edge)):
                stack += operands[::-1]
            else:
                found[edge] = None
        return tuple(found)

    def is_part(self, edge: int) -> bool:
        """Whether an edge that a conjunction reads is a part of it."""
        return not edge & 1 and self.is_inner(edge) and self.choice(edge >> 1) is None

    def is_inner(self, edge: int) -> bool:
        """Whether an edge leads to a conjunction that nothing else reads."""
        return self.gates.uses[edge >> 1] == 1 and self.gates.operands[edge >> 1] is not None
