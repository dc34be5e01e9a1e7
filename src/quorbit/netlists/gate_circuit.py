"""A netlist as gates of one bit, for formats that know nothing else: values of a net become numbers in binary.

A choice becomes an input; codes beyond the last value mean the last.  First values are signals over variables of their
own, for what a latch may begin with and for the inputs that its reset reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from quorbit.netlists.check import checked
from quorbit.netlists.gates import Gates, Signal
from quorbit.netlists.netlist import Latch, Netlist, Table, mentions
from quorbit.netlists.next_functions import Functions, L, Values, build_functions, choice_of
from quorbit.source.frozen import frozen, replace

__all__ = ["Bit", "GateCircuit", "Goal", "Register", "gate_circuit"]

Value = Callable[[str], Values]  # the conditions under which a net has each of its values


@frozen
class Bit:
    """An input, by its name and the node that stands for it."""

    name: str
    node: int


@frozen
class Register:
    """A latch of one bit.  ``start``: what it is at first (None: anything)."""

    name: str
    node: int
    following: Signal
    start: Signal | None


@frozen
class Goal:
    """Signals with a name: bad states and outputs have one, justice has several that all come again and again."""

    name: str
    signals: tuple[Signal, ...]


@frozen
class GateCircuit:
    name: str
    gates: Gates
    inputs: tuple[Bit, ...]
    registers: tuple[Register, ...]
    starts: tuple[Bit, ...]  # variables that only first values read
    outputs: tuple[Goal, ...]
    constraints: tuple[Signal, ...]
    fairness: tuple[Signal, ...]
    bad: tuple[Goal, ...]
    justice: tuple[Goal, ...]
    value: Value


def gate_circuit(netlist: Netlist) -> GateCircuit:
    checked(netlist)
    built = build_functions(netlist, Gates())
    before = build_functions(at_start(netlist), built.m)
    latched = {latch.output for latch in netlist.latches}
    made = GateCircuit(
        netlist.name,
        built.m,
        tuple(b for name, nodes in built.sources.items() if name not in latched for b in bits(shown(name), nodes)),
        tuple(r for latch in netlist.latches for r in registers(latch, built, before)),
        tuple(b for name, nodes in before.sources.items() for b in bits(f"first {shown(name)}", nodes)),
        tuple(goal for net in netlist.outputs for goal in outputs(net, built)),
        ones(built, netlist.constraints),
        ones(built, netlist.fairness),
        tuple(Goal(c.name, ones(built, c.nets)) for c in netlist.claims if c.kind == "never"),
        tuple(Goal(c.name, ones(built, c.nets)) for c in netlist.claims if c.kind == "not always eventually"),
        built.nets.__getitem__,
    )
    return with_free_starts(made)


def ones(built: Functions[Gates], nets: Sequence[str]) -> tuple[Signal, ...]:
    return tuple(built.nets[net][1] for net in nets)


def shown(name: str) -> str:
    """A choice is called after what it decides."""
    return name.removeprefix(choice_of(Table((), ("",), ())))


def bits(name: str, nodes: Sequence[int]) -> list[Bit]:
    return [Bit(name, nodes[0])] if len(nodes) == 1 else [Bit(f"{name}<{i}>", node) for i, node in enumerate(nodes)]


def outputs(net: str, built: Functions[Gates]) -> list[Goal]:
    found = code(built, net)
    return [Goal(net if len(found) == 1 else f"{net}<{i}>", (signal,)) for i, signal in enumerate(found)]


def code(built: Functions[L], net: str) -> list[Any]:
    """The number of a net's value in binary, the lowest bit first."""
    values = built.nets[net]
    width = max(1, (len(values) - 1).bit_length())
    return [built.m.disjunction(f for k, f in enumerate(values) if k >> i & 1) for i in range(width)]


def registers(latch: Latch, built: Functions[Gates], before: Functions[Gates]) -> list[Register]:
    own = bits(latch.output, built.sources[latch.output])
    each = zip(own, code(built, latch.input), code(before, latch.output), strict=True)
    return [Register(bit.name, bit.node, following, start) for bit, following, start in each]


def at_start(netlist: Netlist) -> Netlist:
    """What decides the first values: resets are tables, and a latch without one may be anything."""
    driving = {net: table for table in netlist.tables for net in table.outputs}
    driving |= {latch.output: replace(latch.reset, outputs=(latch.output,)) for latch in netlist.latches if latch.reset}
    found: dict[str, None] = {}
    waiting = [latch.output for latch in reversed(netlist.latches)]
    while waiting:
        net = waiting.pop()
        if net not in found:
            found[net] = None
            waiting += mentions(driving[net]) if net in driving else ()
    tables = {id(driving[net]): driving[net] for net in found if net in driving}
    inputs = tuple(net for net in found if net not in driving)
    return replace(netlist, inputs=inputs, outputs=(), tables=tuple(tables.values()), latches=())


def with_free_starts(circuit: GateCircuit) -> GateCircuit:
    """A variable that is the first value of one bit and of nothing else only says that this bit may be anything."""
    direct = [r.start.literal >> 1 for r in circuit.registers if r.start is not None]
    cone = circuit.gates.cone(r.start for r in circuit.registers if r.start is not None)
    read = Counter([*direct, *(literal >> 1 for node in cone for literal in circuit.gates.nodes[node] or ())])
    free = {b.node for b in circuit.starts if read[b.node] == 1}.intersection(direct)

    def freed(r: Register) -> Register:
        return replace(r, start=None) if r.start is not None and r.start.literal >> 1 in free else r

    kept = tuple(b for b in circuit.starts if read[b.node] and b.node not in free)
    return replace(circuit, registers=tuple(map(freed, circuit.registers)), starts=kept)
