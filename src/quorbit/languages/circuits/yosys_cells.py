"""The JSON netlist of Yosys as a netlist of ours: names for its bits, gates for its word-level cells.

Meanings of the cells: the chapter "Internal cell library" of the Yosys manual.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from quorbit.languages.circuits import words
from quorbit.languages.circuits.builder import ONE, ZERO, Builder
from quorbit.languages.circuits.netlist import Claim, Netlist
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Source, Span

Bits = list[str]
PLACE = re.compile(r"[^|]*?:(\d+)(?:\.(\d+))?")


@dataclass
class Reading:
    b: Builder
    source: Source
    names: dict[int, str] = field(default_factory=dict)
    starts: dict[int, str] = field(default_factory=dict)
    driven: set[str] = field(default_factory=set)


@frozen
class Cell:
    kind: str
    name: str
    parameters: dict[str, str]
    ports: dict[str, list[int | str]]
    span: Span

    def number(self, name: str, default: int = 0) -> int:
        text = self.parameters.get(name)
        return default if text is None else int(str(text).replace("x", "0").replace("z", "0") or "0", 2)


def read_json(data: dict[str, Any], source: Source) -> Netlist:
    modules = data["modules"]
    tops = [m for m in modules if int(modules[m].get("attributes", {}).get("top", "0"), 2)]
    name = tops[0] if tops else next(iter(modules))
    module = modules[name]
    r = Reading(Builder(name), source)
    name_bits(r, module)
    for port, description in module["ports"].items():
        add_port(r, port, description)
    clocks: dict[tuple[int | str, int], Span] = {}
    for cell_name, raw in module["cells"].items():
        cell = Cell(raw["type"], cell_name, raw.get("parameters", {}), raw["connections"], place(r, raw))
        r.b.span = cell.span
        add_cell(r, cell, clocks)
    if len(clocks) > 1:
        raise UserError(list(clocks.values())[1], "registers with two clocks; one clock is read")
    for net in r.names.values():
        if net not in r.driven:
            r.b.choice(net, (0, 1))  # nothing drives it: unknown, so free
    return r.b.finish()


def place(r: Reading, raw: dict[str, Any]) -> Span:
    match = PLACE.match(raw.get("attributes", {}).get("src", ""))
    line = int(match.group(1)) if match else 1
    if not 1 <= line <= len(r.source.line_starts):
        line = 1
    start = r.source.line_starts[line - 1] + (int(match.group(2)) - 1 if match and match.group(2) else 0)
    start = min(start, len(r.source.text))
    return Span(r.source, start, min(start + 1, len(r.source.text)))


def name_bits(r: Reading, module: dict[str, Any]) -> None:
    """Every bit gets the name of the first public wire it belongs to; further names are aliases."""
    wires = sorted(module["netnames"].items(), key=lambda item: (item[1].get("hide_name", 0), item[0].count(".")))
    for name, wire in wires:
        bits, offset, upto = wire["bits"], wire.get("offset", 0), wire.get("upto", 0)
        first = wire.get("attributes", {}).get("init", "")[::-1]
        for i, bit in enumerate(bits):
            index = offset + (len(bits) - 1 - i if upto else i)
            net = name if len(bits) == 1 and not offset else f"{name}<{index}>"
            if isinstance(bit, int):
                if i < len(first) and first[i] in "01":
                    r.starts.setdefault(bit, first[i])
                known = r.names.setdefault(bit, net)
                if known != net:
                    r.b.aliases[net] = known
                r.b.spans.setdefault(known, place(r, wire))
            elif bit in ("0", "1"):
                r.b.aliases[net] = ONE if bit == "1" else ZERO


def add_port(r: Reading, name: str, description: dict[str, Any]) -> None:
    nets = [net(r, bit) for bit in description["bits"]]
    if description["direction"] == "input":
        r.b.inputs += nets
        r.driven |= set(nets)
    elif description["direction"] == "output":
        r.b.outputs += [n for n in dict.fromkeys(nets) if n not in r.b.outputs]
    else:
        raise UserError(None, f"{r.source.name}: the inout port {name} is not read")


def net(r: Reading, bit: int | str) -> str:
    if isinstance(bit, int):
        return r.names.setdefault(bit, f"$y{bit}")
    if bit in ("0", "1"):
        return ONE if bit == "1" else ZERO
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


def add_cell(r: Reading, cell: Cell, clocks: dict[tuple[int | str, int], Span]) -> None:
    if cell.kind in REGISTERS:
        add_register(r, cell, clocks)
    elif cell.kind in ("$assert", "$assume", "$check", "$live", "$fair", "$cover", "$print"):
        add_claim(r, cell)
    elif cell.kind in ("$anyseq", "$allseq"):
        for target in port(r, cell, "Y"):
            r.driven.add(target)
            r.b.choice(target, (0, 1))
    elif cell.kind in ("$anyconst", "$allconst", "$initstate"):
        add_constant(r, cell)
    elif cell.kind in ("$mux", "$pmux", "$bmux"):
        add_mux(r, cell)
    elif cell.kind in ("$concat", "$slice"):
        add_wiring(r, cell)
    elif cell.kind in UNARY:
        drive(r, cell, UNARY[cell.kind](r, cell))
    elif cell.kind in BINARY:
        drive(r, cell, BINARY[cell.kind](r, cell))
    else:
        raise UserError(cell.span, f"the cell {cell.kind} of Yosys is not read")


REGISTERS = frozenset(f"${prefix}{kind}" for prefix in ("", "a", "s") for kind in ("dff", "dffe")) | {
    "$ff",
    "$sdffce",
    "$dffsr",
    "$dffsre",
    "$aldff",
    "$aldffe",
}


def add_register(r: Reading, cell: Cell, clocks: dict[tuple[int | str, int], Span]) -> None:
    """D, kept unless enabled, replaced by the reset value under a reset; asynchronous resets are taken at the tick."""
    b, d, q = r.b, port(r, cell, "D"), port(r, cell, "Q")
    if "CLK" in cell.ports:
        clocks.setdefault((cell.ports["CLK"][0], cell.number("CLK_POLARITY", 1)), cell.span)
    reset_first = cell.kind == "$sdffce"
    if reset_first:
        d = with_reset(r, cell, d, "SRST")
    if "EN" in cell.ports:
        d = words.choose(b, level(r, cell, "EN"), d, q)
    if not reset_first:
        d = with_reset(r, cell, d, "SRST")
    d = with_reset(r, cell, d, "ARST")
    if "ALOAD" in cell.ports:
        d = words.choose(b, level(r, cell, "ALOAD"), port(r, cell, "AD"), d)
    if "SET" in cell.ports:
        sets, clears = port(r, cell, "SET"), port(r, cell, "CLR")
        for i in range(len(d)):
            s = sets[i] if cell.number("SET_POLARITY", 1) else b.invert(sets[i])
            c = clears[i] if cell.number("CLR_POLARITY", 1) else b.invert(clears[i])
            d[i] = b.choose(c, ZERO, b.choose(s, ONE, d[i]))
    for bit, target, value in zip(cell.ports["Q"], q, d, strict=True):
        start = r.starts.get(bit) if isinstance(bit, int) else None
        r.driven.add(target)
        b.add_latch(value, target, None if start is None else (int(start),))


def level(r: Reading, cell: Cell, name: str) -> str:
    signal = port(r, cell, name)[0]
    return signal if cell.number(f"{name}_POLARITY", 1) else r.b.invert(signal)


def with_reset(r: Reading, cell: Cell, d: Bits, name: str) -> Bits:
    if name not in cell.ports:
        return d
    value = cell.parameters.get(f"{name}_VALUE", "0" * len(d))[::-1]
    return words.choose(r.b, level(r, cell, name), [ONE if bit == "1" else ZERO for bit in value], d)


def add_constant(r: Reading, cell: Cell) -> None:
    """$anyconst: chosen once; $initstate: 1 in the first state only."""
    for target in port(r, cell, "Y"):
        r.driven.add(target)
        if cell.kind == "$initstate":
            r.b.add_latch(ZERO, target, (1,))
        else:
            r.b.add_latch(target, target, None)


def add_claim(r: Reading, cell: Cell) -> None:
    kind = cell.kind[1:]
    if kind == "check":
        kind = str(cell.parameters.get("FLAVOR", "assert"))
    if kind in ("cover", "print"):
        return
    condition, enable = port(r, cell, "A")[0], port(r, cell, "EN")[0]
    holds = r.b.disjoin((r.b.invert(enable), condition))
    name = cell.name if not cell.name.startswith("$") else f"{kind}@{cell.span.line}"
    if kind == "assert":
        r.b.claims.append(Claim(name, "never", (r.b.invert(holds),), cell.span))
    elif kind == "assume":
        r.b.constraints.append(holds)
    elif kind == "fair":
        r.b.fairness.append(holds)
    else:
        raise UserError(cell.span, f"the property cell {kind} is not read")


def add_mux(r: Reading, cell: Cell) -> None:
    a, b_, s = port(r, cell, "A"), port(r, cell, "B"), port(r, cell, "S")
    width = len(cell.ports["Y"])
    if cell.kind == "$bmux":
        for k, select in enumerate(s):
            parts = [a[i : i + width] for i in range(0, len(a), width)]
            halves = [words.choose(r.b, select, high, low) for low, high in zip(parts[0::2], parts[1::2], strict=True)]
            a = [bit for half in halves for bit in half]
            assert k < len(s)
        drive(r, cell, a)
        return
    result = a
    for k in reversed(range(len(s))):
        result = words.choose(r.b, s[k], b_[k * width : (k + 1) * width], result)
    drive(r, cell, result)


def add_wiring(r: Reading, cell: Cell) -> None:
    if cell.kind == "$concat":
        drive(r, cell, port(r, cell, "A") + port(r, cell, "B"))
    else:
        offset = cell.number("OFFSET")
        drive(r, cell, port(r, cell, "A")[offset : offset + len(cell.ports["Y"])])


def operands(r: Reading, cell: Cell, width: int) -> tuple[Bits, Bits]:
    """A and B, grown to a width; they are signed only together."""
    signed = bool(cell.number("A_SIGNED") and cell.number("B_SIGNED"))
    return words.extend(port(r, cell, "A"), width, signed), words.extend(port(r, cell, "B"), width, signed)


def is_signed(cell: Cell) -> bool:
    return bool(cell.number("A_SIGNED") and cell.number("B_SIGNED"))


def result_width(cell: Cell) -> int:
    return len(cell.ports["Y"])


def single(r: Reading, cell: Cell, bit: str) -> Bits:
    return [bit] + [ZERO] * (result_width(cell) - 1)


def wide(r: Reading, cell: Cell) -> Bits:
    return words.extend(port(r, cell, "A"), result_width(cell), bool(cell.number("A_SIGNED")))


def bitwise(kind: str) -> Callable[[Reading, Cell], Bits]:
    return lambda r, cell: words.bitwise(r.b, kind, *operands(r, cell, result_width(cell)))


def arithmetic(function: Callable[[Builder, Bits, Bits], Bits]) -> Callable[[Reading, Cell], Bits]:
    return lambda r, cell: function(r.b, *operands(r, cell, result_width(cell)))


def division(part: int) -> Callable[[Reading, Cell], Bits]:
    def divide(r: Reading, cell: Cell) -> Bits:
        width = max(result_width(cell), len(cell.ports["A"]), len(cell.ports["B"]))
        x, y = operands(r, cell, width)
        return (words.divide_signed if is_signed(cell) else words.divide)(r.b, x, y)[part][: result_width(cell)]

    return divide


def equality(negated: bool) -> Callable[[Reading, Cell], Bits]:
    def compare(r: Reading, cell: Cell) -> Bits:
        same = words.equal(r.b, *operands(r, cell, max(len(cell.ports["A"]), len(cell.ports["B"]))))
        return single(r, cell, r.b.invert(same) if negated else same)

    return compare


def order(swap: bool, negated: bool) -> Callable[[Reading, Cell], Bits]:
    def compare(r: Reading, cell: Cell) -> Bits:
        x, y = operands(r, cell, max(len(cell.ports["A"]), len(cell.ports["B"])))
        less = words.less(r.b, y, x, is_signed(cell)) if swap else words.less(r.b, x, y, is_signed(cell))
        return single(r, cell, r.b.invert(less) if negated else less)

    return compare


def shift(kind: str) -> Callable[[Reading, Cell], Bits]:
    def move(r: Reading, cell: Cell) -> Bits:
        width = max(result_width(cell), len(cell.ports["A"]))
        signed = bool(cell.number("A_SIGNED"))
        x, amount = words.extend(port(r, cell, "A"), width, signed), port(r, cell, "B")
        if kind == "left":
            return words.shift_left(r.b, x, amount)[: result_width(cell)]
        if kind == "both" and cell.number("B_SIGNED"):
            right = words.shift_right(r.b, x, amount[:-1])
            left = words.shift_left(r.b, x, words.negate(r.b, amount))
            return words.choose(r.b, amount[-1], left, right)[: result_width(cell)]
        fill = x[-1] if kind == "arithmetic" and signed else ZERO
        return words.shift_right(r.b, x, amount, fill)[: result_width(cell)]

    return move


def reduction(join: str, negated: bool = False) -> Callable[[Reading, Cell], Bits]:
    def reduce(r: Reading, cell: Cell) -> Bits:
        gate = {"and": r.b.conjoin, "or": r.b.disjoin, "xor": r.b.parity}[join]
        value = gate(port(r, cell, "A"))
        return single(r, cell, r.b.invert(value) if negated else value)

    return reduce


def logic(join: str) -> Callable[[Reading, Cell], Bits]:
    def combine(r: Reading, cell: Cell) -> Bits:
        truths = [r.b.disjoin(port(r, cell, name)) for name in ("A", "B")]
        return single(r, cell, r.b.conjoin(truths) if join == "and" else r.b.disjoin(truths))

    return combine


UNARY: dict[str, Callable[[Reading, Cell], Bits]] = {
    "$not": lambda r, cell: words.invert(r.b, wide(r, cell)),
    "$neg": lambda r, cell: words.negate(r.b, wide(r, cell)),
    "$pos": wide,
    "$buf": wide,
    "$logic_not": reduction("or", True),
    "$reduce_and": reduction("and"),
    "$reduce_or": reduction("or"),
    "$reduce_bool": reduction("or"),
    "$reduce_xor": reduction("xor"),
    "$reduce_xnor": reduction("xor", True),
}
BINARY: dict[str, Callable[[Reading, Cell], Bits]] = {
    "$and": bitwise("and"),
    "$or": bitwise("or"),
    "$xor": bitwise("xor"),
    "$xnor": bitwise("xnor"),
    "$add": arithmetic(words.add),
    "$sub": arithmetic(words.subtract),
    "$mul": arithmetic(words.multiply),
    "$pow": lambda r, cell: words.power(
        r.b, words.extend(port(r, cell, "A"), result_width(cell), bool(cell.number("A_SIGNED"))), port(r, cell, "B")
    ),
    "$div": division(0),
    "$mod": division(1),
    "$eq": equality(False),
    "$ne": equality(True),
    "$eqx": equality(False),
    "$nex": equality(True),
    "$lt": order(False, False),
    "$ge": order(False, True),
    "$gt": order(True, False),
    "$le": order(True, True),
    "$shl": shift("left"),
    "$sshl": shift("left"),
    "$shr": shift("right"),
    "$sshr": shift("arithmetic"),
    "$shift": shift("both"),
    "$shiftx": shift("both"),
    "$logic_and": logic("and"),
    "$logic_or": logic("or"),
}
