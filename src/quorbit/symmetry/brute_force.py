"""Go through all states of a small System and see whether permutations are symmetries of its state graph.

Slow and plain: every state, every move, every generator.  For certificates and tests.

Short names: s, t states; g a permutation of the atoms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from quorbit.groups.permutation import Permutation
from quorbit.groups.unionfind import UnionFind
from quorbit.model.evaluate import Meaning
from quorbit.model.system import Place, State, System
from quorbit.model.types import NONE, AtomOf, QueueOf, SetOf, TupleOf, Type, Value

Moves = Counter[tuple[State | None, str]]  # where to, and what is violated on the way


@dataclass(frozen=True)
class StateGraph:
    """The reachable states with their moves, each with how often it is there."""

    initial: frozenset[State]
    moves: dict[State, Moves]


def state_graph(system: System, most: int) -> StateGraph | None:
    """None if there are more states than that."""
    meaning = Meaning(system)
    initial = meaning.initial_states()
    moves: dict[State, Moves] = {}
    waiting = list(initial)
    seen = set(waiting)
    for s in waiting:
        moves[s] = Counter()
        for move in meaning.moves(s):
            failed = move.violation is not None
            moves[s][(None if failed else move.target, move.violation.property if move.violation else "")] += 1
            if not failed and move.target not in seen:
                seen.add(move.target)
                waiting.append(move.target)
        if len(seen) > most:
            return None
    return StateGraph(frozenset(initial), moves)


def broken_state(system: System, graph: StateGraph, g: Permutation) -> State | None:
    """A state whose moves g does not map to the moves of its image; None if g is an automorphism of the graph."""
    image = {s: moved(system, s, g) for s in graph.moves}
    if {image[s] for s in graph.initial} != graph.initial:
        return next(iter(sorted(graph.initial, key=repr)))
    for s, moves in graph.moves.items():
        expected = Counter({(None if t is None else image[t], what): times for (t, what), times in moves.items()})
        if graph.moves.get(image[s]) != expected:
            return s
    return None


def count_orbits(system: System, graph: StateGraph, generators: Sequence[Permutation]) -> int:
    number = {s: k for k, s in enumerate(graph.moves)}
    joined = UnionFind(len(number))
    for g in generators:
        for s, k in number.items():
            joined.unite(k, number[moved(system, s, g)])
    return len(joined.classes())


def moved(system: System, s: State, g: Permutation) -> State:
    """g's image of a state, written here once more so that nothing is taken for granted."""
    found: dict[tuple[object, ...], Value] = {}
    for place, value in zip(system.places, s, strict=True):
        owners = tuple(a if a == NONE else g[a] for a in place.owners)
        found[(place.variable, owners, place.indices)] = moved_value(place.type, value, g)
    return tuple(found[address(place)] for place in system.places)


def address(place: Place) -> tuple[object, ...]:
    return place.variable, place.owners, place.indices


def moved_value(type: Type, value: Value, g: Permutation) -> Value:
    match type, value:
        case AtomOf(), int(a):
            return a if a == NONE else g[a]
        case TupleOf(parts), tuple(values):
            return tuple(moved_value(t, v, g) for t, v in zip(parts, values, strict=True))
        case SetOf(element), frozenset(values):
            return frozenset(moved_value(element, v, g) for v in values)
        case QueueOf(message), tuple(values):
            return tuple(moved_value(message, v, g) for v in values)
        case _:
            return value
