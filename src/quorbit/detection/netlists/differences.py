"""Where two latches or inputs of a circuit begin to look different ([M97, 7.3], "Debugging").

Refinement gives vertices of the circuit's graph different colours as soon as their surroundings differ.  Going back
from the round that parted two vertices to the one before, to neighbours that were parted then, leads to a table, latch
or input whose own look differs from that of its counterpart: that is what breaks every symmetry of the two.

Short names: a, b vertices that are told apart; u, v neighbours of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable

from quorbit.detection.netlists.graph import CircuitGraph, draw
from quorbit.graphs.graph import Graph
from quorbit.netlists.check import Driver, drivers
from quorbit.netlists.netlist import Latch, Netlist, Table
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE, Span

__all__ = ["Apart", "tell_apart"]

Kind = tuple[str, int]  # the direction and label of an arc
Around = list[list[tuple[Kind, int]]]
Pair = tuple[int, int | None]
MOST_NAMES = 8


@frozen
class Apart:
    """Two nets, the pairs of nets that lead from them to the difference, and what it is."""

    first: str
    second: str
    way: tuple[tuple[str, str], ...]
    message: str
    span: Span
    other: Span


def tell_apart(netlist: Netlist, first: str, second: str) -> Apart | None:
    """What distinguishes two latches or inputs; None if refinement alone does not tell."""
    circuit = draw(netlist, outputs=True, resets=True, typed=True)
    around = neighbours(circuit.graph)
    rounds = refine_rounds(circuit.graph, around, circuit.nets[first], circuit.nets[second])
    if rounds is None:
        return None
    pairs = descend(around, rounds, circuit.nets[first], circuit.nets[second])
    return explained(netlist, circuit, around, first, second, pairs)


def neighbours(graph: Graph) -> Around:
    found: Around = [[] for _ in graph.colours]
    for u, v, label in graph.arcs:
        found[u].append((("to", label), v))
        found[v].append((("from", label), u))
    return found


def refine_rounds(graph: Graph, around: Around, a: int, b: int) -> list[list[int]] | None:
    """The colours after each round until a and b differ; None if they never do."""
    rounds = [list(graph.colours)]
    while rounds[-1][a] == rounds[-1][b]:
        now = rounds[-1]
        numbers: dict[Hashable, int] = {}
        finer = [
            numbers.setdefault((now[v], tuple(sorted((kind, now[u]) for kind, u in around[v]))), len(numbers))
            for v in range(graph.size)
        ]
        if len(numbers) == len(set(now)):
            return None
        rounds.append(finer)
    return rounds


def descend(around: Around, rounds: list[list[int]], a: int, b: int) -> list[Pair]:
    """Pairs of vertices, each a cause of the difference of the pair before; the last may lack a counterpart."""
    pairs: list[Pair] = [(a, b)]
    k = len(rounds) - 1
    while k > 0:
        if rounds[k - 1][a] != rounds[k - 1][b]:
            k -= 1
            continue
        colours = rounds[k - 1]
        mine, other = (Counter((kind, colours[u]) for kind, u in around[x]) for x in (a, b))
        surplus, lack = mine - other, other - mine
        kind = min(key[0] for key in (*surplus, *lack))
        left = first_of(around[a], colours, surplus, kind)
        right = first_of(around[b], colours, lack, kind)
        if left is None or right is None:
            one = left if left is not None else right
            assert one is not None
            pairs.append((one, None))
            return pairs
        a, b, k = left, right, k - 1
        pairs.append((a, b))
    return pairs


def first_of(
    listed: list[tuple[Kind, int]], colours: list[int], among: Counter[tuple[Kind, int]], kind: Kind
) -> int | None:
    return next((u for own, u in listed if own == kind and among[own, colours[u]]), None)


def explained(
    netlist: Netlist, circuit: CircuitGraph, around: Around, first: str, second: str, pairs: list[Pair]
) -> Apart:
    found = drivers(netlist)
    owners = owner_nets(circuit, around)
    way: list[tuple[str, str]] = []
    for u, v in pairs[1:]:
        step = owners.get(u, ""), owners.get(v, "") if v is not None else ""
        if step[0] and step[1] and step not in (*way[-1:], (first, second)):
            way.append(step)
    left, right = way[-1] if way else (first, second)
    last = pairs[-1]
    if last[1] is None and owners.get(last[0], "") not in (left, right):
        readers = [
            [shown(netlist, found, name) for name in readers_of(circuit, around, owners, net)] for net in (left, right)
        ]
        message = f"{left} is read by {listed(readers[0])}, {right} by {listed(readers[1])}"
        return Apart(first, second, tuple(way), message, where(netlist, found, left), where(netlist, found, right))
    message = difference(netlist, found, left, right)
    return Apart(first, second, tuple(way), message, where(netlist, found, left), where(netlist, found, right))


def readers_of(circuit: CircuitGraph, around: Around, owners: dict[int, str], net: str) -> list[str]:
    """What a net feeds, by the nets that are driven there."""
    after = [u for (direction, _), u in around[circuit.nets[net]] if direction == "to"]
    return [owners.get(u, "an output") for u in after]


def shown(netlist: Netlist, found: dict[str, Driver], net: str) -> str:
    """A net; one without a name of its own by its place."""
    span = where(netlist, found, net)
    unnamed = net.startswith("$") and span.source is not NOWHERE.source
    return f"a gate at {span.line}:{span.column}" if unnamed else net


def listed(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "") if names else "nothing"


def owner_nets(circuit: CircuitGraph, around: Around) -> dict[int, str]:
    """For each vertex the net that it helps to drive."""
    found = {v: net for net, v in circuit.nets.items()}
    waiting = list(found)
    while waiting:
        v = waiting.pop()
        inside = [u for (direction, _), u in around[v] if direction == "from" and u not in found]
        found.update((u, found[v]) for u in inside)
        waiting += inside
    return found


def difference(netlist: Netlist, found: dict[str, Driver], left: str, right: str) -> str:
    """How two nets that stand for each other are driven differently."""
    one, other = found.get(left), found.get(right)
    if isinstance(one, Latch) and isinstance(other, Latch):
        if starts(one) != starts(other):
            return f"{left} and {right} start with different values"
        return f"{left} and {right} are read or fed differently"
    if isinstance(one, Table) and isinstance(other, Table):
        for what, x, y in (
            ("inputs", len(one.inputs), len(other.inputs)),
            ("rows", len(one.rows), len(other.rows)),
        ):
            if x != y:
                return f"the table of {left} has {x} {what}, that of {right} has {y}"
        if [r.outputs for r in one.rows] != [r.outputs for r in other.rows] or one.default != other.default:
            return f"the tables of {left} and {right} give different values"
        if [r.inputs for r in one.rows] != [r.inputs for r in other.rows]:
            return f"the tables of {left} and {right} ask for different values"
        return f"{left} and {right} are read by different numbers or kinds of tables"
    return f"{left} is {kind_of(one)}, {right} is {kind_of(other)}"


def starts(latch: Latch) -> object:
    return None if latch.reset is None else (latch.reset.inputs, latch.reset.rows, latch.reset.default)


def kind_of(driver: Driver) -> str:
    match driver:
        case Latch():
            return "a latch"
        case Table():
            return "driven by a table"
    return "an input"


def where(netlist: Netlist, found: dict[str, Driver], net: str) -> Span:
    driver = found.get(net)
    if driver is not None and driver.span.source is not NOWHERE.source:
        return driver.span
    return netlist.span(net)
