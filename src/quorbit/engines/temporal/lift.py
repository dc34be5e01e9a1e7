"""From a lasso of the quotient to an infinite run of the unreduced model, replayed before anyone sees it.

While lifting we keep g with g(representative) = the concrete state, as in engines/replay.py.  The loop is unrolled
until the state at its end is the state at its beginning.  With fairness it goes on until g at its end is g at its
beginning: then every process got what the loop gives its thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quorbit.engines.replay import Reduce, ReplayError, find_start
from quorbit.engines.replay import check as replay
from quorbit.engines.state_graph import StateGraph
from quorbit.engines.temporal.graph import movers
from quorbit.groups.permutation import Permutation, compose, inverse
from quorbit.logic.lasso import Lasso
from quorbit.model.evaluate import Meaning
from quorbit.model.permute import permute_state
from quorbit.model.system import State, System
from quorbit.result.outcome import Step, Trace

MOST_STEPS = 1_000_000  # of an unrolled loop


@dataclass
class Lifter:
    """The run so far: its last state, the permutation from the representative to it, and its steps."""

    meaning: Meaning
    graph: StateGraph
    s: State
    g: Permutation
    steps: list[Step]

    def take(self, edges: Sequence[int]) -> bool:
        """Follow edges of the graph; False if one of them is the stuttering of a state without moves."""
        for edge in edges:
            if edge < 0:
                return False
            wanted = sum(1 << self.g[a] for a in atoms_of(self.graph.actors[edge]))
            self.g = compose(inverse(self.graph.permutations[edge]), self.g)
            target = permute_state(self.meaning.system, self.g, self.graph.state(self.graph.targets[edge]))
            self.steps.append(find_step(self.meaning, self.s, target, wanted))
            self.s = target
        return True


def lift_lasso(system: System, graph: StateGraph, lasso: Lasso, reduce: Reduce | None, fair: bool) -> Trace:
    """The run of the unreduced model; the edges of the lasso are numbers of the graph's, or -1 for stuttering."""
    meaning = Meaning(system)
    start, g = find_start(meaning, graph.state(lasso.start), reduce)
    lifter = Lifter(meaning, graph, start, g, [])
    moving = lifter.take(lasso.stem)
    loop, first = len(lifter.steps), (lifter.s, lifter.g)
    while moving and (moving := lifter.take(lasso.loop)) and (lifter.s, lifter.g if fair else first[1]) != first:
        if len(lifter.steps) > MOST_STEPS:
            raise ReplayError("the loop of a counterexample does not close")
    trace = Trace(start, tuple(lifter.steps), loop if moving else len(lifter.steps))
    replay(meaning, trace, None)
    return trace


def find_step(meaning: Meaning, s: State, target: State, actors: int) -> Step:
    """The move between two concrete states in which these processes move."""
    for move in meaning.moves(s):
        if move.violation is None and move.target == target and movers(meaning, s, move)[1] == actors:
            return Step(move.firings, target)
    raise ReplayError("the image of a step is no step of the model: the permutation used is no symmetry")


def atoms_of(mask: int) -> list[int]:
    return [a for a in range(mask.bit_length()) if mask >> a & 1]
