"""Property-directed reachability: a proof that no bad state is reached, as clauses that hold after every step.

[Bradley 2011; Eén, Mishchenko, Brayton 2011.]  ``levels[k]`` holds clauses that are true of all states reached in at
most k steps and, if they are listed at k only, are not known to be true later.  A *cube* is a set of literals of state
bits; a cube that is blocked at k is the negation of a clause there.  When a level is empty, the clauses after it are an
invariant, which is checked once more by a fresh solver.

Symmetries that keep start and steps carry what is learnt of a cube to its images: these are blocked with it, and move
on with it.  One question for all of them suffices as long as all levels are closed under the symmetries; once an orbit
was too large to be written out, every image is asked about.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

from quorbit.engines.symbolic.reach import Clock
from quorbit.engines.symbolic.sat.clauses import Clauses, Frame
from quorbit.engines.symbolic.sat.symmetry import Cube, Images, orbit_of
from quorbit.model.diagrams.gates import Edge
from quorbit.model.diagrams.steps import Steps
from quorbit.source.frozen import replace

Orbit = tuple[Cube, ...]  # cubes that are blocked together
Run = tuple[Cube, ...]  # from every state of one of them a step leads into the next one
MOST_IMAGES = 1000  # of a cube that are blocked with it


class Unproved(Exception):
    """What was found as an invariant is none: a bug of ours."""


class Search:
    """The clauses found so far."""

    def __init__(self, steps: Steps, bad: Edge, clock: Clock, symmetries: Sequence[Images] = ()) -> None:
        self.steps, self.bad_edge, self.clock = steps, bad, clock
        numbers = {b: n for n, b in enumerate(steps.state_bits, start=1)}
        self.moves = [[0, *(numbers[images.get(b, b)] for b in steps.state_bits)] for images in symmetries]
        self.closed = True  # whether the levels are closed under the symmetries
        self.copied = 0  # cubes that were blocked as images of others
        self.error: Run = ()  # from the start to the bad states, once that is found
        self.invariant: list[Cube] = []  # the cubes that no state is in, once that is proved
        self.clauses = Clauses()
        self.frame = Frame(self.clauses, steps.wide)
        self.bits = [self.frame.variable(b) for b in steps.state_bits]
        self.next: dict[int, int] = {}  # literals of the next state, by those of cubes
        later = [b for bits in steps.later for b in bits]
        self.choices = [self.frame.variable(b) for b in (*steps.choice_bits, *later)]
        self.guard, self.bad = self.frame.literal(steps.guard), self.frame.literal(bad)
        self.start = self.frame.literal(steps.start)
        self.at_start = fixed_bits(steps)
        self.clauses.add([self.frame.literal(steps.valid)])
        self.levels: list[list[Orbit]] = [[]]
        self.switches: list[int] = [self.start]  # literals that bring in the clauses of one level
        self.is_begun = False  # whether the last level may still hold bad states
        self.count = 0  # of cubes looked at
        self.outside = self.clauses.fresh()  # literal of the last question about predecessors: not in its cube
        self.core: set[int] = set()  # of the last answer that there is no predecessor

    def now(self, cube: Cube) -> list[int]:
        return [self.bits[n - 1] if n > 0 else -self.bits[-n - 1] for n in cube]

    def then(self, cube: Cube) -> list[int]:
        for n in cube:
            if n not in self.next:
                self.write_next(abs(n))
        return [self.next[n] for n in cube]

    def write_next(self, n: int) -> None:
        """What a bit becomes, as soon as a cube mentions it: an answer yes assigns all that was ever written."""
        found = self.frame.literal(self.steps.following[self.steps.state_bits[n - 1]])
        self.next[n], self.next[-n] = found, -found

    def within(self, k: int) -> list[int]:
        """That the state is one of level k."""
        return [self.start] if k == 0 else self.switches[k:]

    @property
    def last(self) -> int:
        return len(self.levels) - 1

    def add_level(self) -> None:
        self.levels.append([])
        self.switches.append(self.clauses.fresh())

    def prove(self) -> int | None:
        """None if no bad state is reached, else a number of steps after which one is."""
        while (is_safe := self.advance()) is None:
            pass
        return None if is_safe else self.last

    def advance(self) -> bool | None:
        """One level more: whether no bad state is reached; None if that is still open, though not within the steps of
        the last level.  Where the clock stops it, the next call goes on with the same level."""
        self.clock.tick()
        if self.last == 0 and self.clauses.solve([self.start, self.bad]):
            return False
        if not self.is_begun:
            self.add_level()
            self.is_begun = True
        while (cube := self.bad_cube()) is not None:
            if not self.block(cube):
                return False
        is_proved = self.propagate()
        self.is_begun = False
        return is_proved or None

    def grant(self, valid: Edge) -> None:
        """More is known of all states; what was learnt stays true."""
        if valid != self.steps.valid:
            self.steps = replace(self.steps, valid=valid)
            self.clauses.add([self.frame.literal(valid)])

    def bad_cube(self) -> Cube | None:
        if not self.clauses.solve([*self.within(self.last), self.bad]):
            return None
        return self.lift(self.model(), self.chosen(), [-self.bad])

    def model(self) -> Cube:
        return tuple(n + 1 if self.clauses.value(v) else -n - 1 for n, v in enumerate(self.bits))

    def chosen(self) -> list[int]:
        """What the last model chooses in the step."""
        return [v if self.clauses.value(v) else -v for v in self.choices]

    def lift(self, state: Cube, choices: list[int], otherwise: list[int]) -> Cube:
        """The part of a state that makes it impossible that one of ``otherwise`` holds.  The second question has the
        literals in the other order, so that the solver leaves out others."""
        switch = self.clauses.fresh()
        self.clauses.add([-switch, *otherwise])
        for _ in range(2):
            literals = self.now(state)
            possible = self.clauses.solve([switch, *choices, *literals])
            assert not possible
            core = self.clauses.core()
            state = tuple(n for n, literal in zip(state, literals, strict=True) if literal in core)[::-1]
        self.clauses.add([-switch])
        return state

    def block(self, cube: Cube) -> bool:
        """Show that a cube is not reached in as many steps as there are levels; False if it is."""
        if self.meets_start(cube):
            self.error = (cube,)
            return False
        waiting: list[tuple[int, int, Run]] = [(self.last, 0, (cube,))]
        is_open = True  # whether the first of these was found among the states of its level just now
        while waiting:
            self.clock.tick()
            k, _, run = heappop(waiting)
            cube = run[0]
            if not is_open and not self.clauses.solve([*self.within(k), *self.now(cube)]):
                continue  # blocked by now
            predecessor = self.find_predecessor(cube, k)
            is_open = predecessor is not None
            self.count += 1
            if predecessor is None:
                smaller, level = self.generalise(cube, k)
                self.learn(smaller, level)
                if level < self.last:
                    heappush(waiting, (level + 1, self.count, run))
                continue
            if self.meets_start(predecessor):
                self.error = (predecessor, *run)
                return False
            heappush(waiting, (k - 1, self.count, (predecessor, *run)))
            heappush(waiting, (k, self.count, run))
        return True

    def meets_start(self, cube: Cube) -> bool:
        """Asks the solver only where the bits that are fixed at the start leave that open."""
        if any(-n in self.at_start for n in cube):
            return False
        if len(self.at_start) == len(self.bits):
            return True
        return self.clauses.solve([self.start, *self.now(cube)])

    def find_predecessor(self, cube: Cube, k: int) -> Cube | None:
        """A part of a state of level k - 1 outside the cube from which one step leads into it."""
        if not self.has_predecessor(cube, k):
            return None
        return self.lift(self.model(), self.chosen(), [-self.guard, *(-literal for literal in self.then(cube))])

    def has_predecessor(self, cube: Cube, k: int) -> bool:
        self.clauses.add([-self.outside])  # the last one, whose model nobody asks for any more
        self.outside = self.clauses.fresh()
        self.clauses.add([-self.outside, *(-literal for literal in self.now(cube))])
        found = self.clauses.solve([self.outside, *self.within(k - 1), self.guard, *self.then(cube)])
        self.core = self.clauses.core() if not found else set()
        return found

    def generalise(self, cube: Cube, k: int) -> tuple[Cube, int]:
        """A smaller cube without predecessors in level k - 1, and the last level for which that is so.  Requires: the
        last question was whether the cube has any."""
        cube = self.shrink(cube, self.core)
        for n in cube:
            self.clock.tick()
            smaller = tuple(other for other in cube if other != n)
            if n in cube and smaller and not self.meets_start(smaller) and not self.has_predecessor(smaller, k):
                cube = self.shrink(smaller, self.core)
        while k < self.last and not self.has_predecessor(cube, k + 1):
            k += 1
        return cube, k

    def shrink(self, cube: Cube, core: set[int]) -> Cube:
        """What of a cube a proof needs, with enough left to stay away from the start."""
        needed = tuple(n for n, literal in zip(cube, self.then(cube), strict=True) if literal in core)
        for n in cube:
            if needed and not self.meets_start(needed):
                break
            needed = needed if n in needed else (*needed, n)
        return needed

    def learn(self, cube: Cube, k: int) -> None:
        """Block a cube at a level, and its images."""
        orbit = orbit_of(cube, self.moves, MOST_IMAGES)
        if orbit is None:
            self.closed = False
            orbit = (cube,)
        elif not self.closed:
            orbit = (cube, *(image for image in orbit[1:] if not self.has_predecessor(image, k)))
        self.copied += len(orbit) - 1
        self.add(orbit, k)

    def add(self, orbit: Orbit, k: int) -> None:
        self.levels[k].append(orbit)
        for cube in orbit:
            self.clauses.add([-self.switches[k], *(-literal for literal in self.now(cube))])

    def propagate(self) -> bool:
        """Move clauses to later levels where they hold; whether a level became empty."""
        for k in range(1, self.last):
            waiting, self.levels[k] = deque(self.levels[k]), []
            try:
                while waiting:
                    moved, kept = self.divide(waiting[0], k)
                    waiting.popleft()
                    self.levels[k] += [kept] if kept else []
                    if moved:
                        self.add(moved, k + 1)
            finally:
                self.levels[k] += waiting  # where the clock stops it
            if not self.levels[k]:
                self.confirm([cube for level in self.levels[k + 1 :] for orbit in level for cube in orbit])
                return True
        return False

    def divide(self, orbit: Orbit, k: int) -> tuple[Orbit, Orbit]:
        """The cubes that no step leads into from level k, and the others."""
        if self.closed:
            return ((), orbit) if self.is_reached(orbit[0], k) else (orbit, ())
        reached = {cube for cube in orbit if self.is_reached(cube, k)}
        return tuple(c for c in orbit if c not in reached), tuple(c for c in orbit if c in reached)

    def is_reached(self, cube: Cube, k: int) -> bool:
        """Whether a step leads from level k into a cube."""
        self.clock.tick()
        return self.clauses.solve([*self.within(k), self.guard, *self.then(cube)])

    def confirm(self, invariant: list[Cube]) -> None:
        """The clauses hold at the start, are kept by steps, and exclude bad states."""
        self.invariant = invariant
        fresh = Search(self.steps, self.bad_edge, self.clock)
        for cube in invariant:
            if fresh.meets_start(cube):
                raise Unproved("an initial state is outside")
            fresh.clauses.add(-literal for literal in fresh.now(cube))
        if fresh.clauses.solve([fresh.bad]):
            raise Unproved("a bad state is inside")
        for cube in invariant:
            if fresh.clauses.solve([fresh.guard, *fresh.then(cube)]):
                raise Unproved("a step leads outside")

    def facts(self) -> Iterator[Edge]:
        """What was proved of all states, a clause each."""
        gates, bits = self.steps.gates, self.steps.state_bits
        for cube in self.invariant:
            literals = [gates.variable(bits[abs(n) - 1]) for n in cube]
            yield ~gates.conjunction(v if n > 0 else ~v for n, v in zip(cube, literals, strict=True))


def fixed_bits(steps: Steps) -> frozenset[int]:
    """The bits that have one value at the start, as the literals of a cube."""
    nodes = {steps.gates.nodes_of_variables[b]: n for n, b in enumerate(steps.state_bits, start=1)}
    conjuncts = steps.gates.conjuncts(steps.start)
    return frozenset(-nodes[e >> 1] if e & 1 else nodes[e >> 1] for e in conjuncts if e >> 1 in nodes)
