"""Simulation between the states of a draft, and what may be joined or dropped because of it.

State t simulates s if t can answer every step of s, letter for letter, with a step that has at least the same marks
and leads to a state that simulates the other's target; then everything accepted from s is accepted from t.  Relations
are lists of bit masks: bit t of `above[s]` says that t simulates s.  Backwards the same is asked of incoming steps.
"""

from __future__ import annotations

from quorbit.logic.automata.booleans import FALSE, Booleans
from quorbit.logic.automata.draft import Edges


def simulate(booleans: Booleans, low: list[Edges], high: list[Edges], above: list[int]) -> list[int]:
    """The largest simulation inside `above`, for steps of `low` answered by steps of `high` (of the same states)."""
    above = [mask & candidates for mask, candidates in zip(above, widest(booleans, low, high), strict=True)]
    changed = True
    while changed:
        changed = False
        for s, edges in enumerate(low):
            kept = above[s]
            for t in bits(above[s]):
                if t != s and not answers(booleans, edges, high[t], above):
                    kept &= ~(1 << t)
            changed |= kept != above[s]
            above[s] = kept
    return above


def widest(booleans: Booleans, low: list[Edges], high: list[Edges]) -> list[int]:
    """For every state those whose letters include its own: a cheap first sieve."""
    letters = [union(booleans, edges) for edges in high]
    needed = [union(booleans, edges) for edges in low]
    return [sum(1 << t for t, has in enumerate(letters) if booleans.implies(need, has)) for need in needed]


def union(booleans: Booleans, edges: Edges) -> int:
    result = FALSE
    for guard in edges.values():
        result = booleans.either(result, guard)
    return result


def answers(booleans: Booleans, edges: Edges, others: Edges, above: list[int]) -> bool:
    """Whether each step has answers for all its letters."""
    for (s, marks), guard in edges.items():
        rest = others.get((s, marks), FALSE)
        rest = booleans.without(guard, rest) if rest else guard
        for (t, more), other in others.items():
            if rest == FALSE:
                break
            if above[s] >> t & 1 and marks & ~more == 0:
                rest = booleans.without(rest, other)
        if rest != FALSE:
            return False
    return True


def bits(mask: int) -> list[int]:
    found = []
    while mask:
        found.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return found


def representatives(above: list[int]) -> list[int]:
    """For every state the first one that it simulates and that simulates it."""
    return [next(t for t in bits(above[s]) if above[t] >> s & 1) for s in range(len(above))]


def join_and_prune(booleans: Booleans, edges: list[Edges], above: list[int]) -> list[Edges]:
    """Edges of the representatives, without those that a better one of the same state covers; others have none."""
    names = representatives(above)
    result: list[Edges] = [{} for _ in edges]
    for s, found in enumerate(edges):
        if names[s] == s:
            renamed: Edges = {}
            for (t, marks), guard in found.items():
                key = (names[t], marks)
                renamed[key] = booleans.either(renamed.get(key, FALSE), guard)
            result[s] = prune(booleans, renamed, above)
    return result


def prune(booleans: Booleans, edges: Edges, above: list[int]) -> Edges:
    kept: Edges = {}
    for (s, marks), guard in edges.items():
        for (t, more), other in edges.items():
            if (s, marks) != (t, more) and above[s] >> t & 1 and marks & ~more == 0:
                guard = booleans.without(guard, other)
        if guard != FALSE:
            kept[s, marks] = guard
    return kept
