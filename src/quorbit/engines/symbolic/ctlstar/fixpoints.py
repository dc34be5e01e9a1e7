"""The fixpoints of CTL with fairness [Emerson, Lei 1986; Fisler et al. 2001], over a relation given by its preimage."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quorbit.bdd.function import Manager
from quorbit.engines.symbolic.reach import Clock
from quorbit.model.diagrams.cases import Bdd
from quorbit.source.frozen import frozen

__all__ = ["Structure"]


@frozen
class Structure:
    """States, a relation on them (by its preimage) and sets that fair paths visit infinitely often."""

    m: Manager
    universe: Bdd
    preimage: Callable[[Bdd], Bdd]
    clock: Clock

    def ex(self, target: Bdd) -> Bdd:
        return self.preimage(target) & self.universe

    def eu(self, through: Bdd, target: Bdd) -> Bdd:
        """E[through U target]."""
        found = ring = target & self.universe
        while ring != self.m.false:
            self.clock.tick()
            ring = self.ex(self.simpler(ring, found)) & through & ~found
            found = found | ring
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
        hull = self.endless(within & self.universe)
        while fair:
            before = hull
            for constraint in fair:
                hull = self.eu(hull, hull & constraint)
            hull = self.endless(hull)
            if hull == before:
                break
        return hull

    def endless(self, within: Bdd) -> Bdd:
        """The states from which an infinite path stays ``within``."""
        hull = within
        while True:
            self.clock.tick()
            before = hull
            hull = hull & self.ex(hull)
            if hull == before:
                return hull
