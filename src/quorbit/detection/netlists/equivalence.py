"""Are two circuits the same function?  One BDD for each orbit of outputs decides ([M97, 7.3]).

The circuits share their inputs by name; so do latches, whose next and first values are compared like outputs.  Choices
of the same name must be among the same values and are then made alike.  Both are joined in one netlist with a
comparison for every pair of outputs.  An automorphism of its graph maps comparisons to comparisons, so that one of each
orbit needs to be looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from quorbit.bdd.function import Manager
from quorbit.bdd.open import open_manager
from quorbit.detection.netlists.graph import draw
from quorbit.graphs.automorphisms import automorphisms
from quorbit.groups.group import moved_orbits
from quorbit.netlists.check import checked, is_pseudo_input
from quorbit.netlists.covers import is_ambiguous
from quorbit.netlists.netlist import Among, Domain, Entry, Netlist, Row, Table, mentions, renamed
from quorbit.netlists.next_functions import Functions, build_functions, choice_of
from quorbit.netlists.table_expressions import answers
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, replace

__all__ = ["Equivalence", "compare"]


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
    choices: dict[str, Table]  # pseudo-inputs
    firsts: dict[str, tuple[int, ...]]  # the first values a latch may have, where they depend on nothing


def compare(a: Netlist, b: Netlist) -> Equivalence:
    """Whether two circuits with the same inputs, outputs and latches are the same functions."""
    sides = combinational(a), combinational(b)
    check_names(*sides)
    if differing := different_sets(*sides):
        return Equivalence(False, (), differing)
    joined, ends = join(*sides)
    checked(joined)
    orbits = orbits_of(joined, ends)
    for orbit in orbits:
        if (shown := difference(joined, ends[orbit[0]])) is not None:
            return Equivalence(False, orbits, orbit[0], shown)
    return Equivalence(True, orbits)


def combinational(netlist: Netlist) -> Side:
    checked(netlist)
    sources = {net: netlist.domain(net) for net in (*netlist.inputs, *(latch.output for latch in netlist.latches))}
    tables: list[Table] = []
    choices: dict[str, Table] = {}
    for table in netlist.tables:
        if is_pseudo_input(netlist, table) and len(table.outputs) == 1:
            choices[table.outputs[0]] = table
        elif is_ambiguous(netlist, table):
            raise UserError(table.span, f"{table.outputs[0]} is a choice that depends on inputs, not a function")
        else:
            tables.append(table)
    ends = {f"output {net}": netlist.resolve(net) for net in netlist.outputs}
    ends.update((f"assumption {k}", netlist.resolve(net)) for k, net in enumerate(netlist.constraints, 1))
    firsts: dict[str, tuple[int, ...]] = {}
    for latch in netlist.latches:
        ends[f"next {latch.output}"] = latch.input
        first = f"first {latch.output}"
        if latch.reset is None or not any(mentions(latch.reset)):
            firsts[first] = possible_values(netlist, latch.output, latch.reset)
        elif is_ambiguous(netlist, latch.reset):
            raise UserError(latch.span, f"the first value of {latch.output} is a choice that depends on other nets")
        else:
            tables.append(replace(latch.reset, outputs=(first,)))
            ends[first] = first
    return Side(netlist, sources, tuple(tables), ends, choices, firsts)


def possible_values(netlist: Netlist, net: str, table: Table | None) -> tuple[int, ...]:
    """The values a table without inputs allows; all if there is none."""
    size = len(netlist.domain(net))
    if table is None:
        return tuple(range(size))
    chosen = [row.outputs[0] for row in table.rows] or list(table.default or ())
    found = {k for entry in chosen for k in (entry.values if isinstance(entry, Among) else range(size))}
    return tuple(sorted(found))


def check_names(a: Side, b: Side) -> None:
    for one, other in ((a, b), (b, a)):
        for name in (*one.ends, *one.firsts):
            if name not in other.ends and name not in other.firsts:
                raise UserError(None, f"{one.netlist.name} has {name}, but {other.netlist.name} does not")
        for name in one.firsts:
            if name not in other.firsts:
                message = f"the {name} depends on nothing in {one.netlist.name}, on other nets in {other.netlist.name}"
                raise UserError(None, message)
        for name in one.choices:
            if name in other.sources:
                raise UserError(None, f"{name} is a choice in {one.netlist.name}, but not in {other.netlist.name}")
    for name in (a.sources.keys() | a.choices.keys()) & (b.sources.keys() | b.choices.keys()):
        if a.netlist.domain(name) != b.netlist.domain(name):
            raise UserError(None, f"{name} has different values in the two circuits")


def different_sets(a: Side, b: Side) -> str:
    """A first value or a choice that is among other values in the other circuit; '' if there is none."""
    for name, values in a.firsts.items():
        if values != b.firsts[name]:
            return name
    for net, table in a.choices.items():
        if net in b.choices:
            mine, other = possible_values(a.netlist, net, table), possible_values(b.netlist, net, b.choices[net])
            if mine != other:
                return f"choice {net}"
    return ""


def join(a: Side, b: Side) -> tuple[Netlist, dict[str, str]]:
    """Both circuits over the same sources, and the comparison of every pair of ends."""
    sources = {**a.sources, **b.sources}
    choices = {**a.choices, **b.choices}
    domains: dict[str, Domain] = dict(sources)
    domains.update((net, (a if net in a.choices else b).netlist.domain(net)) for net in choices)
    tables: list[Table] = list(choices.values())
    inner: list[dict[str, str]] = []
    for prefix, side in (("1/", a), ("2/", b)):
        names = {net: prefix + net for table in side.tables for net in table.outputs}
        inner.append(names)
        for net, own in names.items():
            domains[own] = end_domain(side, net)
        tables += [renamed(table, names) for table in side.tables]
    ends: dict[str, str] = {}
    for name in a.ends:
        left, right = (names.get(side.ends[name], side.ends[name]) for side, names in zip((a, b), inner, strict=True))
        if domains[left] != domains[right]:
            raise UserError(None, f"{name} has different values in the two circuits")
        ends[name] = f"same {name}"
        tables.append(comparison(left, right, ends[name], len(domains[left])))
    boolean = {net: domain for net, domain in domains.items() if domain.values != ("0", "1")}
    return Netlist("comparison", tuple(sources), tuple(ends.values()), tuple(tables), (), boolean), ends


def end_domain(side: Side, net: str) -> Domain:
    return side.netlist.domain(net.removeprefix("first ")) if net in side.ends else side.netlist.domain(net)


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
    built = build_functions(cone(joined, net), open_manager())
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


def shown_inputs(built: Functions[Manager], differ: object) -> Iterator[tuple[str, str]]:
    chosen = built.m.pick(differ, [b for bits in built.sources.values() for b in bits])
    choices = {choice_of(table): table for table in built.netlist.tables if not table.inputs}
    for name, bits in built.sources.items():
        code = sum(chosen[b] << i for i, b in enumerate(bits))
        if name in choices:
            net = choices[name].outputs[0]
            options = answers(built.netlist, choices[name])
            yield net, shown_entry(built.netlist, net, options[min(code, len(options) - 1)][0])
        else:
            values = built.netlist.domain(name).values
            yield name, values[min(code, len(values) - 1)]


def shown_entry(netlist: Netlist, net: str, entry: Entry) -> str:
    return netlist.domain(net).values[entry.values[0] if isinstance(entry, Among) else 0]
