"""From a lasso of the quotient to an infinite run of the unreduced model, replayed before anyone sees it.

While lifting we keep g with g(representative) = the concrete state, as in engines/replay.py.  The loop is unrolled
until a state comes back at its end.  With fairness it goes on until g is the same as well: then every process got what
the loop gives its thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quorbit.engines.actors import movers
from quorbit.engines.replay import ReplayError, find_start
from quorbit.engines.replay import check as replay
from quorbit.engines.temporal.space import STUTTERING, Edge, Space
from quorbit.groups.permutation import Permutation, compose, inverse
from quorbit.logic.graphs.lasso import Lasso
from quorbit.model.meaning.evaluate import Meaning, Move
from quorbit.model.meaning.permute import permute_state
from quorbit.model.system.system import State, System
from quorbit.result.outcome import Step, Trace
from quorbit.source.frozen import mutable

MOST_STEPS = 1_000_000  # of an unrolled loop


@mutable
class Lifter:
    """The run so far: its last state, the permutation from the representative to it, and its steps."""

    meaning: Meaning
    space: Space
    r: int  # the number of the representative
    s: State
    g: Permutation
    steps: list[Step]

    def take(self, edges: Sequence[int]) -> bool:
        """Follow edges of the space; False if one of them is the stuttering of a state without moves."""
        for number in edges:
            if number == STUTTERING:
                if any(move.violation is None for move in self.meaning.moves(self.s)):
                    raise ReplayError("a run that was told to end can go on")
                return False
            edge = self.space.follow(self.r, number)
            actors = sum(1 << self.g[a] for a in atoms_of(edge.actors))
            r = self.space.state(edge.target)
            step = self.image_of(edge, r, actors) or self.like(r, actors)
            if step is None:
                raise ReplayError("the image of a step is not a step: the permutation used is not a symmetry")
            self.steps.append(step)
            self.r, self.s = edge.target, step.state
        return True

    def image_of(self, edge: Edge, r: State, actors: int) -> Step | None:
        """The edge as the concrete state's own move, to the image of the representative r."""
        g = compose(inverse(edge.permutation), self.g)
        target = permute_state(self.meaning.system, g, r)
        for move in self.moves(actors):
            if move.target == target:
                self.g = g
                return Step(move.firings, target)
        return None

    def like(self, r: State, actors: int) -> Step | None:
        """A move to another state that r represents: a process that is created is the first unused one, whichever g
        makes of it."""
        if self.space.reduce is None:
            return None
        for move in self.moves(actors):
            found, h = self.space.reduce(move.target)
            if found == r:
                self.g = inverse(h)
                return Step(move.firings, move.target)
        return None

    def moves(self, actors: int) -> Iterator[Move]:
        """The moves from the concrete state in which these processes move."""
        for move in self.meaning.moves(self.s):
            if move.violation is None and movers(self.meaning, self.s, move)[1] == actors:
                yield move


def lift_lasso(system: System, space: Space, lasso: Lasso, fair: bool) -> Trace:
    """The run of the unreduced model; the edges of the lasso are those of the space."""
    meaning = Meaning(system)
    start, g = find_start(meaning, space.state(lasso.start), space.reduce)
    lifter = Lifter(meaning, space, lasso.start, start, g, [])
    moving = lifter.take(lasso.stem)
    if moving and not lasso.loop:
        trace = Trace(start, tuple(lifter.steps))
        replay(meaning, trace, None)
        return trace
    rounds: dict[object, int] = {}  # where a round of the loop began, by what is the same there
    while moving and (here := (lifter.s, lifter.g if fair else None)) not in rounds:
        if len(lifter.steps) > MOST_STEPS:
            raise ReplayError("the loop of a counterexample does not close")
        rounds[here] = len(lifter.steps)
        moving = lifter.take(lasso.loop)
    trace = Trace(start, tuple(lifter.steps), rounds[here] if moving else len(lifter.steps))
    replay(meaning, trace, None)
    return trace


def atoms_of(mask: int) -> list[int]:
    return [a for a in range(mask.bit_length()) if mask >> a & 1]
