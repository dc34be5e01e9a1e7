"""Checking on a quotient graph whose edges carry permutations: fairness of all processes, formulas about one process.

`Annotated` is plain data.  States are representatives of orbits; an edge from representative s stands for a step of the
system from s to some u, and carries the processes that move (`actors`, a bit mask of indices in s) and the permutation
g with target = g·u, so that the process with index d in s has index g[d] in the target.  All steps of a representative
are edges, also if they lead to the same representative.  The propositions must be invariant under the group; what names
a process is asked with `track`.

- `check_annotated`: LTL and CTL*, with weak or strong fairness of every process, at a cost of n per edge.
- `check_for_all`: `forall p: f(p)` where the propositions of f speak about p, on the quotient by the whole group: the
index
  of p is carried along (factor n).  It asks all processes in each initial state; so nothing is assumed about them.
- `check_exists_for_ever`: `exists p: <>[] a(p)`, by the thread condition `GF !a` that a counterexample has to satisfy.
- `unroll`: a lasso of the quotient as a path of the system, repeated until the permutation around the loop closes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from quorbit.groups.permutation import Permutation, compose, identity
from quorbit.logic.formulas.fairness import UNFAIR
from quorbit.logic.graphs.evaluate import Answer, check
from quorbit.logic.graphs.kripke import Flags, Kripke, as_flags, union
from quorbit.logic.graphs.lasso import Lasso
from quorbit.logic.graphs.threads import Recurrence, Threads
from quorbit.model.system.formula import Formula, Proposition, Truth, propositions
from quorbit.source.frozen import frozen

QuotientEdge = tuple[int, int, int, Permutation]  # source, target, actors, permutation
About = Callable[[Proposition, int, int], bool]  # does the proposition hold in a state for the process with an index?


@frozen
class Annotated:
    processes: int
    offsets: Sequence[int]
    targets: Sequence[int]
    actors: Sequence[int]
    permutations: Sequence[Permutation]
    initial: tuple[int, ...]
    dead: Flags

    @property
    def count(self) -> int:
        return len(self.offsets) - 1


@frozen
class ProcessFairness:
    """Which processes are weakly and which strongly fair: sets of indices that the group maps to themselves."""

    weak: tuple[int, ...] = ()
    strong: tuple[int, ...] = ()


NO_FAIRNESS = ProcessFairness()


def build_annotated(processes: int, count: int, initial: Iterable[int], edges: Iterable[QuotientEdge]) -> Annotated:
    """From edges in any order; a state without edges stutters."""
    grouped: list[list[QuotientEdge]] = [[] for _ in range(count)]
    for edge in edges:
        grouped[edge[0]].append(edge)
    dead = bytes(not found for found in grouped)
    offsets, flat = [0], list[QuotientEdge]()
    for s, found in enumerate(grouped):
        flat.extend(found or [(s, s, 0, identity(processes))])
        offsets.append(len(flat))
    targets, actors, permutations = [e[1] for e in flat], [e[2] for e in flat], [e[3] for e in flat]
    return Annotated(processes, offsets, targets, actors, permutations, tuple(initial), dead)


def check_annotated(
    annotated: Annotated,
    formula: Formula,
    labels: Mapping[Proposition, Iterable[int] | Flags],
    fairness: ProcessFairness = NO_FAIRNESS,
) -> Answer:
    """Does every initial state satisfy a formula whose propositions are invariant under the group?"""
    kripke = as_kripke(annotated, labels)
    return check(kripke, formula, UNFAIR, fair_threads(annotated, kripke, fairness))


def as_kripke(annotated: Annotated, labels: Mapping[Proposition, Iterable[int] | Flags]) -> Kripke:
    named = {p: as_flags(states, annotated.count) for p, states in labels.items()}
    offsets, actors = annotated.offsets, annotated.actors
    enabled = [union(actors[offsets[s] : offsets[s + 1]]) for s in range(annotated.count)]
    return Kripke(offsets, annotated.targets, annotated.initial, named, actors, enabled, annotated.dead)


def fair_threads(annotated: Annotated, kripke: Kripke, fairness: ProcessFairness) -> Threads | None:
    """The conditions of fairness on threads, None if there are none."""
    conditions = []
    enabled = [kripke.enabled[s] for s in sources(annotated)]
    if fairness.weak:
        moves_or_disabled = [a | ~e for a, e in zip(annotated.actors, enabled, strict=True)]
        conditions.append(Recurrence(fairness.weak, moves_or_disabled))
    if fairness.strong:
        conditions.append(Recurrence(fairness.strong, annotated.actors, enabled))
    return Threads(annotated.permutations, tuple(conditions)) if conditions else None


def sources(annotated: Annotated) -> list[int]:
    """The source of every edge."""
    offsets = annotated.offsets
    return [s for s in range(annotated.count) for _ in range(offsets[s], offsets[s + 1])]


@frozen
class Tracked:
    """A quotient in which one process is followed: states are pairs, and edges remember the edge they come from."""

    graph: Annotated
    pairs: tuple[tuple[int, int], ...]
    edges: tuple[int, ...]


def track(annotated: Annotated, start: Iterable[tuple[int, int]]) -> Tracked:
    """The pairs (state, index of the process) that can be reached."""
    pairs = list(dict.fromkeys(start))
    first = len(pairs)
    numbers = {pair: i for i, pair in enumerate(pairs)}
    edges: list[QuotientEdge] = []
    origins: list[int] = []
    for s, index in pairs:
        for e in range(annotated.offsets[s], annotated.offsets[s + 1]):
            target = (annotated.targets[e], annotated.permutations[e][index])
            if target not in numbers:
                numbers[target] = len(pairs)
                pairs.append(target)
            edges.append((numbers[s, index], numbers[target], annotated.actors[e], annotated.permutations[e]))
            origins.append(e)
    graph = build_annotated(annotated.processes, len(pairs), range(first), edges)
    return Tracked(graph, tuple(pairs), tuple(origins))


@frozen
class TrackedAnswer:
    """The answer; if it is no, the process (by its index in the initial state) and a lasso of the quotient's edges."""

    holds: bool
    failing: tuple[int, int] | None
    lasso: Lasso | None


