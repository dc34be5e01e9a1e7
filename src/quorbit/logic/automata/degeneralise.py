"""Generalised acceptance on transitions → accepting states: copies of the automaton that wait for one mark each.

A state (s, level) has seen the first `level` marks in the chosen order since it was last accepting; at the last level
it is accepting and begins anew.  Only accepting components are copied; elsewhere the level is 0.
"""

from __future__ import annotations

from itertools import islice, permutations

from quorbit.logic.automata.draft import Draft, accepting_components, components, renumber

Level = tuple[int, int]
TRIED_ORDERS = 24
TRIED_EDGES = 1_000  # in all orders together


def degeneralise(draft: Draft, order: tuple[int, ...]) -> Draft:
    """A draft with one acceptance set, whose mark stands on all edges of a state or on none."""
    component = components(draft)
    accepting = accepting_components(draft, component)
    start = (draft.initial, 0)
    numbers: dict[Level, int] = {start: 0}
    waiting = [start]
    result = Draft(draft.booleans, 0, [{}], 1)
    for s, level in waiting:
        mark = int(component[s] in accepting and level == draft.sets)
        for (t, marks), guard in draft.edges[s].items():
            inside = component[s] == component[t] and component[s] in accepting
            target = (t, advance(level, marks, order) if inside else 0)
            if target not in numbers:
                numbers[target] = len(numbers)
                waiting.append(target)
                result.edges.append({})
            result.add(numbers[s, level], numbers[target], mark, guard)
    return settle(result, waiting)


def advance(level: int, marks: int, order: tuple[int, ...]) -> int:
    level = 0 if level == len(order) else level
    while level < len(order) and marks >> order[level] & 1:
        level += 1
    return level


def settle(draft: Draft, levels: list[Level]) -> Draft:
    """All levels of a state have the same language: enter a component at a level that lies in its lowest part."""
    component = components(draft)
    lowest: dict[int, int] = {}
    for n, (s, _) in enumerate(levels):
        if s not in lowest or component[n] < component[lowest[s]]:
            lowest[s] = n
    names = [lowest[s] for s, _ in levels]
    result = Draft(draft.booleans, names[draft.initial], [{} for _ in draft.edges], 1)
    for n, edges in enumerate(draft.edges):
        for (t, marks), guard in edges.items():
            result.add(n, t if component[n] == component[t] else names[t], marks, guard)
    return renumber(result, [True] * len(draft.edges))


def orders(draft: Draft) -> list[tuple[int, ...]]:
    """Orders in which marks may be waited for; the more, the smaller the automaton."""
    tried = max(1, min(TRIED_ORDERS, TRIED_EDGES // sum(map(len, draft.edges), 1)))
    return list(islice(permutations(range(draft.sets)), tried))
