"""What a Yosys netlist is while it is read: names for its bits, cells with their ports."""

from __future__ import annotations

import re
from typing import Any

from quorbit.languages.circuits.verilog.tokens import Place, place_of
from quorbit.languages.circuits.yosys.for_slang import FREE
from quorbit.languages.circuits.yosys.labels import labels_of
from quorbit.languages.circuits.yosys.written import Written
from quorbit.netlists.builder import ONE, ZERO, Builder
from quorbit.netlists.netlist import Labels
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span

Bits = list[str]
Wire = int | str  # a bit in the JSON text: a number, or a constant "0", "1", "x", "z"
PLACE = re.compile(r"[^|]*?:(\d+)(?:\.(\d+))?")
NUMBERED = re.compile(r"\$(\d+)$")  # what slang calls a wire of its own, and what the builder calls a net


@mutable
class Reading:
    b: Builder
    places: Written
    names: dict[int, str] = field(default_factory=dict)
    starts: dict[int, str] = field(default_factory=dict)
    driven: set[str] = field(default_factory=set)
    undriven: dict[str, str] = field(
        default_factory=dict
    )  # what a net is that nothing drives, where an attribute tells
    clocks: dict[tuple[Wire, int], Span] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    labels: dict[Place, Labels] = field(default_factory=dict)  # of enumerations, by declarations
    checks: dict[Place, str] = field(default_factory=dict)  # labels of checks


@frozen
class Cell:
    kind: str
    name: str
    parameters: dict[str, str]
    ports: dict[str, list[Wire]]
    span: Span

    def number(self, name: str, default: int = 0) -> int:
        text = self.parameters.get(name)
        return default if text is None else int(str(text).replace("x", "0").replace("z", "0") or "0", 2)


def cells_of(r: Reading, module: dict[str, Any]) -> list[Cell]:
    return [
        Cell(raw["type"], name, raw.get("parameters", {}), raw["connections"], place(r, raw))
        for name, raw in module["cells"].items()
    ]


def place(r: Reading, raw: dict[str, Any]) -> Span:
    match = PLACE.match(raw.get("attributes", {}).get("src", ""))
    return r.places.span(int(match.group(1)), int(match.group(2) or 1)) if match else r.places.first


def name_bits(r: Reading, module: dict[str, Any]) -> None:
    """Every bit gets the name of the input or else of the first public wire it belongs to, that of a whole register
    before others; other names are aliases."""
    inputs = {name for name, port in module["ports"].items() if port["direction"] == "input"}
    registers = {tuple(raw["connections"].get("Q", ())) for raw in module["cells"].values()}

    def rank(item: tuple[str, dict[str, Any]]) -> tuple[bool, int, bool, int]:
        name, wire = item
        return name not in inputs, wire.get("hide_name", 0), tuple(wire["bits"]) not in registers, name.count(".")

    wires = sorted(module["netnames"].items(), key=rank)
    for name, wire in wires:
        bits, offset, upto = wire["bits"], wire.get("offset", 0), wire.get("upto", 0)
        attributes = wire.get("attributes", {})
        first = attributes.get("init", "")[::-1]
        free = next((FREE[name] for name in attributes if name in FREE), "")
        last = offset + len(bits) - 1
        labels = labels_of(attributes) or r.labels.get(place_of(place(r, wire)))
        if labels is not None and not max(labels) >> len(bits):
            r.b.labels[name] = labels
        if offset or last:
            r.b.vectors[name] = (offset, last) if upto else (last, offset)
        for i, bit in enumerate(bits):
            index = offset + (len(bits) - 1 - i if upto else i)
            name = name.replace("\\$", "$")  # of a monitor
            name = NUMBERED.sub(r"$w\1", name)
            plain = name if len(bits) == 1 and not offset else f"{name}<{index}>"
            if isinstance(bit, int):
                if i < len(first) and first[i] in "01":
                    r.starts.setdefault(bit, first[i])
                known = r.names.setdefault(bit, plain)
                if free:
                    r.undriven[known] = free
                if known != plain:
                    r.b.aliases[plain] = known
                r.b.spans.setdefault(known, place(r, wire))
            elif bit in ("0", "1"):
                r.b.aliases[plain] = ONE if bit == "1" else ZERO


def add_port(r: Reading, description: dict[str, Any]) -> None:
    nets = [net(r, bit) for bit in description["bits"]]
    if description["direction"] == "input":
        r.b.inputs += nets
        r.driven |= set(nets)
    else:  # an inout port is what drives it from within, and free where nothing does
        r.b.outputs += [n for n in dict.fromkeys(nets) if n not in r.b.outputs]


def net(r: Reading, bit: Wire) -> str:
    if isinstance(bit, int):
        return r.names.setdefault(bit, f"$y{bit}")
    if bit in ("0", "1"):
        return ONE if bit == "1" else ZERO
    return free_bit(r)


def free_bit(r: Reading) -> str:
    """An unknown: either value, chosen anew at every step."""
    free = r.b.fresh()
    r.b.choice(free, (0, 1))
    return free


def port(r: Reading, cell: Cell, name: str) -> Bits:
    return [net(r, bit) for bit in cell.ports.get(name, [])]


def drive(r: Reading, cell: Cell, values: Bits, name: str = "Y") -> None:
    for bit, value in zip(cell.ports[name], values, strict=False):
        target = net(r, bit)
        r.driven.add(target)
        if value != target:
            r.b.copy(value, target)
