"""Are two circuits the same function?  One BDD for each orbit of outputs decides ([M97, 7.3]).

The circuits share their inputs by name; so do latches, whose next and first values are compared like outputs.  Both are
joined in one netlist with a comparison for every pair of outputs.  An automorphism of its graph maps comparisons to
comparisons, so that one of each orbit needs to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from quorbit.graphs.automorphisms import automorphisms
from quorbit.groups.group import moved_orbits
from quorbit.languages.circuits.check import check, is_pseudo_input
from quorbit.languages.circuits.covers import is_ambiguous
from quorbit.languages.circuits.graph import draw
from quorbit.languages.circuits.netlist import Among, Domain, Entry, Netlist, Row, Same, Table, mentions
from quorbit.languages.circuits.next_functions import Functions, build_functions
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen


@frozen
class Equivalence:
    """Whether all pairs are equal; which pairs were compared, by orbit; where they differ, an input that shows it."""

    equivalent: bool
    orbits: tuple[tuple[str, ...], ...]
    different: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)


@frozen
class Side:
    """A circuit as a combinational one: what it reads, its tables, and what it says, each with a name."""

    netlist: Netlist
    sources: dict[str, Domain]
    tables: tuple[Table, ...]
    ends: dict[str, str]  # the net of every output, next value and first value


def compare(a: Netlist, b: Netlist) -> Equivalence:
    """Whether two circuits with the same inputs, outputs and latches are the same functions."""
    joined, ends = join(combinational(a), combinational(b))
    check(joined)
    orbits = orbits_of(joined, ends)
    for orbit in orbits:
        if (shown := difference(joined, ends[orbit[0]])) is not None:
            return Equivalence(False, orbits, orbit[0], shown)
    return Equivalence(True, orbits)


def combinational(netlist: Netlist) -> Side:
    check(netlist)
    sources = {net: netlist.domain(net) for net in (*netlist.inputs, *(latch.output for latch in netlist.latches))}
    tables: list[Table] = []
    for table in netlist.tables:
        if is_pseudo_input(netlist, table) and len(table.outputs) == 1:
            sources[table.outputs[0]] = netlist.domain(table.outputs[0])
        elif is_ambiguous(netlist, table):
            raise UserError(table.span, f"{table.outputs[0]} is a choice that depends on inputs: it is no function")
        else:
            tables.append(table)
    ends = {f"output {net}": netlist.resolve(net) for net in netlist.outputs}
    for latch in netlist.latches:
        ends[f"next {latch.output}"] = latch.input
        if latch.reset is not None and not is_ambiguous(netlist, latch.reset):
            first = f"first {latch.output}"
            tables.append(replace(latch.reset, outputs=(first,)))
            ends[first] = first
    return Side(netlist, sources, tuple(tables), ends)


def join(a: Side, b: Side) -> tuple[Netlist, dict[str, str]]:
    """Both circuits over the same sources, and the comparison of every pair of ends."""
    for one, other in ((a, b), (b, a)):
        for name in one.ends:
            if name not in other.ends:
                raise UserError(None, f"{one.netlist.name} has {name}, {other.netlist.name} has not")
    for name in a.sources.keys() & b.sources.keys():
        if a.sources[name] != b.sources[name]:
            raise UserError(None, f"{name} has different values in the two circuits")
    sources = {**a.sources, **b.sources}
    domains: dict[str, Domain] = dict(sources)
    tables: list[Table] = []
    for prefix, side in (("1/", a), ("2/", b)):
        names = {net: prefix + net for table in side.tables for net in table.outputs}
        for net, own in names.items():
            domains[own] = end_domain(side, net)
        tables += [renamed(table, names) for table in side.tables]
    ends: dict[str, str] = {}
    for name in a.ends:
        pair = [
            prefix + net if net not in sources else net for prefix, net in (("1/", a.ends[name]), ("2/", b.ends[name]))
        ]
        ends[name] = f"same {name}"
        tables.append(comparison(pair[0], pair[1], ends[name], len(domains[pair[0]])))
    boolean = {net: domain for net, domain in domains.items() if domain.values != ("0", "1")}
    return Netlist("comparison", tuple(sources), tuple(ends.values()), tuple(tables), (), boolean), ends


def end_domain(side: Side, net: str) -> Domain:
    return side.netlist.domain(net.removeprefix("first ")) if net in side.ends else side.netlist.domain(net)


def renamed(table: Table, names: Mapping[str, str]) -> Table:
    def entry(e: Entry) -> Entry:
        return Same(names.get(e.net, e.net)) if isinstance(e, Same) else e

    return Table(
        tuple(names.get(net, net) for net in table.inputs),
        tuple(names[net] for net in table.outputs),
        tuple(Row(tuple(map(entry, row.inputs)), tuple(map(entry, row.outputs))) for row in table.rows),
        None if table.default is None else tuple(map(entry, table.default)),
        table.span,
    )


def comparison(left: str, right: str, output: str, size: int) -> Table:
    rows = tuple(Row((Among((k,)), Among((k,))), (Among((1,)),)) for k in range(size))
    return Table((left, right), (output,), rows, (Among((0,)),))


def orbits_of(joined: Netlist, ends: Mapping[str, str]) -> tuple[tuple[str, ...], ...]:
    """The comparisons that an automorphism maps to each other; the structural graph claims nothing that is not so."""
    drawing = draw(joined, outputs=True, typed=True)
    names = {drawing.outputs[k]: name for k, name in enumerate(ends)}
    moved = [[names[v] for v in orbit if v in names] for orbit in moved_orbits(automorphisms(drawing.graph))]
    together = [tuple(sorted(orbit, key=list(ends).index)) for orbit in moved if orbit]
    seen = {name for orbit in together for name in orbit}
    return tuple(together) + tuple((name,) for name in ends if name not in seen)


def difference(joined: Netlist, net: str) -> dict[str, str] | None:
    """Values of the sources under which a comparison fails; None if it never does."""
    built = build_functions(cone(joined, net))
    differ = built.nets[net][0]
    return None if differ == built.m.false else dict(shown_inputs(built, differ))


def cone(joined: Netlist, net: str) -> Netlist:
    drivers = {output: table for table in joined.tables for output in table.outputs}
    needed: dict[str, None] = {}
    waiting = [net]
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed[name] = None
            waiting += mentions(drivers[name]) if name in drivers else ()
    tables = tuple(table for table in joined.tables if any(output in needed for output in table.outputs))
    return replace(joined, inputs=tuple(n for n in joined.inputs if n in needed), outputs=(net,), tables=tables)


def shown_inputs(built: Functions, differ: object) -> Iterator[tuple[str, str]]:
    chosen = built.m.pick(differ, [b for bits in built.sources.values() for b in bits])
    for name, bits in built.sources.items():
        values = built.netlist.domain(name).values
        code = sum(chosen[b] << i for i, b in enumerate(bits))
        yield name, values[min(code, len(values) - 1)]
