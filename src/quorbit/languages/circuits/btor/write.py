"""Write BTOR2: the bits of one name from 0 on become a word again, gates become nodes of one bit.

First values that are not constants are `init` lines over states that nothing else reads.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from quorbit.languages.circuits.telling import word_and_bit
from quorbit.netlists.gate_circuit import Bit, GateCircuit, Register
from quorbit.netlists.gates import Signal
from quorbit.source.frozen import field, mutable

__all__ = ["write_btor"]

B = TypeVar("B", Bit, Register)


@mutable
class Writing:
    """The lines so far; ``nodes``: the line that is a gate's node."""

    circuit: GateCircuit
    lines: list[str] = field(default_factory=list)
    sorts: dict[int, int] = field(default_factory=dict)
    nodes: dict[int, int] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)

    def add(self, *words: object) -> int:
        number = len(self.lines) + 1
        self.lines.append(" ".join(map(str, (number, *words))))
        return number

    def sort(self, width: int) -> int:
        if width not in self.sorts:
            self.sorts[width] = self.add("sort", "bitvec", width)
        return self.sorts[width]

    def name(self, wanted: str) -> str:
        """Not one that a state or an input has."""
        plain = found = symbol(wanted)
        k = 1
        while found in self.names:
            k += 1
            found = f"{plain}.{k}"
        self.names.add(found)
        return found


def symbol(name: str) -> str:
    """A name as BTOR2 has it: one word."""
    return re.sub(r"\s+|;", "_", name)


def write_btor(circuit: GateCircuit) -> str:
    w = Writing(circuit)
    w.nodes[0] = w.add("zero", w.sort(1))
    for name, bits in words(circuit.starts):
        declare(w, "state", name, [bit.node for bit in bits])
    states = [(registers, begin(w, name, registers)) for name, registers in words(circuit.registers)]
    for name, inputs in words(circuit.inputs):
        declare(w, "input", name, [bit.node for bit in inputs])
    for registers, state in states:
        following = word(w, [write(w, r.following) for r in registers])
        w.add("next", w.sort(len(registers)), state, following)
    finish(w)
    return "\n".join([f"; {circuit.name}, written by Quorbit", *w.lines, ""])


def words(bits: Sequence[B]) -> list[tuple[str, list[B]]]:
    """The bits of one name from 0 on together, the lowest first; every other one by itself."""
    found: dict[str, dict[int, B]] = {}
    for bit in bits:
        name, k = word_and_bit(bit.name)
        found.setdefault(name, {})[k] = bit
    listed = []
    for name, by_number in found.items():
        if len(by_number) > 1 and sorted(by_number) == list(range(len(by_number))):
            listed.append((name, [by_number[k] for k in range(len(by_number))]))
        else:
            listed += [(bit.name, [bit]) for bit in by_number.values()]
    return listed


def begin(w: Writing, name: str, registers: Sequence[Register]) -> int:
    """A state with its first value, which has to stand before it; bits of it that may be anything are states of their
    own there."""
    start = None
    if any(r.start is not None for r in registers):
        start = word(w, [free(w, r) if r.start is None else write(w, r.start) for r in registers])
    state = declare(w, "state", name, [r.node for r in registers])
    if start is not None:
        w.add("init", w.sort(len(registers)), state, start)
    return state


def free(w: Writing, register: Register) -> int:
    return w.add("state", w.sort(1), w.name(f"first {register.name}"))


def declare(w: Writing, kind: str, name: str, nodes: Sequence[int]) -> int:
    number = w.add(kind, w.sort(len(nodes)), w.name(name))
    for k, node in enumerate(nodes):
        w.nodes[node] = number if len(nodes) == 1 else w.add("slice", w.sort(1), number, k, k)
    return number


def write(w: Writing, signal: Signal) -> int:
    """The line that is a signal, after the gates it reads; a negative number negates a node."""
    for node in w.circuit.gates.cone([signal]):
        if node not in w.nodes:
            left, right = (line(w, literal) for literal in w.circuit.gates.nodes[node] or ())
            w.nodes[node] = w.add("and", w.sort(1), left, right)
    return line(w, signal.literal)


def line(w: Writing, literal: int) -> int:
    number = w.nodes[literal >> 1]
    return -number if literal & 1 else number


def word(w: Writing, bits: Sequence[int]) -> int:
    """The bits joined, the lowest first."""
    joined = bits[0]
    for k, bit in enumerate(bits[1:], 2):
        joined = w.add("concat", w.sort(k), bit, joined)
    return joined


def finish(w: Writing) -> None:
    circuit = w.circuit
    for output in circuit.outputs:
        w.add("output", write(w, output.signals[0]), symbol(output.name))
    for constraint in circuit.constraints:
        w.add("constraint", write(w, constraint))
    for fairness in circuit.fairness:
        w.add("fair", write(w, fairness))
    for bad in circuit.bad:
        w.add("bad", write(w, bad.signals[0]), symbol(bad.name))
    for goal in circuit.justice:
        w.add("justice", len(goal.signals), *[write(w, signal) for signal in goal.signals], symbol(goal.name))
