"""Conditions on every process of a quotient graph: what each process does along a path whose states are renamed.

An edge of a quotient carries the permutation that renames its target: the process with index d before the edge has
index permutation[d] after it.  The *thread* of a process is the sequence of its indices along a path.  A condition
`GF good` is given by a bit mask per edge, the indices for which the edge is good; it asks that every thread takes an
edge that is good for it infinitely often (weak fairness: the process moves or is disabled).  A condition of strong
fairness asks it of the threads that meet the `when` mask infinitely often.

Inside a strongly connected component, the pairs (node, index) fall into classes that no edge leaves, since edges act as
permutations; each class is strongly connected and has a member over every node.  So a path that satisfies the
conditions exists if every class has a good edge: a factor of n, not n! (Gyuris and Sistla, On-the-fly model checking
under fairness that exploits symmetry, 1999).  The classes are found without listing the pairs: a tree spans the
component, each edge outside the tree gives a permutation of the indices at the root, and the classes are the orbits of
these.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.groups.permutation import Permutation, compose, identity, inverse
from quorbit.source.frozen import frozen

__all__ = ["Recurrence", "Threads"]

Inner = list[list[tuple[int, int]]]  # for each node of a component its edges inside: target (as a place) and name


@frozen
class Recurrence:
    """Threads that meet `when` infinitely often (None: all) take an edge with their bit in `good` infinitely often.

    Both are masks of indices per edge; `indices` are the indices that are asked at all, a union of orbits.
    """

    indices: tuple[int, ...]
    good: Sequence[int]
    when: Sequence[int] | None = None


@frozen
class Threads:
    permutations: Sequence[Permutation]  # per edge
    conditions: tuple[Recurrence, ...]


@frozen
class Judgement:
    """What the conditions say of a component: hopeless, or fit once the blocked places are left out."""

    hopeless: bool
    blocked: frozenset[int] = frozenset()


def judge(threads: Threads, inner: Inner) -> Judgement:
    """The conditions on a strongly connected component."""
    transports, orbits = span(threads.permutations, inner)
    blocked: set[int] = set()
    for condition in threads.conditions:
        good = lifted(inner, transports, condition.good)
        served = {orbits[i] for i in range(len(orbits)) if good >> i & 1}
        if condition.when is not None:
            blocked |= met(inner, transports, orbits, served, condition.indices, condition.when)
        elif any(orbits[i] not in served for i in condition.indices):
            return Judgement(True)
    return Judgement(False, frozenset(blocked))


def span(permutations: Sequence[Permutation], inner: Inner) -> tuple[list[Permutation], list[int]]:
    """For every node the indices there of the indices at place 0, and the orbit of every index at place 0."""
    degree = len(permutations[inner[0][0][1]])
    root = identity(degree)
    transports: list[Permutation] = [()] * len(inner)
    transports[0] = root
    reached = bytearray(len(inner))
    reached[0] = 1
    orbits = list(range(degree))
    known = {root}
    waiting = [0]
    for s in waiting:
        for t, e in inner[s]:
            moved = compose(transports[s], permutations[e])
            if not reached[t]:
                reached[t] = 1
                transports[t] = moved
                waiting.append(t)
            elif moved != transports[t]:
                back = compose(moved, inverse(transports[t]))
                if back not in known:
                    known.add(back)
                    orbits = joined(orbits, back)
    return transports, orbits


def joined(orbits: list[int], g: Permutation) -> list[int]:
    """The orbits when g belongs to the group as well; an orbit is named by its least element."""
    for i, j in enumerate(g):
        a, b = sorted((orbits[i], orbits[j]))
        if a != b:
            orbits = [a if o == b else o for o in orbits]
    return orbits


def lifted(inner: Inner, transports: list[Permutation], masks: Sequence[int]) -> int:
    """All indices at place 0 whose threads have their bit in the mask of some edge."""
    found = 0
    whole = (1 << len(transports[0])) - 1
    for s, edges in enumerate(inner):
        here = 0
        for _, e in edges:
            here |= masks[e]
        found |= pulled_back(here & whole, transports[s])
        if found == whole:
            break
    return found


def pulled_back(mask: int, transport: Permutation) -> int:
    return sum(1 << i for i, j in enumerate(transport) if mask >> j & 1)


def met(
    inner: Inner,
    transports: list[Permutation],
    orbits: list[int],
    served: set[int],
    indices: tuple[int, ...],
    when: Sequence[int],
) -> set[int]:
    """The places at which a thread that cannot be served has its bit in `when`."""
    starved = [i for i in indices if orbits[i] not in served]
    found = set()
    for s, edges in enumerate(inner):
        here = sum(1 << transports[s][i] for i in starved)
        if here and any(when[e] & here for _, e in edges):
            found.add(s)
    return found
