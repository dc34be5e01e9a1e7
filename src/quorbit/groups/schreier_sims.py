"""Schreier-Sims: a base and strong generators for a group, level by level.

Random elements fill the levels quickly.  When the order is known, or a bound on it is met, the result is exact as soon
as the product of the basic orbits' lengths reaches it; otherwise every Schreier generator is sifted, which proves it.

Short names: b a base point; p, q, h permutations in compact form; x, y points; t a transversal element.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import islice
from math import prod
from random import Random

from quorbit.groups.compact import Compact, Domain
from quorbit.groups.reach import check_room, check_work
from quorbit.source.frozen import field, mutable

SEED = 20090  # results must not differ from run to run
QUIET = 12  # so many random elements that all sift to the identity end the random phase when the order is unknown
LONG_QUIET = 2000  # and so many when it is known: only a wrong order goes on that long
RATTLED = 8  # rounds of product replacement per element of the pool before its elements are used
POOL = 11
BYTES_COST = 8  # of a product of bytes, as if it had so many entries
ORBIT_COST = 4  # of looking at a point of an orbit
COSTLY = 10**5


@mutable
class OpenLevel:
    """A level under construction: back[x] maps x to the base point, for every x of the basic orbit."""

    point: int
    back: dict[int, Compact]
    orbit: list[int]
    reached: set[int]
    most: int  # no orbit of this level can be longer
    generators: list[Compact] = field(default_factory=list)
    inverses: list[Compact] = field(default_factory=list)


class Construction:
    """The levels of a chain while it is built; lives inside build_levels only."""

    def __init__(self, domain: Domain, generators: Sequence[Compact], base: Sequence[int]) -> None:
        self.domain = domain
        self.one = domain.one
        self.multiply = domain.multiply
        self.invert = domain.invert
        self.generators = generators
        self.wanted = list(dict.fromkeys(base))
        self.levels: list[OpenLevel] = []
        self.room = self.work = 0
        self.cost = BYTES_COST if domain.is_small else len(domain.points)

    @cached_property
    def random(self) -> RandomElements:
        return RandomElements(self.domain, self.generators)

    def spend(self, products: int) -> None:
        """Account for products; raises BeyondReach if there were too many."""
        self.work += products * self.cost
        check_work(self.work)

    def order(self) -> int:
        return prod(len(level.orbit) for level in self.levels)

    def sift(self, p: Compact, start: int = 0) -> tuple[Compact, int]:
        """What is left of p after dividing by transversal elements, and the level it got stuck at."""
        multiply = self.multiply
        for i in range(start, len(self.levels)):
            level = self.levels[i]
            t = level.back.get(p[level.point])
            if t is None:
                self.spend(i - start)
                return p, i
            p = multiply(p, t)
        self.spend(len(self.levels) - start)
        return p, len(self.levels)

    def add(self, h: Compact, first: int, stuck: int) -> int:
        """Make h, which fixes the base points before `stuck`, a generator of the levels from `first` to the one that
        moves; the number of that level."""
        while stuck == len(self.levels) or h[self.levels[stuck].point] == self.levels[stuck].point:
            if stuck == len(self.levels):
                self.open_level(h)
            else:
                stuck += 1
        inverse = self.invert(h)
        for level in self.levels[first : stuck + 1]:
            self.extend(level, h, inverse)
        return stuck

    def open_level(self, h: Compact) -> None:
        """The next wanted base point, needed or not; after these, the first point h moves."""
        used = {level.point for level in self.levels}
        points = (b for b in self.wanted if b not in used)
        b = next(points, None)
        if b is None:
            b = next(i for i in range(len(self.domain.points)) if h[i] != i)
        most = len(self.whole_orbits[b].difference(used))
        self.levels.append(OpenLevel(b, {b: self.one}, [b], {b}, most))

    @cached_property
    def whole_orbits(self) -> dict[int, set[int]]:
        """For every point its orbit under the whole group."""
        found: dict[int, set[int]] = {}
        for b in range(len(self.domain.points)):
            if b not in found:
                orbit = set(orbit_of(b, self.generators))
                found.update(dict.fromkeys(orbit, orbit))
        return found

    def extend(self, level: OpenLevel, h: Compact, inverse: Compact) -> None:
        """Add a generator to a level and close its orbit."""
        level.generators.append(h)
        level.inverses.append(inverse)
        if len(level.orbit) == level.most:
            return
        self.work += ORBIT_COST * len(level.orbit)
        if not level.reached.issuperset(map(h.__getitem__, level.orbit)):
            self.close_orbit(level, h, inverse)

    def close_orbit(self, level: OpenLevel, h: Compact, inverse: Compact) -> None:
        """Requires that h is the last generator and that the orbit is closed under the others."""
        orbit, done = level.orbit, len(level.orbit)
        for x in orbit[:done]:
            if h[x] not in level.reached:
                self.reach(level, x, h[x], inverse)
        pairs = list(zip(level.generators, level.inverses, strict=True))
        for x in islice(orbit, done, None):
            for q, q_inverse in pairs:
                if q[x] not in level.reached:
                    self.reach(level, x, q[x], q_inverse)

    def reach(self, level: OpenLevel, x: int, y: int, inverse: Compact) -> None:
        """A new point y of the orbit, the image of x under the element whose inverse is given."""
        level.back[y] = self.multiply(inverse, level.back[x])
        level.orbit.append(y)
        level.reached.add(y)
        self.room += len(self.domain.points)
        check_room(self.room)
        self.spend(1)

    def add_generators(self) -> None:
        for p in self.generators:
            h, stuck = self.sift(p)
            if h != self.one:
                self.add(h, 0, stuck)

    def fill(self, bound: int, patience: int) -> bool:
        """Sift random elements until the order reaches the bound, which proves it (True), or patience ends."""
        quiet, order = 0, self.order()
        while order < bound and quiet < patience:
            h, stuck = self.sift(self.random.next())
            quiet += 1
            if h != self.one:
                self.add(h, 0, stuck)
                order = self.order()
                quiet = 0
        return order == bound

    def verify(self) -> None:
        """Sift every Schreier generator, from the last level up, adding what does not sift to the identity."""
        i = len(self.levels) - 1
        while i >= 0:
            self.take_generators_from_below(i)
            stuck = self.check_level(i)
            if stuck is None:
                self.drop_needless(i)
            i = i - 1 if stuck is None else stuck

    def is_costly(self) -> bool:
        """Whether sifting all Schreier generators takes more than a moment."""
        products = sum(len(level.orbit) * (len(self.levels) - i) ** 2 for i, level in enumerate(self.levels))
        return products * len(self.generators) > COSTLY

    def check_level(self, i: int) -> int | None:
        """The level of the first Schreier generator of level i that was missing and is now added; None if none was."""
        level, one, multiply = self.levels[i], self.one, self.multiply
        for x in level.orbit:
            t = self.invert(level.back[x])
            for s in level.generators:
                p = multiply(multiply(t, s), level.back[s[x]])
                if p == one:
                    continue
                h, stuck = self.sift(p, i + 1)
                if h != one:
                    return self.add(h, i + 1, stuck)
        return None

    def take_generators_from_below(self, i: int) -> None:
        """Requires that the levels after i are complete: whatever fixes the base point of level i lies in the next
        level's group, so that level's few generators will do for it."""
        level = self.levels[i]
        below = self.levels[i + 1].generators if i + 1 < len(self.levels) else []
        own = [p for p in level.generators if p[level.point] != level.point]
        self.set_generators(level, [*below, *own])

    def drop_needless(self, i: int) -> None:
        """Requires that the levels from i on are complete.  Generators that keep every orbit whole keep the order, so
        they generate the same group; the fewer they are, the fewer Schreier generators the level above has."""
        level = self.levels[i]
        below = self.levels[i + 1].generators if i + 1 < len(self.levels) else []
        own = level.generators[len(below) :]
        for p in own[::-1]:
            rest = [q for q in own if q is not p]
            if len(orbit_of(level.point, [*below, *rest])) == len(level.orbit):
                own = rest
        self.set_generators(level, [*below, *own])

    def set_generators(self, level: OpenLevel, generators: list[Compact]) -> None:
        level.generators = generators
        level.inverses = [self.invert(p) for p in generators]


def orbit_of(b: int, generators: Sequence[Compact]) -> list[int]:
    orbit, seen = [b], {b}
    for x in orbit:
        for p in generators:
            if (y := p[x]) not in seen:
                seen.add(y)
                orbit.append(y)
    return orbit


class RandomElements:
    """Product replacement with an accumulator ("rattle"), from a fixed seed."""

    def __init__(self, domain: Domain, generators: Sequence[Compact]) -> None:
        self.random = Random(SEED)
        self.multiply = domain.multiply
        self.pool = [generators[i % len(generators)] for i in range(max(POOL, len(generators)))]
        self.last = domain.one
        for _ in range(RATTLED * len(self.pool)):
            self.next()

    def next(self) -> Compact:
        pool = self.pool
        number = self.random.random
        i = int(number() * len(pool))
        j = int(number() * (len(pool) - 1))
        j += j >= i
        pair = (pool[i], pool[j]) if number() < 0.5 else (pool[j], pool[i])
        pool[i] = self.multiply(*pair)
        self.last = self.multiply(self.last, pool[i])
        return self.last


def build_levels(
    domain: Domain,
    generators: Sequence[Compact],
    base: Sequence[int],
    order: int | None,
    bounds: Sequence[Callable[[], int]],
) -> list[OpenLevel]:
    """Complete levels whose base starts with `base`; `order` is the group's order or None, `bounds` find upper bounds
    on it.  Raises BeyondReach if this takes too much time or room."""
    levels = Construction(domain, generators, base)
    levels.add_generators()
    if order is not None:
        proved = levels.fill(order, LONG_QUIET)
    else:
        proved = levels.fill(bounds[0](), QUIET)
        for bound in bounds[1:]:
            proved = proved or (levels.is_costly() and levels.fill(bound(), QUIET))
    if not proved:
        levels.verify()
    if order is not None and levels.order() != order:
        raise ValueError(f"the group was said to have order {order}, but has {levels.order()}")
    return levels.levels
