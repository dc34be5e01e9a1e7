"""The symmetries of a Büchi automaton: permutations of its propositions that some permutation of its states follows.

If g is a symmetry of the system and carries the automaton into itself, the two together act on the product, which may
be divided by that group even if g leaves no proposition fixed (Emerson and Sistla, Symmetry and model checking, 1996):
in `<> p && <> q` the states that wait for p alone and for q alone change places.  The guards between two states are
written as all their prime implicants, a form that renaming propositions respects.
"""

from __future__ import annotations

from quorbit.graphs.automorphisms import automorphisms_on
from quorbit.graphs.graph import GraphBuilder
from quorbit.groups.group import Group
from quorbit.logic.automata.automaton import Automaton, Buchi
from quorbit.logic.automata.booleans import Cube
from quorbit.source.frozen import frozen


@frozen
class AutomatonVertices:
    propositions: tuple[int, ...]
    states: tuple[int, ...]


def automaton_symmetries(automaton: Automaton) -> Group:
    """Acts on the propositions (points 0..k-1, as they stand in the automaton) and on the states (points k..)."""
    builder = GraphBuilder()
    found = add_automaton(builder, automaton)
    return automorphisms_on(builder.build(), [*found.propositions, *found.states])


def add_automaton(builder: GraphBuilder, automaton: Automaton) -> AutomatonVertices:
    """Draw an automaton; the vertices of its propositions may be joined with those of a model's graph."""
    named = tuple(builder.vertex("proposition") for _ in automaton.propositions)
    states = tuple(builder.vertex(("state", colour(automaton, q))) for q in range(automaton.states))
    sets = 0 if isinstance(automaton, Buchi) else automaton.sets
    marks = [builder.vertex("acceptance set") for _ in range(sets)]
    for (source, target, marked), cubes in guards(automaton).items():
        for positive, negative in prime_implicants(cubes):
            step = builder.vertex("transition")
            builder.arc(states[source], step, "from")
            builder.arc(step, states[target], "to")
            for i, vertex in enumerate(named):
                if (positive | negative) >> i & 1:
                    builder.arc(step, vertex, "holds" if positive >> i & 1 else "fails")
            for k, vertex in enumerate(marks):
                if marked >> k & 1:
                    builder.arc(step, vertex, "mark")
    return AutomatonVertices(named, states)


def colour(automaton: Automaton, state: int) -> tuple[bool, bool]:
    accepting = isinstance(automaton, Buchi) and automaton.accepting[state]
    return state == automaton.initial, accepting


def guards(automaton: Automaton) -> dict[tuple[int, int, int], list[Cube]]:
    found: dict[tuple[int, int, int], list[Cube]] = {}
    for t in automaton.transitions:
        found.setdefault((t.source, t.target, t.marks), []).append((t.positive, t.negative))
    return found


def prime_implicants(cubes: list[Cube]) -> list[Cube]:
    """All widest cubes inside the union of some cubes, by taking consensus until nothing new comes (Quine 1955)."""
    found = dict.fromkeys(cubes)
    waiting = list(found)
    for a in waiting:
        for b in list(found):
            cube = consensus(a, b)
            if cube is not None and not any(covers(c, cube) for c in found):
                found[cube] = None
                waiting.append(cube)
    return sorted(a for a in found if not any(b != a and covers(b, a) for b in found))


def consensus(a: Cube, b: Cube) -> Cube | None:
    """What follows from two cubes that contradict each other in exactly one proposition."""
    clash = a[0] & b[1] | a[1] & b[0]
    if clash.bit_count() != 1:
        return None
    return (a[0] | b[0]) & ~clash, (a[1] | b[1]) & ~clash


def covers(a: Cube, b: Cube) -> bool:
    return a[0] & ~b[0] == 0 and a[1] & ~b[1] == 0
