"""CTL* on an explicit graph, by the definition: guess which sub-formulas hold on a path, look for a fair component."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import product

from quorbit.model.system.formula import (
    AllPaths,
    Always,
    And,
    Eventually,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Proposition,
    Release,
    SomePath,
    Truth,
    Until,
    WeakUntil,
    children,
)

Graph = dict[Hashable, tuple[Hashable, ...]]
TEMPORAL = (Next, Eventually, Always, Until, WeakUntil, Release)


def states_of(graph: Graph, formula: Formula, holds: Callable[[Hashable, Hashable], bool]) -> frozenset[Hashable]:
    """The states in which a state formula holds; paths are infinite."""
    match formula:
        case Proposition(e):
            return frozenset(s for s in graph if holds(e, s))
        case Truth(value):
            return frozenset(graph if value else ())
        case SomePath(p):
            return some_path(graph, p, holds)
        case AllPaths(p):
            return frozenset(graph) - some_path(graph, Not(p), holds)
    parts = [states_of(graph, f, holds) for f in children(formula)]
    return frozenset(s for s in graph if connective(formula, [s in part for part in parts]))


def connective(formula: Formula, truths: list[bool]) -> bool:
    match formula:
        case Not():
            return not truths[0]
        case And():
            return all(truths)
        case Or():
            return any(truths)
        case Implies():
            return not truths[0] or truths[1]
        case Iff():
            return truths[0] == truths[1]
    raise AssertionError(formula)


def some_path(graph: Graph, p: Formula, holds: Callable[[Hashable, Hashable], bool]) -> frozenset[Hashable]:
    """Nodes are states with a guess of the truth of every temporal sub-formula; arcs keep what the guesses imply."""
    temporal: list[Formula] = []
    leaves: dict[Formula, frozenset[Hashable]] = {}
    collect(graph, p, holds, temporal, leaves)
    nodes = [
        (s, dict(zip(temporal, guess, strict=True)))
        for s in graph
        for guess in product((False, True), repeat=len(temporal))
    ]

    def value(f: Formula, node: tuple[Hashable, dict[Formula, bool]]) -> bool:
        if f in leaves:
            return node[0] in leaves[f]
        return node[1][f] if isinstance(f, TEMPORAL) else connective(f, [value(g, node) for g in children(f)])

    truths = [
        {f: value(f, node) for f in [*temporal, *(g for t in temporal for g in children(t)), p]} for node in nodes
    ]
    where: dict[Hashable, list[int]] = {}
    for k, (s, _) in enumerate(nodes):
        where.setdefault(s, []).append(k)
    arcs = [
        [l for t in graph[s] for l in where[t] if all(consistent(f, truths[k], truths[l]) for f in temporal)]
        for k, (s, _) in enumerate(nodes)
    ]
    good = fair_nodes(
        arcs, [[bool(promise(f, truths[k])) for k in range(len(nodes))] for f in temporal if is_eventual(f)]
    )
    return frozenset(nodes[k][0] for k in good if truths[k][p])


def collect(
    graph: Graph,
    f: Formula,
    holds: Callable[..., bool],
    temporal: list[Formula],
    leaves: dict[Formula, frozenset[Hashable]],
) -> None:
    if isinstance(f, Proposition | Truth | SomePath | AllPaths):
        leaves[f] = states_of(graph, f, holds)
        return
    for g in children(f):
        collect(graph, g, holds, temporal, leaves)
    if isinstance(f, TEMPORAL) and f not in temporal:
        temporal.append(f)


def consistent(f: Formula, now: dict[Formula, bool], after: dict[Formula, bool]) -> bool:
    """The expansion law of a temporal operator between two neighbours of a path."""
    match f:
        case Next(g):
            return now[f] == after[g]
        case Eventually(g):
            return now[f] == (now[g] or after[f])
        case Always(g):
            return now[f] == (now[g] and after[f])
        case Until(g, h) | WeakUntil(g, h):
            return now[f] == (now[h] or (now[g] and after[f]))
        case Release(g, h):
            return now[f] == (now[h] and (now[g] or after[f]))
    raise AssertionError(f)


def is_eventual(f: Formula) -> bool:
    return not isinstance(f, Next)


def promise(f: Formula, now: dict[Formula, bool]) -> bool:
    """What must be true infinitely often so that the guesses for f are honest."""
    match f:
        case Eventually(g):
            return not now[f] or now[g]
        case Until(_, h):
            return not now[f] or now[h]
        case Always(g):
            return now[f] or not now[g]
        case WeakUntil(g, h):
            return now[f] or not (now[g] or now[h])
        case Release(g, h):
            return now[f] or not now[h]
    raise AssertionError(f)


def fair_nodes(arcs: list[list[int]], fair: list[list[bool]]) -> set[int]:
    """The nodes from which a path meets every fair set infinitely often."""
    good: set[int] = set()
    for component in components(arcs):
        inner = any(l in component for k in component for l in arcs[k])
        if inner and all(any(f[k] for k in component) for f in fair):
            good |= component
    while True:
        more = {k for k in range(len(arcs)) if k not in good and any(l in good for l in arcs[k])}
        if not more:
            return good
        good |= more


def components(arcs: list[list[int]]) -> list[set[int]]:
    """Strongly connected components, by reachability both ways."""
    reach = [reachable(arcs, k) for k in range(len(arcs))]
    seen: set[int] = set()
    found = []
    for k in range(len(arcs)):
        if k not in seen:
            component = {k} | {l for l in reach[k] if k in reach[l]}
            seen |= component
            found.append(component)
    return found


def reachable(arcs: list[list[int]], start: int) -> set[int]:
    seen: set[int] = set()
    stack = list(arcs[start])
    while stack:
        k = stack.pop()
        if k not in seen:
            seen.add(k)
            stack += arcs[k]
    return seen
