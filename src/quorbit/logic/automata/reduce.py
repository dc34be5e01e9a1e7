"""Make a draft automaton smaller without changing its language.

- `trim` drops states from which nothing is accepted, and marks that cannot matter;
- `drop_sets` drops acceptance sets that others imply;
- `merge_forward`, `merge_backward` join states that simulate each other and drop transitions that a better one makes
  superfluous (Somenzi and Bloem 2000; with marks on transitions Babiak, Badie, Duret-Lutz, Křetínský, Strejček 2013);
- `redirect` leads transitions that leave their component to a state of the same language further down.

With `by_state` the draft stands for an automaton with accepting states: all edges of a state have the same mark.
"""

from __future__ import annotations

from quorbit.logic.automata.draft import Draft, Edges, accepting_components, components, renumber
from quorbit.logic.automata.simulation import join_and_prune, representatives, simulate

LARGEST_SIMULATED = 300_000  # states times edges; beyond that the relation costs more than it saves


def reduce(draft: Draft, by_state: bool = False) -> Draft:
    """All reductions, again and again until none helps."""
    draft = clean(draft, by_state)
    while draft.size()[0] * draft.size()[1] <= LARGEST_SIMULATED:
        size = draft.size()
        for step in (merge_forward, merge_backward, redirect):
            draft = clean(step(draft, by_state), by_state)
        if draft.size() >= size:
            break
    return draft


def clean(draft: Draft, by_state: bool) -> Draft:
    draft = trim(draft)
    return marked(draft, by_state, 0) if by_state else drop_sets(draft)


def trim(draft: Draft) -> Draft:
    """Without states that cannot reach an accepting cycle; marks are kept only on edges of accepting components."""
    component = components(draft)
    accepting = accepting_components(draft, component)
    useful: set[int] = set(accepting)
    for s in sorted(range(len(draft.edges)), key=lambda s: component[s]):  # successors' components come first
        if any(component[t] in useful for t, _ in draft.edges[s]):
            useful.add(component[s])
    kept = Draft(draft.booleans, draft.initial, [{} for _ in draft.edges], draft.sets)
    for s, edges in enumerate(draft.edges):
        for (t, marks), guard in edges.items():
            inside = component[s] == component[t] and component[s] in accepting
            kept.add(s, t, marks if inside else 0, guard)
    return renumber(kept, [c in useful for c in component])


def drop_sets(draft: Draft) -> Draft:
    """Without acceptance sets that are implied: where mark j stands in an accepting component, mark k stands too."""
    component = components(draft)
    accepting = accepting_components(draft, component)
    inner = sorted({m for s, t, m in all_edges(draft) if component[s] == component[t] and component[s] in accepting})
    kept: list[int] = []
    for k in range(draft.sets):
        others = kept + list(range(k + 1, draft.sets))
        if not any(all(m >> k & 1 for m in inner if m >> j & 1) for j in others):
            kept.append(k)
    if kept == list(range(draft.sets)):
        return draft
    result = Draft(draft.booleans, draft.initial, [{} for _ in draft.edges], len(kept))
    for s, edges in enumerate(draft.edges):
        for (t, marks), guard in edges.items():
            result.add(s, t, sum((marks >> k & 1) << i for i, k in enumerate(kept)), guard)
    return result


def all_edges(draft: Draft) -> list[tuple[int, int, int]]:
    return [(s, t, marks) for s, edges in enumerate(draft.edges) for t, marks in edges]


def marked(draft: Draft, by_state: bool, free: int) -> Draft:
    """The same automaton with the marks `free` wherever marks cannot matter.

    That is on edges between components; with by_state on all edges of a state that lies on no cycle, while every edge
    of another state gets the mark of the state.
    """
    component = components(draft)
    result = Draft(draft.booleans, draft.initial, [{} for _ in draft.edges], draft.sets)
    for s, edges in enumerate(draft.edges):
        inner = [marks for t, marks in edges if component[t] == component[s]]
        for (t, marks), guard in edges.items():
            if by_state:
                marks = max(inner, default=free)
            elif component[s] != component[t]:
                marks = free
            result.add(s, t, marks, guard)
    return result


def merge_forward(draft: Draft, by_state: bool) -> Draft:
    draft = marked(draft, by_state, draft.full)
    above = simulate(draft.booleans, draft.edges, draft.edges, everything(draft))
    edges = join_and_prune(draft.booleans, draft.edges, above)
    merged = Draft(draft.booleans, representatives(above)[draft.initial], edges, draft.sets)
    return renumber(merged, [True] * len(edges))


def merge_backward(draft: Draft, by_state: bool) -> Draft:
    """As merge_forward, on the automaton with its edges turned round."""
    draft = marked(draft, by_state, draft.full)
    start = everything(draft)
    start[draft.initial] = 1 << draft.initial  # nothing else begins runs
    if by_state:
        start = [mask & same_marks(draft, s) for s, mask in enumerate(start)]
    turned = turn(draft.edges)
    above = simulate(draft.booleans, turned, turned, start)
    edges = turn(join_and_prune(draft.booleans, turned, above))
    merged = Draft(draft.booleans, representatives(above)[draft.initial], edges, draft.sets)
    return renumber(merged, [True] * len(edges))


def same_marks(draft: Draft, s: int) -> int:
    """The states whose edges have the marks of s's edges."""
    marks = {m for _, m in draft.edges[s]}
    return sum(1 << t for t, edges in enumerate(draft.edges) if {m for _, m in edges} == marks)


def turn(edges: list[Edges]) -> list[Edges]:
    result: list[Edges] = [{} for _ in edges]
    for s, found in enumerate(edges):
        for (t, marks), guard in found.items():
            result[t][s, marks] = guard
    return result


def everything(draft: Draft) -> list[int]:
    return [(1 << len(draft.edges)) - 1] * len(draft.edges)


def redirect(draft: Draft, by_state: bool) -> Draft:
    """Lead edges between components to a state with the same language in the lowest possible component.

    Two states have the same language if each simulates the other, where marks that cannot matter are ignored on both
    sides.  The target lies in a component below, from which the source cannot be reached: no cycle is closed.
    """
    component = components(draft)
    low, high = marked(draft, by_state, 0), marked(draft, by_state, draft.full)
    above = simulate(draft.booleans, low.edges, high.edges, everything(draft))
    names = [lowest_equal(s, above, component) for s in range(len(draft.edges))]
    result = Draft(draft.booleans, names[draft.initial], [{} for _ in draft.edges], draft.sets)
    for s, edges in enumerate(draft.edges):
        for (t, marks), guard in edges.items():
            result.add(s, t if component[s] == component[t] else names[t], marks, guard)
    return renumber(result, [True] * len(draft.edges))


def lowest_equal(s: int, above: list[int], component: list[int]) -> int:
    equal = [t for t in range(len(above)) if above[s] >> t & 1 and above[t] >> s & 1 and component[t] < component[s]]
    return min(equal, key=lambda t: component[t], default=s)
