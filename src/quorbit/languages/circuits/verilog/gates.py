"""Gates of Verilog: which arguments are outputs, and how one drives them."""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.languages.circuits.verilog.buses import PULLS, join_bus
from quorbit.languages.circuits.verilog.elaboration import Elaboration, drive
from quorbit.languages.circuits.verilog.tree import TRISTATES


def outputs_of(kind: str, arguments: int) -> int:
    """How many of the arguments, the first ones, are outputs."""
    if kind in PULLS:
        return arguments
    return arguments - 1 if kind in ("not", "buf") else 1


def drive_gate(x: Elaboration, kind: str, outputs: Sequence[str], inputs: Sequence[str]) -> None:
    if kind in PULLS:
        x.pulls.update(dict.fromkeys(outputs, PULLS[kind]))
    elif kind in TRISTATES:
        value, control = inputs
        value = x.b.invert(value) if kind.startswith("not") else value
        join_bus(x, outputs[0], x.b.invert(control) if kind.endswith("0") else control, value)
    else:
        value = value_of(x, kind, inputs)
        for net in outputs:
            drive(x, net, value)


def value_of(x: Elaboration, kind: str, inputs: Sequence[str]) -> str:
    match kind:
        case "buf":
            return inputs[0]
        case "not":
            return x.b.invert(inputs[0])
        case "and" | "or" | "xor":
            return {"and": x.b.conjoin, "or": x.b.disjoin, "xor": x.b.parity}[kind](list(inputs))
    return x.b.invert(value_of(x, {"nand": "and", "nor": "or", "xnor": "xor"}[kind], inputs))
