"""Write a circuit with what is asked of it as AIGER 1.9 or BTOR2, for other tools.

Assertions of the circuit and ``AG`` of a condition become bad states, liveness of AIGER's kind becomes justice.
Anything else has no counterpart in these formats and is refused, or named where the circuit itself brings it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quorbit.languages.circuits.aiger.write import write_aiger
from quorbit.languages.circuits.btor.write import write_btor
from quorbit.languages.circuits.load import nested_too_deeply, read_netlist, stated_by
from quorbit.languages.circuits.properties import Stated, claimed, is_always, under_always
from quorbit.languages.options import LoadOptions
from quorbit.model.system.formula import (
    Always,
    And,
    Eventually,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Proposition,
    Truth,
    children,
)
from quorbit.model.system.formula_kinds import is_propositional
from quorbit.netlists.gate_circuit import GateCircuit, Goal, gate_circuit
from quorbit.netlists.gates import Signal
from quorbit.netlists.netlist import Netlist
from quorbit.netlists.propositions import NetIs, NetsAgree
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace

__all__ = ["Exported", "export"]

SUFFIXES = (".aag", ".aig", ".btor2")
ADVICE = (
    "bad states say AG of a condition, justice says that conditions do not all come again and again: !(GF p * GF q)"
)


@frozen
class Exported:
    """What was written: its text and what it holds; ``left_out``: what the format cannot say."""

    content: bytes
    circuit: GateCircuit
    left_out: tuple[str, ...]


def export(path: Path, target: Path, properties: Sequence[str], options: LoadOptions) -> Exported:
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise UserError(None, f"{target}: a circuit is written as {', '.join(SUFFIXES)}")
    with nested_too_deeply(path):
        netlist = read_netlist(path, options)
        asked = [s for each in properties for s in stated_by(netlist, each)]
        circuit = with_asked(gate_circuit(netlist), asked) if properties else gate_circuit(netlist)
        content = write_btor(circuit).encode() if suffix == ".btor2" else write_aiger(circuit, suffix == ".aig")
        return Exported(content, circuit, () if properties else left_out(netlist))


def left_out(netlist: Netlist) -> tuple[str, ...]:
    return tuple(s.name for s in claimed(netlist) if s.kind == "cover")


def with_asked(circuit: GateCircuit, asked: Sequence[Stated]) -> GateCircuit:
    """The circuit with these properties instead of its own."""
    fairness = tuple(signal_of(circuit, condition(s)) for s in asked if s.is_fairness)
    bad: list[Goal] = []
    justice: list[Goal] = []
    for s in asked:
        if s.kind == "inv" or is_always(s):
            body = under_always(s.formula) if is_always(s) else s.formula
            bad.append(Goal(s.name, (~signal_of(circuit, body),)))
        elif not s.is_fairness:
            justice.append(Goal(s.name, tuple(signal_of(circuit, f) for f in recurring(s))))
    return replace(circuit, fairness=(*circuit.fairness, *fairness), bad=tuple(bad), justice=tuple(justice))


def condition(s: Stated) -> Formula:
    if not is_propositional(s.formula):
        raise UserError(s.span, "a fairness constraint with path quantifiers cannot be written in these formats")
    return s.formula


def recurring(s: Stated) -> list[Formula]:
    """The conditions that do not all come again and again, as AIGER's justice has it."""
    match s.formula:
        case Not(inside):
            found = [again(f) for f in (children(inside) if isinstance(inside, And) else (inside,))]
            plain = [f for f in found if f is not None]
            if len(plain) == len(found):
                return plain
    raise UserError(s.span, f"this formula cannot be written in these formats: {ADVICE}")


def again(f: Formula) -> Formula | None:
    match f:
        case Always(Eventually(body)) if is_propositional(body):
            return body
    return None


def signal_of(circuit: GateCircuit, formula: Formula) -> Signal:
    parts = [signal_of(circuit, f) for f in children(formula)]
    gates = circuit.gates
    match formula:
        case Proposition(NetIs(net, values)):
            return gates.disjunction(circuit.value(net)[k] for k in values)
        case Proposition(NetsAgree(left, right)):
            both = zip(circuit.value(left), circuit.value(right), strict=True)
            return gates.disjunction(p & q for p, q in both)
        case And():
            return gates.conjunction(parts)
        case Or():
            return gates.disjunction(parts)
        case Not():
            return ~parts[0]
        case Implies():
            return ~parts[0] | parts[1]
        case Iff():
            return (parts[0] & parts[1]) | (~parts[0] & ~parts[1])
        case Truth(value):
            return gates.true if value else gates.false
    raise AssertionError(formula)
