"""Go through all states of a small System and see whether permutations are symmetries of its state graph.

Slow and plain: every state, every move, every generator.  For certificates and tests.

Short names: s, t states; g a permutation of the atoms.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence, Set
from itertools import pairwise

from quorbit.groups.chain import build_chain, contains
from quorbit.groups.group import Group, swap
from quorbit.groups.moves import permutation_of
from quorbit.groups.permutation import Permutation
from quorbit.groups.unionfind import UnionFind
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.command import parameters_of
from quorbit.model.system.expression import Fresh
from quorbit.model.system.system import Place, State, System
from quorbit.model.system.types import NONE, AtomOf, QueueOf, SetOf, TupleOf, Type, Value
from quorbit.source.frozen import frozen

__all__ = ["alike_under", "broken_state", "count_orbits", "keeps_start", "state_graph"]

Moves = Counter[tuple[State | None, str]]  # where to, and what is violated on the way


@frozen
class StateGraph:
    """The reachable states with their moves, each with how often it is there."""

    initial: frozenset[State]
    moves: dict[State, Moves]


def state_graph(system: System, most: int, generators: Sequence[Permutation] = ()) -> StateGraph | None:
    """What is reached from the initial states, and from images of what is reached; None if there are more states than
    that.  Every orbit in it has a state that is reached from an initial one."""
    meaning = Meaning(system)
    initial = meaning.initial_states()
    moves: dict[State, Moves] = {}
    waiting = with_images(system, initial, generators, most)
    seen = set(waiting)
    for s in waiting:
        moves[s] = Counter()
        for move in meaning.moves(s):
            failed = move.violation is not None
            moves[s][(None if failed else move.target, move.violation.property if move.violation else "")] += 1
            if not failed and move.target not in seen:
                more = [t for t in with_images(system, [move.target], generators, most) if t not in seen]
                seen.update(more)
                waiting += more
        if len(seen) > most:
            return None
    return StateGraph(frozenset(initial), moves)


def with_images(system: System, states: Sequence[State], generators: Sequence[Permutation], most: int) -> list[State]:
    """The states and all their images, as far as there are not too many."""
    found = dict.fromkeys(states)
    waiting = list(found)
    for s in waiting:
        for g in generators if len(found) <= most else ():
            if (image := moved(system, s, g)) not in found:
                found[image] = None
                waiting.append(image)
    return waiting


def passed_once(system: System, graph: StateGraph, generators: Sequence[Permutation]) -> set[State]:
    """States that no generator moves and that nothing leads to but others of them: the beginning of a run.  Moves from
    there need not be mapped to each other, as initial states need not be: whatever a run goes on with, it goes on from
    all images of that in the same way."""
    before: dict[State, set[State]] = {s: set() for s in graph.moves}
    for s, moves in graph.moves.items():
        for t, _ in moves:
            if t is not None:
                before[t].add(s)
    still = {s for s in graph.moves if all(moved(system, s, g) == s for g in generators)}
    found: set[State] = set()
    while more := {s for s in still - found if before[s] <= found}:
        found |= more
    return found


def broken_state(
    system: System,
    graph: StateGraph,
    g: Permutation,
    alike: Alike | None = None,
    once: Set[State] = frozenset(),
) -> State | None:
    """A state whose moves g does not map to the moves of its image; None if g is an automorphism of the graph, states
    that are ``alike`` taken for one.  Initial states need not be mapped to initial ones; their images are in the graph
    if it was made with them.  ``once``: the beginning (passed_once), where that is not asked."""
    first = alike.first if alike is not None else itself
    image = {s: first(moved(system, s, g)) for s in graph.moves}
    found = {first(s): seen_as(moves, first) for s, moves in graph.moves.items()}
    for s, moves in graph.moves.items():
        if s not in once and found.get(image[s]) != seen_as(moves, image.__getitem__):
            return s
    return None


def keeps_start(system: System, graph: StateGraph, g: Permutation) -> bool:
    """Whether g maps the set of initial states to itself."""
    return {moved(system, s, g) for s in graph.initial} == graph.initial


def seen_as(moves: Moves, name: Callable[[State], State]) -> Moves:
    """The moves with another name for each state they lead to."""
    found: Moves = Counter()
    for (t, what), times in moves.items():
        found[None if t is None else name(t), what] += times
    return found


def itself(s: State) -> State:
    return s


class Alike:
    """States that differ only in which unused atom was taken for a new process.

    A command takes the first unused atom where any would do, so the graph has one of several moves that lead to states
    alike.  ``classes``: the sets of atoms that can be created anew and are interchangeable."""

    def __init__(self, system: System, classes: Sequence[tuple[int, ...]]) -> None:
        self.system = system
        points = tuple(range(len(system.atoms)))
        self.swaps = [permutation_of(swap(a, b), points) for atoms in classes for a, b in pairwise(atoms)]
        self.known: dict[State, State] = {}

    def first(self, s: State) -> State:
        """One state for all that are alike."""
        if s not in self.known:
            found = {s: None}
            waiting = [s]
            for t in waiting:
                for g in self.swaps:
                    if (image := moved(self.system, t, g)) not in found:
                        found[image] = None
                        waiting.append(image)
            self.known.update(dict.fromkeys(found, s))
        return self.known[s]


def alike_under(system: System, generators: Sequence[Permutation]) -> Alike:
    """The states that are alike where the generators exchange atoms that can be created anew."""
    chain = build_chain(Group(len(system.atoms), generators))
    points = tuple(range(len(system.atoms)))
    domains = [p.domain for command in system.commands for p in parameters_of(command)]
    cells = (cell for domain in domains if isinstance(domain, Fresh) for cell in domain.cells or (domain.atoms,))
    classes = dict.fromkeys(cells)
    swaps = {atoms: [permutation_of(swap(a, b), points) for a, b in pairwise(atoms)] for atoms in classes}
    return Alike(system, [atoms for atoms in classes if all(contains(chain, g) for g in swaps[atoms])])


def count_orbits(system: System, graph: StateGraph, generators: Sequence[Permutation]) -> int:
    alike = alike_under(system, generators)
    number: dict[State, int] = {}
    for s in graph.moves:
        number.setdefault(alike.first(s), len(number))
    joined = UnionFind(len(number))
    for g in generators:
        for s, k in number.items():
            joined.unite(k, number[alike.first(moved(system, s, g))])
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
