"""Write AIGER 1.9, ASCII and binary: inputs, latches and gates in their order, with the names of the netlist.

Latches begin with 0, 1 or anything.  Where one begins with something else (a function of others, one of some values) a
latch ``$first`` is 1 in the first step, in which what is read of the latch is its first value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quorbit.netlists.gate_circuit import Bit, GateCircuit, Goal, Register
from quorbit.netlists.gates import Gates, Signal
from quorbit.source.frozen import frozen, replace

__all__ = ["write_aiger"]

FIRST = "$first"


@frozen
class Numbered:
    """A circuit whose latches begin as AIGER can say it; the variable of each node."""

    circuit: GateCircuit
    ands: list[int]
    variables: dict[int, int]

    def literal(self, signal: Signal) -> int:
        return 2 * self.variables[signal.literal >> 1] + (signal.literal & 1)


def write_aiger(circuit: GateCircuit, binary: bool) -> bytes:
    numbered = number(with_plain_starts(circuit))
    c = numbered.circuit
    sizes = [len(numbered.variables) - 1, len(c.inputs), len(c.registers), len(c.outputs), len(numbered.ands)]
    more = [len(c.bad), len(c.constraints), len(c.justice), len(c.fairness)]
    while more and more[-1] == 0:
        more.pop()
    lines = [" ".join(map(str, ["aig" if binary else "aag", *sizes, *more]))]
    lines += [] if binary else [str(2 * numbered.variables[b.node]) for b in c.inputs]
    lines += [latch_line(numbered, r, binary) for r in c.registers]
    single = [*(g.signals[0] for g in (*c.outputs, *c.bad)), *c.constraints]
    lines += [str(numbered.literal(s)) for s in single]
    lines += [str(len(g.signals)) for g in c.justice]
    lines += [str(numbered.literal(s)) for g in c.justice for s in g.signals]
    lines += [str(numbered.literal(s)) for s in c.fairness]
    pairs = [operands(numbered, node) for node in numbered.ands]
    if not binary:
        lines += [f"{left} {high} {low}" for left, high, low in pairs]
    gates = b"".join(delta(left - high) + delta(high - low) for left, high, low in pairs) if binary else b""
    return text(lines) + gates + text(symbols(c))


def text(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def with_plain_starts(circuit: GateCircuit) -> GateCircuit:
    """Latches that begin with 0, 1 or anything; the others are read through the first step."""
    gates = circuit.gates
    odd = [r for r in circuit.registers if r.start is not None and r.start.literal > 1]
    if not odd:
        return circuit
    first = gates.add_variables(1)[0]
    is_first = gates.variable(first)
    seen = {r.node: seen_at(gates, is_first, r) for r in odd}
    put = Replacing(gates, seen)
    registers = [
        replace(r, following=put(r.following), start=gates.false if r.node in seen else r.start)
        for r in circuit.registers
    ]
    return replace(
        circuit,
        inputs=(*circuit.inputs, *circuit.starts),
        registers=(*registers, Register(FIRST, first, gates.false, gates.true)),
        outputs=tuple(replace(g, signals=tuple(map(put, g.signals))) for g in circuit.outputs),
        constraints=tuple(map(put, circuit.constraints)),
        fairness=tuple(map(put, circuit.fairness)),
        bad=tuple(replace(g, signals=tuple(map(put, g.signals))) for g in circuit.bad),
        justice=tuple(replace(g, signals=tuple(map(put, g.signals))) for g in circuit.justice),
    )


def seen_at(gates: Gates, is_first: Signal, r: Register) -> Signal:
    assert r.start is not None
    return (is_first & r.start) | (~is_first & gates.variable(r.node))


class Replacing:
    """Signals with others in the place of some variables."""

    def __init__(self, gates: Gates, by: dict[int, Signal]) -> None:
        self.gates = gates
        self.done = dict(by)

    def __call__(self, signal: Signal) -> Signal:
        for node in self.gates.cone([signal]):
            if node not in self.done:
                left, right = self.gates.nodes[node] or (0, 0)
                self.done[node] = self.moved(left) & self.moved(right)
        return self.moved(signal.literal)

    def moved(self, literal: int) -> Signal:
        plain = self.done.get(literal >> 1, Signal(self.gates, literal & ~1))
        return ~plain if literal & 1 else plain


def number(circuit: GateCircuit) -> Numbered:
    goals = [s for g in (*circuit.outputs, *circuit.bad, *circuit.justice) for s in g.signals]
    following = [r.following for r in circuit.registers]
    ands = circuit.gates.cone([*goals, *following, *circuit.constraints, *circuit.fairness])
    leaves: list[Bit | Register] = [*circuit.inputs, *circuit.registers]
    nodes = [0, *(leaf.node for leaf in leaves), *ands]
    return Numbered(circuit, ands, {node: k for k, node in enumerate(nodes)})


def latch_line(numbered: Numbered, r: Register, binary: bool) -> str:
    own = 2 * numbered.variables[r.node]
    start = own if r.start is None else r.start.literal
    return " ".join(map(str, [*([] if binary else [own]), numbered.literal(r.following), *([start] if start else [])]))


def operands(numbered: Numbered, node: int) -> tuple[int, int, int]:
    """The literal of a conjunction and what it reads, the larger first."""
    read = numbered.circuit.gates.nodes[node] or (0, 0)
    low, high = sorted(numbered.literal(Signal(numbered.circuit.gates, literal)) for literal in read)
    return 2 * numbered.variables[node], high, low


def delta(value: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def symbols(circuit: GateCircuit) -> list[str]:
    found: dict[str, Sequence[Bit | Register | Goal]] = {"i": circuit.inputs, "l": circuit.registers}
    found |= {"o": circuit.outputs, "b": circuit.bad, "j": circuit.justice}
    lines = [f"{letter}{k} {each.name}" for letter, listed in found.items() for k, each in enumerate(listed)]
    return [*lines, "c", f"{circuit.name}, written by Quorbit"]
