"""The fixpoints of CTL with fairness [Emerson, Lei 1986; Fisler et al. 2001], over a relation given by its preimage.

A fixpoint that is interrupted by the clock goes on from where it was when it is asked for again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quorbit.bdd.function import Manager
from quorbit.engines.symbolic.reach import Clock
from quorbit.model.diagrams.cases import Bdd
from quorbit.source.frozen import field, frozen

__all__ = ["Structure"]

Pass = tuple[Bdd, Bdd, int]  # what a look at all fair sets began with, what is left, and how many were looked at


@frozen
class Structure:
    """States, a relation on them (by its preimage) and sets that fair paths visit infinitely often."""

    m: Manager
    universe: Bdd
    preimage: Callable[[Bdd], Bdd]
    clock: Clock
    searched: dict[tuple[Bdd, Bdd], tuple[Bdd, Bdd]] = field(default_factory=dict)  # E[.. U ..] so far: all, last ring
    narrowed: dict[Bdd, Bdd] = field(default_factory=dict)  # what is left so far of sets in which paths may end
    passes: dict[tuple[Bdd, ...], Pass] = field(default_factory=dict)  # by the set and its fairness

    def ex(self, target: Bdd) -> Bdd:
        return self.preimage(target) & self.universe

    def eu(self, through: Bdd, target: Bdd) -> Bdd:
        """E[through U target]."""
        first = target & self.universe
        found, ring = self.searched.get((through, target), (first, first))
        while ring != self.m.false:
            self.searched[through, target] = found, ring
            self.clock.tick()
            ring = self.ex(self.simpler(ring, found)) & through & ~found
            found = found | ring
        self.searched.pop((through, target), None)
        return found

    def eu_rings(self, through: Bdd, target: Bdd, start: Bdd) -> list[Bdd]:
        """The rings of E[through U target] up to the first that meets ``start``; the first ring is the target."""
        found = ring = target & self.universe
        rings = [ring]
        while ring != self.m.false and ring & start == self.m.false:
            self.clock.tick()
            ring = self.ex(self.simpler(ring, found)) & through & ~found
            found = found | ring
            rings.append(ring)
        return rings

    def simpler(self, ring: Bdd, found: Bdd) -> Bdd:
        """Both have the same new predecessors."""
        return found if self.m.size(found) < self.m.size(ring) else ring

    def eg(self, within: Bdd, fair: Sequence[Bdd]) -> Bdd:
        """The states from which a fair path stays ``within``; without fairness, an infinite path.

        States that lead nowhere are dropped ring by ring between two looks at the fair sets: a long chain then costs
        one step for each of its states, not one search for every fair set [Fisler et al. 2001, OWCTY]."""
        key = (within, *fair)
        before, hull, visited = self.passes.get(key) or (None, self.endless(within & self.universe), 0)
        while fair:
            before = hull if visited == 0 else before
            for k in range(visited, len(fair)):
                self.passes[key] = before, hull, k
                hull = self.eu(hull, hull & fair[k])
            self.passes[key] = before, hull, len(fair)
            hull, visited = self.endless(hull), 0
            if hull == before:
                del self.passes[key]
                break
        return hull

    def endless(self, within: Bdd) -> Bdd:
        """The states from which an infinite path stays ``within``."""
        hull = self.narrowed.get(within, within)
        while True:
            self.narrowed[within] = before = hull
            self.clock.tick()
            hull = hull & self.ex(hull)
            if hull == before:
                del self.narrowed[within]
                return hull
