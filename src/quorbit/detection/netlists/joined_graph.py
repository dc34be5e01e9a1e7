"""The symmetries of a circuit that also keep formulas: G ⋈ H ([M97, 5.4 and 5.5]), in both of the ways given there.

Joining: the graphs of the formulas are drawn next to that of the circuit, and every proposition is tied to the vertices
of the nets it speaks of; one search for automorphisms then gives the group.  Intersecting: the group G of the circuit
is found once, and for each formula the elements are kept that map it to itself.

A group is asked for to build quotients, where each maximal propositional part of each formula must stay what it is
(``quotient``, [M97, 4.2.3]), or to find parts of formulas that are images of each other, where only the formulas as
wholes must stay (``subformulas``, [M97, 3.5]).  Fairness constraints restrict like formulas: for quotients each stays,
for sub-formulas they may be exchanged with each other.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from quorbit.detection.netlists.graph import CircuitGraph, draw
from quorbit.graphs.automorphisms import automorphisms
from quorbit.graphs.graph import Graph, GraphBuilder
from quorbit.groups.group import Group
from quorbit.groups.moves import Moves, moves_of
from quorbit.groups.permutation import Permutation
from quorbit.logic.formulas.formula_graph import FormulaVertices, add_propositional, add_subformulas
from quorbit.logic.formulas.subformulas import LARGEST_ORBIT, orbit, stabiliser
from quorbit.model.system.formula import And, Formula, Proposition
from quorbit.model.system.formula_kinds import maximal_propositional
from quorbit.netlists.netlist import Netlist
from quorbit.netlists.propositions import NetIs, NetsAgree
from quorbit.source.frozen import field, frozen

__all__ = ["QUOTIENT", "SUBFORMULAS", "Kept", "join_graphs", "latch_group"]

QUOTIENT, SUBFORMULAS = "quotient", "subformulas"


@frozen
class Kept:
    """What a symmetry has to keep besides the circuit: formulas over nets, and fairness constraints."""

    formulas: tuple[Formula, ...] = ()
    fairness: tuple[Formula, ...] = ()
    purpose: str = QUOTIENT


@frozen
class JoinedGraph:
    """The graph of a circuit with those of formulas: the vertices of the circuit come first."""

    graph: Graph
    circuit: CircuitGraph
    formulas: tuple[FormulaVertices, ...] = field(repr=False)


def join_graphs(netlist: Netlist, kept: Kept) -> JoinedGraph:
    """One graph for the circuit and all that must be kept ([M97, 5.5])."""
    builder = GraphBuilder()
    circuit = draw(netlist, outputs=True, resets=True, typed=True, builder=builder)
    drawn = []
    for number, formula in enumerate(kept.formulas):
        drawn.append(add_formula(builder, formula, ("formula", number), kept.purpose))
    for number, formula in enumerate(kept.fairness):
        name = ("fairness", number if kept.purpose == QUOTIENT else 0)
        drawn.append(add_formula(builder, formula, name, kept.purpose))
    for found in drawn:
        for proposition, vertex in found.propositions.items():
            tie(builder, circuit, netlist, proposition, vertex)
    return JoinedGraph(builder.build(), circuit, tuple(drawn))


def add_formula(builder: GraphBuilder, formula: Formula, name: Hashable, purpose: str) -> FormulaVertices:
    """The formula, hung on a vertex of its own."""
    if purpose == QUOTIENT:
        return add_propositional(builder, formula, name)
    found = add_subformulas(builder, formula)
    top = found.occurrences[0][1] if found.occurrences else next(iter(found.propositions.values()))
    builder.arc(builder.vertex(name), top)
    return found


def tie(builder: GraphBuilder, circuit: CircuitGraph, netlist: Netlist, proposition: Proposition, vertex: int) -> None:
    """An arc from a proposition to each net it speaks of, labelled by what it says of the net."""
    match proposition.expression:
        case NetIs(net, values):
            builder.arc(vertex, circuit.nets[netlist.resolve(net)], ("is", values))
        case NetsAgree(left, right):
            for net in (left, right):
                builder.arc(vertex, circuit.nets[netlist.resolve(net)], "agrees")


def joined_group(netlist: Netlist, kept: Kept) -> Group:
    """G ⋈ H on the latches (point i is latch i; without latches: input i), by one search in the joined graph."""
    return latch_group(join_graphs(netlist, kept))


def latch_group(joined: JoinedGraph) -> Group:
    """The group of a joined graph on the latches, or on the inputs of a circuit without latches."""
    return on_vertices(joined.circuit.latches or joined.circuit.inputs, automorphisms(joined.graph).moves)


def on_vertices(points: Sequence[int], generators: Sequence[Moves]) -> Group:
    numbers = {v: i for i, v in enumerate(points)}
    moved = [tuple(sorted((numbers[v], numbers[w]) for v, w in m if v in numbers)) for m in generators]
    return Group(len(points), moves=moved)


@frozen
class CachedGroup:
    """The symmetries of a circuit, found once, to be intersected with those of many formulas."""

    netlist: Netlist = field(repr=False)
    circuit: CircuitGraph = field(repr=False)
    generators: tuple[Permutation, ...] = field(repr=False)  # of the vertices


def cache_group(netlist: Netlist) -> CachedGroup:
    circuit = draw(netlist, outputs=True, resets=True, typed=True)
    return CachedGroup(netlist, circuit, automorphisms(circuit.graph).generators)


def intersected_group(cached: CachedGroup, kept: Kept, largest: int = LARGEST_ORBIT) -> Group | None:
    """G ⋈ H on the latches from a group G that is known; None if a formula has too many images under G."""
    generators = cached.generators
    for formula in stabilised(kept):
        if generators:
            left = stabiliser_of(cached, generators, formula, largest)
            if left is None:
                return None
            generators = left
    return on_vertices(cached.circuit.latches or cached.circuit.inputs, list(map(moves_of, generators)))


def stabilised(kept: Kept) -> list[Formula]:
    """Formulas each of which must be mapped to itself."""
    if kept.purpose == QUOTIENT:
        return [part for f in (*kept.formulas, *kept.fairness) for part in maximal_propositional(f)]
    return [*kept.formulas, And(kept.fairness)] if kept.fairness else list(kept.formulas)


def stabiliser_of(
    cached: CachedGroup, generators: tuple[Permutation, ...], formula: Formula, largest: int
) -> tuple[Permutation, ...] | None:
    """Generators of what leaves a formula as it is, by its orbit; None if the orbit is too large to be listed."""
    nets = cached.circuit.nets
    names = {v: net for net, v in nets.items()}

    def image(g: Permutation, e: Hashable) -> Hashable:
        match e:
            case NetIs(net, values):
                return NetIs(names[g[nets[cached.netlist.resolve(net)]]], values)
            case NetsAgree(left, right):
                moved = (names[g[nets[cached.netlist.resolve(net)]]] for net in (left, right))
                return NetsAgree(*sorted(moved))
        raise AssertionError(e)

    if not orbit(formula, generators, image, largest).complete:
        return None
    return stabiliser(formula, generators, image, largest)
