"""Evaluate a formula on a state graph: with stuttering, automata, and fairness of processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from quorbit.engines.state_graph import StateGraph
from quorbit.groups.permutation import Permutation, identity
from quorbit.logic.automaton import Buchi, Transition
from quorbit.logic.evaluate import Answer, check, check_never
from quorbit.logic.fairness import UNFAIR
from quorbit.logic.kripke import Flags, Kripke
from quorbit.logic.threads import Recurrence, Threads
from quorbit.model.formula import Accepted, Formula, Not, Proposition, Truth

FAIRNESS = ("none", "weak", "strong")


@dataclass(frozen=True)
class Closed:
    """A graph in which every path goes on for ever; origins: the number of each edge in the state graph, -1 for the
    stuttering of a state without moves."""

    kripke: Kripke
    permutations: Sequence[Permutation]
    origins: Sequence[int]


def judge(
    graph: StateGraph, formula: Formula, labels: Mapping[Proposition, Flags], fairness: str, atoms: int
) -> Answer:
    """Whether all initial states satisfy the formula; edges of the lasso are the graph's, -1 for stuttering."""
    claim = claim_of(formula)
    closed = close(graph, labels, atoms, stutters=claim is None or not claim.endless)
    threads = fair_threads(graph, closed, fairness)
    if claim is None:
        answer = check(closed.kripke, formula, UNFAIR, threads)
    else:
        answer = check_never(closed.kripke, automaton_of(claim), UNFAIR, threads)
    if answer.lasso is None:
        return answer
    stem, loop = (tuple(closed.origins[e] for e in part) for part in (answer.lasso.stem, answer.lasso.loop))
    return replace(answer, lasso=replace(answer.lasso, stem=stem, loop=loop))


def claim_of(formula: Formula) -> Accepted | None:
    """The automaton that should accept no path, if the formula is such a claim."""
    match formula:
        case Not(Accepted() as claim):
            return claim
    return None


def automaton_of(claim: Accepted) -> Buchi:
    """The automaton over its guards: each guard is one proposition."""
    guards = dict.fromkeys(g for g in claim.guards if not isinstance(g, Truth))
    bits: dict[Formula, int] = {g: 1 << k for k, g in enumerate(guards)}
    states = 1 + max((q for edge in claim.edges for q in edge), default=0)
    transitions = tuple(
        Transition(source, target, bits.get(g, 0), 0)
        for (source, target), g in zip(claim.edges, claim.guards, strict=True)
        if g != Truth(False)
    )
    named = tuple(g if isinstance(g, Proposition) else Proposition(g) for g in guards)
    return Buchi(named, states, 0, transitions, tuple(q in claim.accepting for q in range(states)))


def close(graph: StateGraph, labels: Mapping[Proposition, Flags], atoms: int, stutters: bool) -> Closed:
    """The graph with an edge to itself at every state without moves, if these stutter; nobody is enabled there."""
    dead = bytes(graph.offsets[s] == graph.offsets[s + 1] for s in range(graph.count))
    enabled = [0 if dead[s] else graph.enabled[s] for s in range(graph.count)]
    if not stutters or not any(dead):
        kripke = Kripke(graph.offsets, graph.targets, graph.initial, labels, graph.actors, enabled, dead)
        return Closed(kripke, graph.permutations, range(len(graph.targets)))
    origins, offsets, targets = list[int](), [0], list[int]()
    for s in range(graph.count):
        first, last = graph.offsets[s], graph.offsets[s + 1]
        origins.extend(range(first, last) if last > first else (-1,))
        targets.extend(graph.targets[first:last] if last > first else (s,))
        offsets.append(len(origins))
    unmoved = identity(atoms)
    actors = [graph.actors[e] if e >= 0 else 0 for e in origins]
    permutations = [graph.permutations[e] if e >= 0 else unmoved for e in origins]
    kripke = Kripke(offsets, targets, graph.initial, labels, actors, enabled, dead)
    return Closed(kripke, permutations, origins)


def fair_threads(graph: StateGraph, closed: Closed, fairness: str) -> Threads | None:
    """Weak: a process moves infinitely often or is infinitely often disabled.  Strong: it moves infinitely often if it
    is infinitely often enabled."""
    if fairness == "none":
        return None
    kripke = closed.kripke
    processes = 0
    for mask in graph.enabled:
        processes |= mask
    indices = tuple(a for a in range(processes.bit_length()) if processes >> a & 1)
    enabled = [kripke.enabled[s] for s in range(kripke.count) for _ in kripke.successors(s)]
    if fairness == "strong":
        return Threads(closed.permutations, (Recurrence(indices, kripke.actors, enabled),))
    good = [moving | ~can for moving, can in zip(kripke.actors, enabled, strict=True)]
    return Threads(closed.permutations, (Recurrence(indices, good),))
