"""Which inputs a formula mentions: those that one of its propositions depends on, as a function.

How a net is written must not matter: ``l0 xor (i and not i)`` does not mention i, in whatever format and whether or not
a reader has folded the gates away.  Most inputs are seen to matter by a few hundred random values; the others are
looked up in decision diagrams.  Where these grow too large an input counts as it is written.  So does a choice that a
table with inputs leaves; BLIF-MV alone has those.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from quorbit.bdd.open import open_manager
from quorbit.languages.circuits.lower import Lowering, held_inputs, needed_tables
from quorbit.languages.circuits.properties import Stated, watched_nets
from quorbit.model.system.formula import Proposition, map_propositions, propositions
from quorbit.netlists.check import Checked, checked
from quorbit.netlists.gates import Gates, Signal
from quorbit.netlists.netlist import Among, Row, Table, mentions, renamed
from quorbit.netlists.next_functions import Functions, Logic, build_functions, choice_of
from quorbit.netlists.propositions import NetIs, NetsAgree
from quorbit.source.frozen import replace

__all__ = ["mentioned_inputs", "without_idle"]

NODES = 1 << 18  # of the diagrams
SAMPLES = 256  # values of all variables, one in each bit of a number
SEED = 1
L = TypeVar("L", bound=Logic)


def mentioned_inputs(low: Lowering, listed: Sequence[Stated]) -> tuple[str, ...]:
    """The inputs and choices that are part of the state in which some properties are checked."""
    nets = watched_nets(listed)
    written = held_inputs(low, nets)
    if not written:
        return ()
    asked = [p for s in listed for p in propositions(s.formula)]
    asked += [Proposition(NetIs(net, (1,))) for net in low.netlist.constraints]
    part = replace(low.netlist, tables=tuple(needed_tables(low, [*nets, *low.netlist.constraints])))
    gates = build_functions(part, Gates())
    plain = [name for name in written if is_plain(low, name)]
    seen = varied(gates, functions_of(gates, asked), [v for name in plain for v in variables_of(gates, name)])
    unseen = [name for name in plain if not seen.intersection(variables_of(gates, name))]
    if not unseen:
        return written
    try:
        diagrams = build_functions(part, m := open_manager(nodes=NODES))
        support = {v for f in functions_of(diagrams, asked) for v in m.support(f)}
    except MemoryError:
        return written
    idle = {name for name in unseen if not support.intersection(variables_of(diagrams, name))}
    return tuple(name for name in written if name not in idle)


def is_plain(low: Lowering, name: str) -> bool:
    """An input, or a net that may be anything."""
    driver = low.drivers.get(name)
    return name in low.drivers and (driver is None or (isinstance(driver, Table) and not driver.inputs))


def variables_of(built: Functions[L], name: str) -> tuple[int, ...]:
    return built.sources.get(name) or built.sources[choice_of(Table((), (name,), ()))]


def functions_of(built: Functions[L], asked: Iterable[Proposition]) -> list[Any]:
    """Where each proposition is true."""
    found = []
    for p in dict.fromkeys(asked):
        match p.expression:
            case NetIs(net, values):
                found.append(built.m.disjunction(built.nets[net][k] for k in values))
            case NetsAgree(left, right):
                both = zip(built.nets[left], built.nets[right], strict=True)
                found.append(built.m.disjunction(f & g for f, g in both))
    return found


def varied(built: Functions[Gates], functions: Sequence[Signal], variables: Sequence[int]) -> set[int]:
    """Those variables whose change is seen to change one of the functions."""
    gates, rng = built.m, random.Random(SEED)
    order = gates.cone(functions)
    every = (1 << SAMPLES) - 1
    values = [rng.getrandbits(SAMPLES) for _ in gates.nodes]
    values[0] = 0

    def read(literal: int) -> int:
        return values[literal >> 1] ^ (every if literal & 1 else 0)

    def results() -> list[int]:
        for node in order:
            a, b = gates.nodes[node] or (0, 0)
            values[node] = read(a) & read(b)
        return [read(f.literal) for f in functions]

    before, found = results(), set()
    for v in variables:
        values[v] ^= every
        if results() != before:
            found.add(v)
        values[v] ^= every
    return found


def without_idle(
    circuit: Checked, low: Lowering, listed: Sequence[Stated], held: Sequence[str]
) -> tuple[Checked, list[Stated]]:
    """The circuit and the properties, which read copies of nets in which the inputs that are not held are constant.
    Requires: no proposition of theirs and no assumption depends on these."""
    netlist = circuit.netlist
    nets = [*watched_nets(listed), *netlist.constraints]
    idle = [name for name in held_inputs(low, nets) if name not in held]
    if not idle:
        return circuit, list(listed)
    copies = {name: f"{name}'idle" for name in idle}
    domains = {copies[name]: netlist.domain(name) for name in idle if name in netlist.domains}
    tables = [Table((), (copies[name],), (Row((), (Among((first_of(low, name),)),)),)) for name in idle]
    for table in needed_tables(low, nets):
        if any(net in copies for net in mentions(table)):
            copies.update({net: f"{net}'idle" for net in table.outputs if net not in copies})
            domains.update({copies[net]: netlist.domain(net) for net in table.outputs if net in netlist.domains})
            tables.append(renamed(table, copies))
    more = replace(
        netlist,
        tables=(*netlist.tables, *tables),
        domains={**netlist.domains, **domains},
        constraints=tuple(copies.get(net, net) for net in netlist.constraints),
    )
    return checked(more), [about_copies(s, copies) for s in listed]


def first_of(low: Lowering, name: str) -> int:
    """A value that an input may have."""
    driver = low.drivers[name]
    entry = driver.rows[0].outputs[0] if isinstance(driver, Table) and driver.rows else None
    return entry.values[0] if isinstance(entry, Among) else 0


def about_copies(s: Stated, copies: dict[str, str]) -> Stated:
    def change(e: Any) -> Any:
        match e:
            case NetIs(net, values):
                return NetIs(copies.get(net, net), values)
            case NetsAgree(left, right):
                return NetsAgree(copies.get(left, left), copies.get(right, right))
        raise AssertionError(e)

    return replace(s, formula=map_propositions(s.formula, change))
