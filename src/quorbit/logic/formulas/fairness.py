"""Which infinite runs count: process fairness and fairness constraints.

- *weak* fairness of a process: it is infinitely often disabled or moves infinitely often (SPIN's option -f for all);
- *strong* fairness of a process: if it is enabled infinitely often, it moves infinitely often;
- a *constraint* is a state formula that has to hold infinitely often.

The edges of a graph carry all that as marks: one bit that has to occur infinitely often per weak process and
constraint, and a pair of bits (enabled, moves) per strong process.
"""

from __future__ import annotations

from quorbit.logic.graphs.kripke import Flags, Kripke
from quorbit.logic.graphs.threads import Threads
from quorbit.model.system.formula import Formula
from quorbit.source.frozen import frozen

__all__ = ["UNFAIR", "Acceptance", "Fairness", "edge_marks", "fair_acceptance"]


@frozen
class Fairness:
    """Processes are bit numbers in the actors of edges."""

    weak: tuple[int, ...] = ()
    strong: tuple[int, ...] = ()
    constraints: tuple[Formula, ...] = ()


UNFAIR = Fairness()


@frozen
class Acceptance:
    """A good cycle has all marks of `every`, of each pair the second mark if the first, and satisfies the threads."""

    every: int
    pairs: tuple[tuple[int, int], ...] = ()
    threads: Threads | None = None


def fair_acceptance(fairness: Fairness, sets: int = 0, threads: Threads | None = None) -> Acceptance:
    """What a cycle must have, when the first `sets` marks belong to an automaton."""
    infinitely_often = sets + len(fairness.weak) + len(fairness.constraints)
    pairs = [(1 << infinitely_often + 2 * i, 2 << infinitely_often + 2 * i) for i in range(len(fairness.strong))]
    return Acceptance((1 << infinitely_often) - 1, tuple(pairs), threads)


def edge_marks(kripke: Kripke, fairness: Fairness, constraints: list[Flags], sets: int = 0) -> list[int]:
    """The marks of every edge; constraints are evaluated already."""
    if fairness == UNFAIR:
        return [0] * len(kripke.targets)
    marks = []
    for s in range(kripke.count):
        always = state_marks(s, fairness, constraints, sets)
        for edge in range(kripke.offsets[s], kripke.offsets[s + 1]):
            marks.append(always | actor_marks(kripke.enabled[s], kripke.actors[edge], fairness, sets))
    return marks


def state_marks(s: int, fairness: Fairness, constraints: list[Flags], sets: int) -> int:
    first = sets + len(fairness.weak)
    return sum(1 << first + i for i, flags in enumerate(constraints) if flags[s])


def actor_marks(enabled: int, actors: int, fairness: Fairness, sets: int) -> int:
    marks = 0
    for i, process in enumerate(fairness.weak):
        if actors >> process & 1 or not enabled >> process & 1:
            marks |= 1 << sets + i
    first = sets + len(fairness.weak) + len(fairness.constraints)
    for i, process in enumerate(fairness.strong):
        marks |= (enabled >> process & 1) << first + 2 * i | (actors >> process & 1) << first + 2 * i + 1
    return marks
