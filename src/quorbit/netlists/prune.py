"""Leave out what nobody can see: tables and latches with internal names that no output, property or named net reads."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.netlists.netlist import Latch, Netlist, Table, mentions
from quorbit.source.frozen import replace

__all__ = ["prune"]


def prune(netlist: Netlist) -> Netlist:
    """Internal names begin with $; other nets can be named by a property and stay, with all that they depend on."""
    live = needed(netlist)
    tables = tuple(t for t in netlist.tables if any(net in live for net in t.outputs))
    return replace(netlist, tables=tables, latches=tuple(latch for latch in netlist.latches if latch.output in live))


def needed(netlist: Netlist) -> set[str]:
    drivers: dict[str, Table | Latch] = {latch.output: latch for latch in netlist.latches}
    drivers.update((net, table) for table in netlist.tables for net in table.outputs)
    waiting = [net for net in drivers if not net.startswith("$")]
    waiting += [*netlist.outputs, *netlist.constraints, *netlist.fairness, *netlist.aliases.values()]
    waiting += [net for claim in netlist.claims for net in claim.nets]
    live: set[str] = set()
    while waiting:
        net = waiting.pop()
        if net not in live:
            live.add(net)
            waiting += reads(drivers.get(net))
    return live


def reads(driver: Table | Latch | None) -> Iterator[str]:
    match driver:
        case Table():
            yield from mentions(driver)
        case Latch(source, _, reset):
            yield source
            if reset is not None:
                yield from mentions(reset)
