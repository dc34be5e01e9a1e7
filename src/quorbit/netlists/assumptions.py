"""Whether what a circuit assumes leaves any run at all: if it does not, whatever is asserted holds and says nothing.

Decided by BDDs on the part of the circuit that the assumptions depend on: the greatest set of states and inputs in
which they hold and which some step does not leave.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.bdd.function import Manager
from quorbit.bdd.open import open_manager
from quorbit.netlists.gate_circuit import at_start, code
from quorbit.netlists.netlist import Latch, Netlist, Table
from quorbit.netlists.next_functions import Functions, build_functions
from quorbit.netlists.prune import reads
from quorbit.source.frozen import replace

__all__ = ["excludes_every_run"]

MOST_BITS, MOST_TABLES = 24, 2_000  # of latches and of tables; a larger part is not looked at


def excludes_every_run(netlist: Netlist) -> bool:
    """False also where the assumptions depend on too much to tell."""
    if not netlist.constraints:
        return False
    part = part_of(netlist, netlist.constraints)
    if sum(bits_of(netlist, latch) for latch in part.latches) > MOST_BITS or len(part.tables) > MOST_TABLES:
        return False
    m = open_manager()
    try:
        built = build_functions(part, m)
        before = build_functions(at_start(part), m)
        going_on = states_that_go_on(built)
        first = {
            b: start
            for latch in part.latches
            for b, start in zip(built.sources[latch.output], code(before, latch.output), strict=True)
        }
        return bool(m.substitute(going_on, m.substitution(first)) == m.false)
    except MemoryError:
        return False


def bits_of(netlist: Netlist, latch: Latch) -> int:
    return max(1, (len(netlist.domain(latch.output)) - 1).bit_length())


def part_of(netlist: Netlist, nets: Sequence[str]) -> Netlist:
    """The circuit that drives some nets, over any number of steps."""
    driving: dict[str, Table | Latch] = {latch.output: latch for latch in netlist.latches}
    driving.update((net, table) for table in netlist.tables for net in table.outputs)
    found: set[str] = set()
    waiting = list(nets)
    while waiting:
        net = waiting.pop()
        if net not in found:
            found.add(net)
            waiting += reads(driving.get(net))
    return replace(
        netlist,
        inputs=tuple(net for net in netlist.inputs if net in found),
        outputs=(),
        tables=tuple(table for table in netlist.tables if found.intersection(table.outputs)),
        latches=tuple(latch for latch in netlist.latches if latch.output in found),
    )


def states_that_go_on(built: Functions[Manager]) -> object:
    """The states from which a run begins on which all assumptions hold for ever."""
    m, netlist = built.m, built.netlist
    latched = {latch.output: built.sources[latch.output] for latch in netlist.latches}
    inputs = m.variables(b for name, bits in built.sources.items() if name not in latched for b in bits)
    step = m.substitution(
        {
            b: following
            for latch in netlist.latches
            for b, following in zip(latched[latch.output], code(built, latch.input), strict=True)
        }
    )
    allowed = m.conjunction(built.nets[net][1] for net in netlist.constraints)
    found = m.exists(allowed, inputs)
    while True:
        smaller = m.exists(allowed & m.substitute(found, step), inputs)
        if smaller == found:
            return found
        found = smaller
