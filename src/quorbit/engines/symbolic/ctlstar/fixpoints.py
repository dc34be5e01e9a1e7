"""The fixpoints of CTL with fairness [Emerson, Lei 1986], over any relation given by its preimage."""

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
        """The states from which a fair path stays ``within``; without fairness, an infinite path."""
        hull = within & self.universe
        while True:
            self.clock.tick()
            before = hull
            for constraint in fair or (hull,):
                hull = hull & self.ex(self.eu(hull, hull & constraint) if fair else hull)
            if hull == before:
                return hull
