"""And-inverter graphs with the operations of a manager of BDDs that encoding a System asks for.

An edge is a number: twice that of its node, plus 1 if it is negated; node 0 is the constant false.  Equal conjunctions
are one node, but two edges may be different and mean the same function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["Edge", "Gates"]


class Edge:
    """A boolean function; the operators are those of a BDD."""

    __slots__ = ("gates", "number")

    def __init__(self, gates: Gates, number: int) -> None:
        self.gates = gates
        self.number = number

    def __and__(self, other: Edge) -> Edge:
        return Edge(self.gates, self.gates.conjoin(self.number, other.number))

    def __or__(self, other: Edge) -> Edge:
        return Edge(self.gates, self.gates.conjoin(self.number ^ 1, other.number ^ 1) ^ 1)

    def __invert__(self) -> Edge:
        return Edge(self.gates, self.number ^ 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edge) and self.number == other.number

    def __hash__(self) -> int:
        return self.number


class Gates:
    """Owns the nodes of one graph."""

    def __init__(self) -> None:
        self.operands: list[tuple[int, int] | None] = [None]  # of every node; None: the constant, or a variable
        self.known: dict[tuple[int, int], int] = {}
        self.uses = [0]  # of every node: how many others read it
        self.nodes_of_variables: list[int] = []
        self.false, self.true = Edge(self, 0), Edge(self, 1)

    def add_variables(self, count: int) -> range:
        first = len(self.nodes_of_variables)
        for _ in range(count):
            self.nodes_of_variables.append(len(self.operands))
            self.operands.append(None)
            self.uses.append(0)
        return range(first, first + count)

    def variable(self, number: int) -> Edge:
        return Edge(self, 2 * self.nodes_of_variables[number])

    def conjoin(self, a: int, b: int) -> int:
        if a > b:
            a, b = b, a
        if a == 0 or a == b ^ 1:
            return 0
        if a == 1 or a == b:
            return b
        if (a, b) not in self.known:
            self.known[a, b] = 2 * len(self.operands)
            self.operands.append((a, b))
            self.uses.append(0)
            self.uses[a >> 1] += 1
            self.uses[b >> 1] += 1
        return self.known[a, b]

    def choose(self, condition: Edge, then: Edge, otherwise: Edge) -> Edge:
        return (condition & then) | (~condition & otherwise)

    def equivalent(self, f: Edge, g: Edge) -> Edge:
        return ~(f & ~g) & ~(~f & g)

    def conjunction(self, functions: Iterable[Edge]) -> Edge:
        result = self.true
        for f in functions:
            result = result & f
        return result

    def disjunction(self, functions: Iterable[Edge]) -> Edge:
        result = self.false
        for f in functions:
            result = result | f
        return result

    def substitute(self, f: Edge, replacements: Mapping[int, Edge]) -> Edge:
        """The function with other functions for some of its variables."""
        return self.replace(f, {self.nodes_of_variables[v]: g.number for v, g in replacements.items()})

    def replace(self, f: Edge, images: dict[int, int]) -> Edge:
        """The function with other edges for nodes; ``images`` gets those of all nodes that it depends on."""
        images.setdefault(0, 0)
        for n in self.unseen(f.number >> 1, images):
            operands = self.operands[n]
            if operands is None:
                images[n] = 2 * n
            else:
                a, b = operands
                images[n] = self.conjoin(images[a >> 1] ^ a & 1, images[b >> 1] ^ b & 1)
        return Edge(self, images[f.number >> 1] ^ f.number & 1)

    def conjuncts(self, f: Edge) -> set[int]:
        """The edges that f is a conjunction of: variables, negations and the constants."""
        seen = {f.number}
        stack = [f.number]
        found = set()
        while stack:
            edge = stack.pop()
            operands = None if edge & 1 else self.operands[edge >> 1]
            if operands is None:
                found.add(edge)
            else:
                stack += [e for e in operands if e not in seen]
                seen.update(operands)
        return found

    def depends_on(self, f: Edge, variables: Iterable[int]) -> bool:
        """Whether one of the variables is among the nodes below f."""
        below = set(self.unseen(f.number >> 1, {}))
        return any(self.nodes_of_variables[v] in below for v in variables)

    def unseen(self, root: int, known: Mapping[int, object]) -> list[int]:
        """The nodes that one depends on and that are not known, operands first."""
        found = set() if root in known else {root}
        stack = list(found)
        while stack:
            for edge in self.operands[stack.pop()] or ():
                n = edge >> 1
                if n not in found and n not in known:
                    found.add(n)
                    stack.append(n)
        return sorted(found)
