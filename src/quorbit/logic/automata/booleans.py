"""Boolean functions of the propositions of one formula: small reduced ordered decision diagrams.

Guards of automata are such functions while an automaton is built and made smaller; a function is a number, equal
functions are equal numbers, and 0 and 1 are false and true.  At the end a guard is written as *cubes*: pairs of bit
masks (propositions that hold, propositions that do not).
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["FALSE", "TRUE", "Booleans"]

FALSE, TRUE = 0, 1
Cube = tuple[int, int]
TERMINAL = 1 << 30  # the level of the two constants, below all variables


class Booleans:
    """A table of shared nodes (variable, value if it is false, value if it is true)."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, int, int]] = [(TERMINAL, 0, 0), (TERMINAL, 1, 1)]
        self.numbers: dict[tuple[int, int, int], int] = {}
        self.known: dict[tuple[int, int, int], int] = {}

    def variable(self, index: int) -> int:
        return self.node(index, FALSE, TRUE)

    def node(self, variable: int, low: int, high: int) -> int:
        if low == high:
            return low
        key = (variable, low, high)
        if key not in self.numbers:
            self.numbers[key] = len(self.nodes)
            self.nodes.append(key)
        return self.numbers[key]

    def choose(self, f: int, g: int, h: int) -> int:
        """g where f holds, h elsewhere."""
        if f == TRUE or g == h:
            return g
        if f == FALSE:
            return h
        if g == TRUE and h == FALSE:
            return f
        key = (f, g, h)
        if key not in self.known:
            top = min(self.nodes[f][0], self.nodes[g][0], self.nodes[h][0])
            low = self.choose(self.branch(f, top, 1), self.branch(g, top, 1), self.branch(h, top, 1))
            high = self.choose(self.branch(f, top, 2), self.branch(g, top, 2), self.branch(h, top, 2))
            self.known[key] = self.node(top, low, high)
        return self.known[key]

    def branch(self, f: int, variable: int, side: int) -> int:
        node = self.nodes[f]
        return node[side] if node[0] == variable else f

    def both(self, f: int, g: int) -> int:
        return self.choose(f, g, FALSE) if f <= g else self.choose(g, f, FALSE)

    def either(self, f: int, g: int) -> int:
        return self.choose(f, TRUE, g) if f <= g else self.choose(g, TRUE, f)

    def negation(self, f: int) -> int:
        return self.choose(f, FALSE, TRUE)

    def without(self, f: int, g: int) -> int:
        """Where f holds and g does not."""
        return self.choose(g, FALSE, f)

    def implies(self, f: int, g: int) -> bool:
        return f in (FALSE, g) or g == TRUE or self.without(f, g) == FALSE

    def holds(self, f: int, letter: int) -> bool:
        """Whether f is true when exactly the propositions in the bit mask hold."""
        while f > TRUE:
            variable, low, high = self.nodes[f]
            f = high if letter >> variable & 1 else low
        return f == TRUE

    def cubes(self, f: int) -> Iterator[Cube]:
        """An irredundant cover of f by cubes (Minato's method): few of them, and each as wide as it can be."""
        cover, _ = self.cover(f, f)
        return iter(cover)

    def cover(self, lower: int, upper: int) -> tuple[list[Cube], int]:
        """Cubes whose union lies between lower and upper, and that union."""
        if lower == FALSE:
            return [], FALSE
        if upper == TRUE:
            return [(0, 0)], TRUE
        top = min(self.nodes[lower][0], self.nodes[upper][0])
        low, low_upper = self.branch(lower, top, 1), self.branch(upper, top, 1)
        high, high_upper = self.branch(lower, top, 2), self.branch(upper, top, 2)
        negative, covered_low = self.cover(self.without(low, high_upper), low_upper)
        positive, covered_high = self.cover(self.without(high, low_upper), high_upper)
        rest = self.either(self.without(low, covered_low), self.without(high, covered_high))
        free, covered = self.cover(rest, self.both(low_upper, high_upper))
        cubes = [(p, n | 1 << top) for p, n in negative] + [(p | 1 << top, n) for p, n in positive] + free
        return cubes, self.either(covered, self.node(top, covered_low, covered_high))
