"""An automaton under construction: guards are Boolean functions, acceptance is by marks on transitions.

`edges[s]` maps (target, marks) to the guard, so that parallel transitions are one.  A Büchi automaton with accepting
states is a draft with one acceptance set whose mark stands on all edges out of an accepting state or on none.
"""

from __future__ import annotations

from quorbit.logic.automata.automaton import Buchi, GeneralisedBuchi, Transition
from quorbit.logic.automata.booleans import FALSE, Booleans
from quorbit.logic.graphs.components import strong_components
from quorbit.model.system.formula import Proposition
from quorbit.source.frozen import mutable

__all__ = ["Draft"]

Edges = dict[tuple[int, int], int]


@mutable
class Draft:
    booleans: Booleans
    initial: int
    edges: list[Edges]
    sets: int

    @property
    def full(self) -> int:
        """All marks."""
        return (1 << self.sets) - 1

    def add(self, source: int, target: int, marks: int, guard: int) -> None:
        if guard != FALSE:
            edges = self.edges[source]
            edges[target, marks] = self.booleans.either(edges.get((target, marks), FALSE), guard)

    def size(self) -> tuple[int, int]:
        return len(self.edges), sum(map(len, self.edges))


def components(draft: Draft) -> list[int]:
    """The strongly connected component of every state; successors have smaller numbers."""
    return strong_components(len(draft.edges), lambda s: [t for t, _ in draft.edges[s]])


def accepting_components(draft: Draft, component: list[int]) -> set[int]:
    """The components with a cycle in which every mark occurs."""
    marks: dict[int, int] = {}
    for s, edges in enumerate(draft.edges):
        for t, m in edges:
            if component[s] == component[t]:
                marks[component[s]] = marks.get(component[s], 0) | m
    return {c for c, m in marks.items() if m == draft.full}


def renumber(draft: Draft, keep: list[bool], names: list[int] | None = None) -> Draft:
    """The draft with only the kept states that are reachable, numbered as a search meets them; names[s] replaces s."""
    names = names if names is not None else list(range(len(draft.edges)))
    if not keep[names[draft.initial]]:
        return Draft(draft.booleans, 0, [{}], draft.sets)
    order: dict[int, int] = {names[draft.initial]: 0}
    waiting = [names[draft.initial]]
    for s in waiting:
        for t, _ in draft.edges[s]:
            if keep[names[t]] and names[t] not in order:
                order[names[t]] = len(order)
                waiting.append(names[t])
    result = Draft(draft.booleans, 0, [{} for _ in order], draft.sets)
    for s in waiting:
        for (t, marks), guard in draft.edges[s].items():
            if keep[names[t]]:
                result.add(order[s], order[names[t]], marks, guard)
    return result


def finish_generalised(draft: Draft, propositions: tuple[Proposition, ...]) -> GeneralisedBuchi:
    return GeneralisedBuchi(propositions, len(draft.edges), draft.initial, transitions(draft), draft.sets)


def finish_buchi(draft: Draft, accepting: list[bool], propositions: tuple[Proposition, ...]) -> Buchi:
    unmarked = tuple(Transition(t.source, t.target, t.positive, t.negative) for t in transitions(draft))
    return Buchi(propositions, len(draft.edges), draft.initial, unmarked, tuple(accepting))


def transitions(draft: Draft) -> tuple[Transition, ...]:
    return tuple(
        Transition(s, t, positive, negative, marks)
        for s, edges in enumerate(draft.edges)
        for (t, marks), guard in edges.items()
        for positive, negative in draft.booleans.cubes(guard)
    )
