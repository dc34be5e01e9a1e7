"""Conditions on every process of a quotient graph: what each process does along a path whose states are renamed.

An edge of a quotient carries the permutation that renames its target: the process with index d before the edge has
index permutation[d] after it.  The *thread* of a process is the sequence of its indices along a path.  A condition
`GF good` is given by a bit mask per edge, the indices for which the edge is good; it asks that every thread takes an
edge that is good for it infinitely often (weak fairness: the process moves or is disabled).  A condition of strong
fairness asks it of the threads that meet the `when` mask infinitely often.

Inside a strongly connected component, the pairs (node, index) fall into classes that no edge leaves, since edges act as
permutations; each class is strongly connected and has a member over every node.  So a path that satisfies the
conditions exists if every class has a good edge: a factor of n, not n! (Gyuris and Sistla, On-the-fly model checking
under fairness that exploits symmetry, 1999).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quorbit.groups.permutation import Permutation

Inner = list[tuple[int, int, int]]  # source and target (as places in the component), name of the edge


@dataclass(frozen=True)
class Recurrence:
    """Threads that meet `when` infinitely often (None: all) take an edge with their bit in `good` infinitely often.

    Both are masks of indices per edge; `indices` are the indices that are asked at all, a union of orbits.
    """

    indices: tuple[int, ...]
    good: Sequence[int]
    when: Sequence[int] | None = None


@dataclass(frozen=True)
class Threads:
    permutations: Sequence[Permutation]  # per edge
    conditions: tuple[Recurrence, ...]


@dataclass(frozen=True)
class Judgement:
    """Whether a component satisfies all conditions as it is; if not, the places to do without (none: hopeless)."""

    satisfied: bool
    blocked: tuple[int, ...] = ()


def judge(threads: Threads, count: int, inner: Inner) -> Judgement:
    """The conditions on a component of `count` nodes with the given edges."""
    blocked: dict[int, None] = {}
    for condition in threads.conditions:
        good, met = classes(threads, condition, count, inner)
        starved = [place for (place, _), root in met.items() if root not in good]
        if starved and condition.when is None:
            return Judgement(False)
        blocked.update(dict.fromkeys(starved))
    return Judgement(not blocked, tuple(blocked))


def classes(
    threads: Threads, condition: Recurrence, count: int, inner: Inner
) -> tuple[set[int], dict[tuple[int, int], int]]:
    """The classes of threads with a good edge, and the class of every pair (place, index) that `when` concerns."""
    positions = {index: i for i, index in enumerate(condition.indices)}
    width = len(positions)
    parents = list(range(count * width))
    for s, t, e in inner:
        permutation = threads.permutations[e]
        for index, i in positions.items():
            join(parents, s * width + i, t * width + positions[permutation[index]])
    good: set[int] = set()
    met: dict[tuple[int, int], int] = {}
    for s, _, e in inner:
        for index, i in positions.items():
            if condition.good[e] >> index & 1:
                good.add(root_of(parents, s * width + i))
            if condition.when is None or condition.when[e] >> index & 1:
                met[s, index] = s * width + i
    return good, {pair: root_of(parents, place) for pair, place in met.items()}


def root_of(parents: list[int], place: int) -> int:
    while parents[place] != place:
        parents[place] = parents[parents[place]]
        place = parents[place]
    return place


def join(parents: list[int], a: int, b: int) -> None:
    a, b = root_of(parents, a), root_of(parents, b)
    if a != b:
        parents[max(a, b)] = min(a, b)
