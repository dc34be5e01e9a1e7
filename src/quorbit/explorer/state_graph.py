"""The state graph of a small model, unreduced with every state's orbit, and reduced: drawn in rows by the distance from
the start.

Short names: s, t states as loaded; u, v the same in the System that is searched (``engines/simulate/shadow.py``).
"""

from __future__ import annotations

from typing import Any

from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import Reduce, reducer
from quorbit.engines.simulate.session import problem_in
from quorbit.engines.simulate.shadow import Shadow
from quorbit.engines.simulate.state_graph import TooLarge, refuse_many
from quorbit.explorer.orbit import find_case
from quorbit.model.meaning.evaluate import Fault, Meaning, Move
from quorbit.model.system.system import State
from quorbit.pipeline.load import Model
from quorbit.report.page.run_data import RunTeller
from quorbit.report.record import Found
from quorbit.report.saved_trace import firing_object, value_object
from quorbit.source.frozen import field, mutable

MOST = 500  # states that are drawn
MOST_ORBITS = 250  # where only one state of each orbit is drawn
Data = dict[str, Any]


class GraphTooLarge(Exception):
    """There is too much to draw; the message says so."""


@mutable
class Graph:
    """States in the order they were found, with their distance, the state searched, what is wrong, and how they were
    reached first; the moves between them."""

    states: list[State] = field(default_factory=list)
    numbers: dict[State, int] = field(default_factory=dict)
    searched: list[State | None] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)
    orbits: list[int] = field(default_factory=list)
    reached: list[tuple[int, Move] | None] = field(default_factory=list)
    wrong: dict[int, str] = field(default_factory=dict)
    arrows: dict[tuple[int, int], str] = field(default_factory=dict)
    orbit_numbers: dict[State, int] = field(default_factory=dict)


def state_graph(model: Model) -> Data:
    system = model.system
    meaning, teller = Meaning(system), RunTeller(system, model.path)
    try:
        refuse_many(meaning)
    except TooLarge as reason:
        raise GraphTooLarge(str(reason)) from None
    case = find_case(system)
    reduce = None if case.plan is None else reducer(case.layout or layout_of(case.system), case.plan)
    shadow = Shadow(system, case.system)
    structure = case.symmetry.structure if isinstance(case.symmetry, Found) else "none"
    if is_small(meaning):
        whole = explore(meaning, shadow, reduce, every=True)
        assert whole is not None
        return {"structure": structure, "unreduced": drawn(whole, teller), "reduced": drawn_quotient(whole, teller)}
    reduced = explore(meaning, shadow, reduce, every=False) if reduce is not None else None
    if reduced is None:
        orbits = f", {MOST_ORBITS} orbits" if reduce is not None else ""
        raise GraphTooLarge(f"there are more than {MOST} states{orbits}: too many to draw")
    return {"structure": structure, "unreduced": None, "reduced": drawn_quotient(reduced, teller)}


def is_small(meaning: Meaning) -> bool:
    """Whether all states can be drawn."""
    found = dict.fromkeys(meaning.initial_states())
    waiting = list(found)
    while waiting and len(found) <= MOST:
        for move in meaning.moves(waiting.pop()):
            if move.violation is None and move.target not in found:
                found[move.target] = None
                waiting.append(move.target)
    return len(found) <= MOST


def explore(meaning: Meaning, shadow: Shadow, reduce: Reduce | None, every: bool) -> Graph | None:
    """All states, or (not ``every``) the first that is found of each orbit; None if there are too many."""
    graph = Graph()
    for s in meaning.initial_states():
        add(graph, reduce, s, shadow.start(s), 0, None)
    for k, s in enumerate(graph.states):  # grows while we go through it
        if not every and len(graph.states) > MOST_ORBITS:
            return None
        expand(graph, meaning, shadow, reduce, k, s, every)
    return graph


def expand(
    graph: Graph, meaning: Meaning, shadow: Shadow, reduce: Reduce | None, k: int, s: State, every: bool
) -> None:
    can_move = False
    for move in meaning.moves(s):
        can_move = True
        if move.violation is not None:
            graph.wrong.setdefault(k, move.violation.message)
            continue
        v = follow(meaning, shadow, s, graph.searched[k], move)
        if not every and reduce is not None and v is not None:
            orbit = graph.orbit_numbers.get(reduce(v)[0])
            if orbit is not None:
                graph.arrows.setdefault((k, graph.orbits.index(orbit)), label(meaning, move))
                continue
        target = graph.numbers.get(move.target)
        if target is None:
            target = add(graph, reduce, move.target, v, graph.depths[k] + 1, (k, move))
        graph.arrows.setdefault((k, target), label(meaning, move))
    try:
        problem = problem_in(meaning, s, can_move)
    except Fault as fault:
        graph.wrong.setdefault(k, fault.message)
        return
    if problem is not None:
        graph.wrong.setdefault(k, problem.message)


