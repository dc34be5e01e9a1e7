"""The directed labelled graph of a circuit ([M97, section 5.3]): its automorphisms are the structural symmetries.

Vertex types: C copies a net to where it is read, S asks whether the value lies in a subset, A is one output entry of a
row, O is an output port.  Labels: C, S and A carry a set of values (C the whole domain), O its domain and default, a
primary input its domain.  This labelling, without vertices for primary outputs and with an S vertex for every ``-``,
reproduces the z4ml row of Table 7.1; the text of section 5.3.3 asks for output vertices, which ``outputs=True`` adds.
Resets are left floating as in section 5.3.3, or hung on their latches with ``resets=True``.
"""

from __future__ import annotations

from collections.abc import Hashable

from quorbit.graphs.graph import Graph, GraphBuilder
from quorbit.netlists.netlist import Among, Anything, Domain, Entry, Latch, Netlist, Same, Table
from quorbit.source.frozen import field, frozen, mutable

__all__ = ["draw"]


@frozen
class CircuitGraph:
    """A graph and which of its vertices stand for latches, inputs and primary outputs, by net."""

    graph: Graph
    latches: tuple[int, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    nets: dict[str, int]  # the vertex that drives each net


@mutable
class Drawing:
    netlist: Netlist
    typed: bool  # whether the type of a vertex is part of its colour
    builder: GraphBuilder = field(default_factory=GraphBuilder)
    drivers: dict[str, int] = field(default_factory=dict)
    reads: list[tuple[str, int]] = field(default_factory=list)

    def vertex(self, kind: str, label: Hashable) -> int:
        return self.builder.vertex((kind, label) if self.typed else label)


def draw(
    netlist: Netlist,
    *,
    outputs: bool = False,
    resets: bool = False,
    typed: bool = False,
    builder: GraphBuilder | None = None,
) -> CircuitGraph:
    """The graph of section 5.3.  Typed: vertices of different types have different colours, as automorphisms need.

    With a builder, more can be drawn next to it."""
    d = Drawing(netlist, typed, builder if builder is not None else GraphBuilder())
    inputs = tuple(draw_input(d, net) for net in netlist.inputs)
    latches = tuple(draw_latch(d, latch) for latch in netlist.latches)
    for table in netlist.tables:
        draw_table(d, table, None)
    if resets:
        for latch, vertex in zip(netlist.latches, latches, strict=True):
            draw_reset(d, latch, vertex)
    ends = tuple(draw_output(d, net) for net in netlist.outputs) if outputs else ()
    for net, vertex in d.reads:
        d.builder.arc(d.drivers[netlist.resolve(net)], vertex)
    return CircuitGraph(d.builder.build(), latches, inputs, ends, d.drivers)


def draw_input(d: Drawing, net: str) -> int:
    d.drivers[net] = d.vertex("input", ("PI", d.netlist.domain(net).values))
    return d.drivers[net]


def draw_output(d: Drawing, net: str) -> int:
    vertex = d.vertex("output", ("PO",))
    d.reads.append((net, vertex))
    return vertex


def draw_latch(d: Drawing, latch: Latch) -> int:
    domain = d.netlist.domain(latch.output)
    copy = d.vertex("latch input", subset(domain, range(len(domain))))
    vertex = d.vertex("latch", ("O", domain.values, None))
    d.builder.arc(copy, vertex)
    d.reads.append((latch.input, copy))
    d.drivers[latch.output] = vertex
    return vertex


def draw_reset(d: Drawing, latch: Latch, vertex: int) -> None:
    if latch.reset is not None:
        d.builder.arc(draw_table(d, latch.reset, latch)[0], vertex, "reset")


def draw_table(d: Drawing, table: Table, resets: Latch | None) -> list[int]:
    copies: dict[str, int] = {}
    columns = [draw_copy(d, net, copies) for net in table.inputs] if table.rows else []
    ports = [draw_port(d, net, default) for net, default in zip(table.outputs, defaults(table), strict=True)]
    if resets is None:
        d.drivers.update(zip(table.outputs, ports, strict=True))
    for row in table.rows:
        asked = []
        for net, column, entry in zip(table.inputs, columns, row.inputs, strict=True):
            asked.append(draw_entry(d, "S", net, entry, copies))
            d.builder.arc(column, asked[-1])
        for net, port, entry in zip(table.outputs, ports, row.outputs, strict=True):
            answer = draw_entry(d, "A", net, entry, copies)
            for s in asked:
                d.builder.arc(s, answer)
            d.builder.arc(answer, port)
    return ports


def defaults(table: Table) -> tuple[Entry | None, ...]:
    return table.default or (None,) * len(table.outputs)


def draw_copy(d: Drawing, net: str, copies: dict[str, int]) -> int:
    domain = d.netlist.domain(net)
    vertex = d.vertex("C", subset(domain, range(len(domain))))
    copies[net] = vertex
    d.reads.append((net, vertex))
    return vertex


def draw_port(d: Drawing, net: str, default: Entry | None) -> int:
    domain = d.netlist.domain(net)
    match default:
        case Among(values):
            label: Hashable = tuple(domain.values[k] for k in values)
        case Same():
            label = ("=",)
        case _:
            label = domain.values if default is not None else None
    vertex = d.vertex("O", ("O", domain.values, label))
    if isinstance(default, Same):
        copied = draw_copy(d, default.net, {})
        d.builder.arc(copied, vertex, "default")
    return vertex


def draw_entry(d: Drawing, kind: str, net: str, entry: Entry, copies: dict[str, int]) -> int:
    domain = d.netlist.domain(net)
    match entry:
        case Among(values):
            return d.vertex(kind, subset(domain, values))
        case Anything():
            return d.vertex(kind, subset(domain, range(len(domain))))
        case Same(other):  # [M97, 5.3.6]
            vertex = d.vertex(kind, ("=",))
            if other not in copies:
                draw_copy(d, other, copies)
            d.builder.arc(copies[other], vertex, "=")
            return vertex


def subset(domain: Domain, values: range | tuple[int, ...]) -> Hashable:
    """The label of a set of values."""
    return ("set", domain.values, tuple(values))