def check_for_all(
    annotated: Annotated,
    body: Formula,
    about: About,
    indices: Iterable[int],
    fairness: ProcessFairness = NO_FAIRNESS,
) -> TrackedAnswer:
    """`forall p: body` over the processes with the given indices, in all initial states."""
    tracked = track(annotated, [(s, i) for s in annotated.initial for i in indices])
    labels = {p: [n for n, (s, i) in enumerate(tracked.pairs) if about(p, s, i)] for p in propositions(body)}
    answer = check_annotated(tracked.graph, body, labels, fairness)
    failing = None if answer.failing is None else tracked.pairs[answer.failing]
    return TrackedAnswer(answer.holds, failing, original(tracked, answer.lasso))


def original(tracked: Tracked, lasso: Lasso | None) -> Lasso | None:
    """The lasso in terms of the quotient that was tracked."""
    if lasso is None:
        return None
    stem, loop = ([tracked.edges[e] for e in part] for part in (lasso.stem, lasso.loop))
    return Lasso(tracked.pairs[lasso.start][0], tuple(stem), tuple(loop))


def check_exists_for_ever(
    annotated: Annotated,
    holds: Callable[[int, int], bool],
    indices: tuple[int, ...],
    fairness: ProcessFairness = NO_FAIRNESS,
) -> Answer:
    """On every path: `exists p: <>[] a(p)`, where holds(state, index) is a; indices are a union of orbits.

    A counterexample is a fair path on which every process has !a infinitely often: a condition on threads.
    """
    kripke = as_kripke(annotated, {})
    fair = fair_threads(annotated, kripke, fairness)
    fails = [sum(1 << i for i in indices if not holds(s, i)) for s in range(annotated.count)]
    recurs = Recurrence(indices, [fails[s] for s in sources(annotated)])
    conditions = (*(fair.conditions if fair else ()), recurs)
    return check(kripke, Truth(False), UNFAIR, Threads(annotated.permutations, conditions))


@frozen
class Step:
    """An edge of the quotient taken by the system, and the permutation from the system's indices to its source's."""

    edge: int
    renaming: Permutation


def unroll(annotated: Annotated, lasso: Lasso) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """The stem and the loop as steps of the system that begins in the lasso's start as it is.

    If r is the renaming of a step, the system's state is r⁻¹·(source of the edge).  The loop is repeated until the
    renaming at its end is the one at its beginning, so that it closes in the system.
    """
    renaming = identity(annotated.processes)
    stem, renaming = steps(annotated, lasso.stem, renaming)
    loop, end = steps(annotated, lasso.loop, renaming)
    while end != renaming:
        more, end = steps(annotated, lasso.loop, end)
        loop += more
    return stem, loop


def steps(annotated: Annotated, edges: tuple[int, ...], renaming: Permutation) -> tuple[tuple[Step, ...], Permutation]:
    found = []
    for edge in edges:
        found.append(Step(edge, renaming))
        renaming = compose(renaming, annotated.permutations[edge])
    return tuple(found), renaming
