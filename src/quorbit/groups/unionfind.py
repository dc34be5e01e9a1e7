"""Union-find over the numbers 0..n-1; a class is represented by its least member, so results do not depend on the
order in which pairs are united."""

from __future__ import annotations

__all__ = ["UnionFind"]


class UnionFind:
    """Mutable, for use inside one function."""

    def __init__(self, n: int) -> None:
        self.parent = list(range(n))

    def find(self, x: int) -> int:
        parent = self.parent
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    def unite(self, x: int, y: int) -> bool:
        """Whether x and y were apart before."""
        x, y = self.find(x), self.find(y)
        if x != y:
            self.parent[max(x, y)] = min(x, y)
        return x != y

    def classes(self) -> tuple[tuple[int, ...], ...]:
        """All classes, each sorted, by least member."""
        found: dict[int, list[int]] = {}
        for x in range(len(self.parent)):
            found.setdefault(self.find(x), []).append(x)
        return tuple(map(tuple, found.values()))
