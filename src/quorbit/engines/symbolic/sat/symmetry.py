"""Symmetries for a SAT solver: permutations of bits that keep the start, the steps and the bad states.

Each is confirmed here, by the solver, before it is used; who found it does not matter.  All three conditions count.  If
g keeps start and steps, a cube that is not reached in k steps has an image that is not either, so what is learnt of one
cube is learnt of its orbit.  If g keeps the bad states too, every run to an error has an image that is one, so of every
orbit of runs the least suffices: its bits are, in their order, at most those of its images (lex-leader, [Crawford,
Ginsberg, Luks, Roy 1996]).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quorbit.engines.symbolic.sat.clauses import LIMITED_SOLVER, Clauses, Frame
from quorbit.groups.permutation import Permutation
from quorbit.model.diagrams.gates import Edge
from quorbit.model.diagrams.moved_bits import all_bits
from quorbit.model.diagrams.steps import Steps

Images = dict[int, int]  # where a symmetry moves the bits that it moves
Cube = tuple[int, ...]  # bits of the state, numbered from 1; negative where they are 0

MOST_GENERATORS = 64
CONFLICTS = 2000  # that one comparison of functions may take


def confirmed(steps: Steps, bad: Edge, generators: Iterable[Permutation]) -> tuple[Images, ...]:
    """How those of the generators move bits that keep the start, the steps and the bad states."""
    compared = Compared(steps)
    found = []
    for g in list(generators)[:MOST_GENERATORS]:
        images = all_bits(steps.system, steps.layout, g, with_start=True)
        if images is None:
            continue
        renamed = compared.renaming(images)
        if keeps_bad(renamed, bad) and keeps_steps(renamed, steps) and keeps_start(renamed, steps):
            found.append({b: c for b, c in images.items() if b != c})
    return tuple(images for images in found if images)


class Compared:
    """One solver for the functions of the steps and their images."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.clauses = Clauses(LIMITED_SOLVER)
        self.frame = Frame(self.clauses, steps.wide)

    def renaming(self, images: Images) -> Renamed:
        return Renamed(self, images)

    def same(self, f: Edge, g: Edge) -> bool:
        """Whether two functions are the same, as far as the solver finds out soon."""
        if f == g:
            return True
        a, b = self.frame.literal(f), self.frame.literal(g)
        if any(self.clauses.may_solve(literals, CONFLICTS) for literals in ([a, -b], [-a, b])):
            return False
        self.clauses.add([-a, b])  # what is known helps with the functions that read these
        self.clauses.add([a, -b])
        return True


class Renamed:
    """The functions with the bits renamed: at a state, what they are at the state that a symmetry moves there."""

    def __init__(self, compared: Compared, images: Images) -> None:
        self.compared, self.images = compared, images
        gates = compared.steps.gates
        self.known = {gates.nodes_of_variables[b]: gates.variable(c).number for b, c in images.items()}

    def keeps(self, f: Edge, g: Edge) -> bool:
        """Whether the renamed f is g."""
        return self.compared.same(self.compared.steps.gates.replace(f, self.known), g)


def keeps_start(renamed: Renamed, steps: Steps) -> bool:
    return renamed.keeps(steps.start, steps.start)


def keeps_steps(renamed: Renamed, steps: Steps) -> bool:
    """The next value of a bit becomes that of its image; what may be chosen and what are states stays."""
    if not renamed.keeps(steps.guard, steps.guard) or not renamed.keeps(steps.valid, steps.valid):
        return False
    return all(renamed.keeps(f, steps.following[renamed.images[b]]) for b, f in steps.following.items())


def keeps_bad(renamed: Renamed, bad: Edge) -> bool:
    return renamed.keeps(bad, bad)


class LeastRun:
    """That a run is the least of its orbit, as far as one symmetry at a time can say: first the bits of the first state
    count, then those chosen in each step."""

    def __init__(self, clauses: Clauses, images: Sequence[Images]) -> None:
        self.clauses = clauses
        self.images = images
        self.equal = [clauses.true for _ in images]  # that the bits so far are those of the image

    def extend(self, frame: Frame, bits: Iterable[int]) -> None:
        """The next bits count too."""
        listed = list(bits)
        for k, images in enumerate(self.images):
            for b in listed:
                if b in images:
                    self.equal[k] = self.compare(self.equal[k], frame.variable(b), frame.variable(images[b]))

    def compare(self, equal: int, a: int, b: int) -> int:
        """Where all before are equal, a is at most b; that these are equal too."""
        still = self.clauses.fresh()
        self.clauses.add([-equal, -a, b])
        self.clauses.add([-equal, -a, -b, still])
        self.clauses.add([-equal, a, b, still])
        return still


def orbit_of(cube: Cube, moves: Sequence[Sequence[int]], most: int) -> tuple[Cube, ...] | None:
    """The images of a cube, itself first; None if there are too many.  ``moves`` give for each number its image."""
    first = tuple(sorted(cube))
    seen = {first}
    waiting = [first]
    for image in waiting:
        for move in moves:
            further = tuple(sorted(move[n] if n > 0 else -move[-n] for n in image))
            if further not in seen:
                if len(seen) >= most:
                    return None
                seen.add(further)
                waiting.append(further)
    return tuple(waiting)
