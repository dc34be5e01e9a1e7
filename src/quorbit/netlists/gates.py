"""And-inverter graphs: conjunctions of two and negations, equal ones shared, constants folded away.

A `Signal` is a literal of the graph: twice the number of a node, plus one for its negation; node 0 is false.
Nodes come after what they read.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Gates", "Signal"]


class Signal:
    """A literal, with the operators of boolean functions."""

    __slots__ = ("gates", "literal")

    def __init__(self, gates: Gates, literal: int) -> None:
        self.gates = gates
        self.literal = literal

    def __and__(self, other: Signal) -> Signal:
        return Signal(self.gates, self.gates.conjoin(self.literal, other.literal))

    def __or__(self, other: Signal) -> Signal:
        return ~(~self & ~other)

    def __invert__(self) -> Signal:
        return Signal(self.gates, self.literal ^ 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signal) and self.literal == other.literal

    def __hash__(self) -> int:
        return self.literal


class Gates:
    """A growing graph; a node is None (a variable, or false) or the two literals it conjoins, the larger first."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, int] | None] = [None]
        self.known: dict[tuple[int, int], int] = {}
        self.false, self.true = Signal(self, 0), Signal(self, 1)

    def add_variables(self, count: int) -> range:
        """The numbers of their nodes."""
        first = len(self.nodes)
        self.nodes += [None] * count
        return range(first, first + count)

    def variable(self, number: int) -> Signal:
        return Signal(self, 2 * number)

    def conjunction(self, functions: Iterable[Signal]) -> Signal:
        result = self.true
        for f in functions:
            result = result & f
        return result

    def disjunction(self, functions: Iterable[Signal]) -> Signal:
        return ~self.conjunction(~f for f in functions)

    def conjoin(self, a: int, b: int) -> int:
        a, b = max(a, b), min(a, b)
        if b == 0 or a == b ^ 1:
            return 0
        if b == 1 or a == b:
            return a
        if (a, b) not in self.known:
            self.known[a, b] = 2 * len(self.nodes)
            self.nodes.append((a, b))
        return self.known[a, b]

    def cone(self, roots: Iterable[Signal]) -> list[int]:
        """The conjunctions some signals depend on, each after those it reads."""
        found: set[int] = set()
        waiting = [root.literal >> 1 for root in roots]
        while waiting:
            node = waiting.pop()
            read = self.nodes[node]
            if read is not None and node not in found:
                found.add(node)
                waiting += [literal >> 1 for literal in read]
        return sorted(found)