def add(
    graph: Graph, reduce: Reduce | None, s: State, u: State | None, depth: int, reached: tuple[int, Move] | None
) -> int:
    number = len(graph.states)
    graph.numbers[s] = number
    graph.states.append(s)
    graph.searched.append(u)
    graph.depths.append(depth)
    graph.reached.append(reached)
    representative = s if reduce is None or u is None else reduce(u)[0]
    graph.orbits.append(graph.orbit_numbers.setdefault(representative, len(graph.orbit_numbers)))
    return number


def follow(meaning: Meaning, shadow: Shadow, s: State, u: State | None, move: Move) -> State | None:
    """Through all commands of a move."""
    for k, firing in enumerate(move.firings):
        if u is None:
            return None
        s = move.target if k + 1 == len(move.firings) else meaning.fire(s, firing)[0]
        u = shadow.step(u, firing, s)
    return u


def label(meaning: Meaning, move: Move) -> str:
    return "; ".join(dict.fromkeys(meaning.system.commands[firing.command].label for firing in move.firings))


def state_key(s: State) -> str:
    """The same for the same state in every process."""
    return str([value_object(v) for v in s])


# For the page.


def drawn(graph: Graph, teller: RunTeller) -> Data:
    rows = rows_of(graph.depths, [(a, b) for a, b in graph.arrows])
    return {
        "nodes": [node(graph, teller, k, rows[k]) for k in range(len(graph.states))],
        "arrows": [[a, b, text] for (a, b), text in graph.arrows.items()],
    }


def node(graph: Graph, teller: RunTeller, k: int, spot: tuple[int, float]) -> Data:
    reached = graph.reached[k]
    came = {}
    if reached is not None:
        before, move = reached
        came = {"from": before, "firings": [firing_object(teller.system, firing) for firing in move.firings]}
    return {
        "key": state_key(graph.states[k]),
        "start": [value_object(v) for v in graph.states[k]] if reached is None else None,
        "values": teller.values(graph.states[k]),
        "orbit": graph.orbits[k],
        "depth": spot[0],
        "at": round(spot[1], 2),
        "wrong": graph.wrong.get(k),
        **came,
    }


def drawn_quotient(graph: Graph, teller: RunTeller) -> Data:
    """One node for each orbit: the first state that was found of it; arrows between orbits."""
    first: dict[int, int] = {}
    sizes: dict[int, int] = {}
    for k, orbit in enumerate(graph.orbits):
        first.setdefault(orbit, k)
        sizes[orbit] = sizes.get(orbit, 0) + 1
    arrows: dict[tuple[int, int], str] = {}
    for (a, b), text in graph.arrows.items():
        arrows.setdefault((graph.orbits[a], graph.orbits[b]), text)
    kept = [first[orbit] for orbit in range(len(first))]
    rows = rows_of([graph.depths[k] for k in kept], list(arrows))
    nodes = [node(graph, teller, k, rows[orbit]) for orbit, k in enumerate(kept)]
    for orbit, found in enumerate(nodes):
        found["size"] = sizes[orbit]
        wrong = next((graph.wrong[k] for k in graph.wrong if graph.orbits[k] == orbit), None)
        found["wrong"] = wrong
    return {"nodes": nodes, "arrows": [[a, b, text] for (a, b), text in arrows.items()]}


def rows_of(depths: list[int], arrows: list[tuple[int, int]]) -> list[tuple[int, float]]:
    """Row and position of every node: near the middle of those in the row before that lead to it."""
    parents: dict[int, list[int]] = {}
    for a, b in arrows:
        if depths[a] == depths[b] - 1:
            parents.setdefault(b, []).append(a)
    spots: dict[int, float] = {}
    for depth in range(max(depths, default=-1) + 1):
        row = [k for k, d in enumerate(depths) if d == depth]
        row.sort(key=lambda k: (mean([spots[a] for a in parents.get(k, [])]), k))
        for i, k in enumerate(row):
            spots[k] = i - (len(row) - 1) / 2
    return [(depth, spots[k]) for k, depth in enumerate(depths)]


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0
