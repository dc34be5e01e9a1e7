"""The JSON netlist of Yosys as a netlist of ours: gates for its word-level cells, claims for its assertions.

Meanings of the cells: the chapter "Internal cell library" of the Yosys manual.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quorbit.languages.circuits.covers import reached, shown_label
from quorbit.languages.circuits.verilog.tokens import Place, place_of
from quorbit.languages.circuits.yosys.for_slang import EVENTUALLY
from quorbit.languages.circuits.yosys.reading import (
    Bits,
    Cell,
    Reading,
    Wire,
    add_port,
    cells_of,
    drive,
    name_bits,
    net,
    port,
)
from quorbit.languages.circuits.yosys.registers import REGISTERS, add_constant, add_register, add_undriven
from quorbit.languages.circuits.yosys.written import Written
from quorbit.netlists import words
from quorbit.netlists.builder import ZERO, Builder
from quorbit.netlists.netlist import Claim, Labels, Netlist
from quorbit.netlists.prune import prune
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.span import Span

NOT_LOGIC = frozenset(["$scopeinfo", "$print"])


class ManyClocks(Exception):
    """The registers of a design do not all tick together, so that a step must be less than a tick."""


def read_json(
    data: dict[str, Any],
    implicit: Mapping[str, Span | None],
    places: Written,
    labels: Mapping[Place, Labels] | None = None,
    checks: Mapping[Place, str] | None = None,
) -> Netlist:
    """The top module; raises ManyClocks if its registers have no common clock.  ``implicit``: the nets that Yosys
    declared by itself.  ``labels``: of enumerations, and ``checks``: of checks, where the netlist does not say them."""
    modules = data["modules"]
    if not modules:
        raise UserError(places.first, "there is no module in this file")
    tops = [m for m in modules if int(modules[m].get("attributes", {}).get("top", "0"), 2)]
    name = tops[0] if tops else next(iter(modules))
    module = modules[name]
    r = Reading(Builder(name), places, labels=dict(labels or {}), checks=dict(checks or {}))
    name_bits(r, module)
    for description in module["ports"].values():
        add_port(r, description)
    cells = cells_of(r, module)
    if any(cell.kind == "$mem_v2" for cell in cells):  # its ports have several clocks
        raise ManyClocks
    for cell in cells:
        r.b.span = cell.span
        add_cell(r, cell)
    check_clocks(r, cells)
    r.b.claims.sort(key=lambda claim: (claim.span.file, claim.span.start))  # Yosys sorts by name
    for target in r.names.values():
        if target not in r.driven:
            if (name := target.rpartition(".")[2]) in implicit:
                raise UserError(implicit[name], f"{name} is not declared, and nothing drives it")
            add_undriven(r, target)
    return replace(prune(r.b.finish()), notes=tuple(dict.fromkeys(r.notes)))


def check_clocks(r: Reading, cells: list[Cell]) -> None:
    """One clock that is an input and nothing but a clock, if there are registers; its ticks are the steps."""
    sources = {y: a for cell in cells if cell.kind == "$buf" for y, a in zip(*wires_of_buffer(cell), strict=True)}
    clocks = {(source_of(wire, sources), polarity) for wire, polarity in r.clocks}
    wires = {wire for wire, _ in clocks}
    if len(clocks) > 1 or any(net(r, wire) not in r.b.inputs for wire in wires):
        raise ManyClocks
    wires |= {wire for wire in sources if source_of(wire, sources) in wires}
    for cell in cells:
        for name, bits in cell.ports.items():
            if name not in ("CLK", "TRG") and cell.kind not in (*NOT_LOGIC, "$buf") and not wires.isdisjoint(bits):
                raise ManyClocks


def wires_of_buffer(cell: Cell) -> tuple[list[Wire], list[Wire]]:
    return cell.ports["Y"], cell.ports["A"]


def source_of(wire: Wire, sources: dict[Wire, Wire]) -> Wire:
    """What drives a wire behind buffers: slang connects the ports of instances by them."""
    for _ in sources:  # at most so many, should they go round
        if wire not in sources:
            break
        wire = sources[wire]
    return wire


def add_cell(r: Reading, cell: Cell) -> None:
    if cell.kind in REGISTERS:
        add_register(r, cell)
    elif cell.kind in NOT_LOGIC:
        return
    elif cell.kind in ("$assert", "$assume", "$check", "$live", "$fair", "$cover"):
        add_claim(r, cell)
    elif cell.kind in ("$anyseq", "$allseq"):
        for target in port(r, cell, "Y"):
            r.driven.add(target)
            r.b.choice(target, (0, 1))
    elif cell.kind in ("$anyconst", "$allconst", "$initstate"):
        for bit in cell.ports["Y"]:
            add_constant(r, net(r, bit), cell.kind == "$initstate")
    elif cell.kind == "$buf":
        add_buffer(r, cell)
    elif cell.kind in ("$mux", "$pmux", "$bmux"):
        add_mux(r, cell)
    elif cell.kind == "$demux":
        add_demux(r, cell)
    elif cell.kind == "$bwmux":
        a, b, s = port(r, cell, "A"), port(r, cell, "B"), port(r, cell, "S")
        drive(r, cell, [r.b.choose(select, y, x) for x, y, select in zip(a, b, s, strict=True)])
    elif cell.kind in ("$concat", "$slice"):
        add_wiring(r, cell)
    elif cell.kind in UNARY:
        drive(r, cell, UNARY[cell.kind](r, cell))
    elif cell.kind in BINARY:
        drive(r, cell, BINARY[cell.kind](r, cell))
    else:
        raise UserError(cell.span, f"the cell {cell.kind} of Yosys is not supported")


def add_claim(r: Reading, cell: Cell) -> None:
    kind = cell.kind[1:]
    if kind == "check":
        kind = str(cell.parameters.get("FLAVOR", "assert"))
    condition, enable = port(r, cell, "A")[0], port(r, cell, "EN")[0]
    if cell.number("TRG_ENABLE") and not cell.number("TRG_WIDTH"):  # inside an initial block
        enable = r.b.conjoin((enable, r.b.first_state()))
    holds = r.b.disjoin((r.b.invert(enable), condition))
    if cell.name.endswith(EVENTUALLY):
        kind = {"assert": "live", "assume": "fair"}[kind]
    name = cell.name.removesuffix(EVENTUALLY)
    if name.startswith("$"):
        name = r.checks.get(place_of(cell.span), f"{kind}@{cell.span.line}")
    if kind == "assume":
        r.b.constraints.append(holds)
    elif kind == "fair":
        r.b.fairness.append(holds)
    elif kind == "cover":
        r.b.claims.append(reached(r.b, name, r.b.conjoin((enable, condition)), cell.span))
    elif kind in ("assert", "live"):
        claimed = "never" if kind == "assert" else "not always eventually"
        r.b.claims.append(Claim(r.b.claim_name(shown_label(name)), claimed, (r.b.invert(holds),), cell.span))
    else:
        raise UserError(cell.span, f"the property cell {kind} is not supported")


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


def add_buffer(r: Reading, cell: Cell) -> None:
    """Copies; slang makes one of unknowns for a variable that nothing drives."""
    for source, target in zip(cell.ports["A"], cell.ports["Y"], strict=True):
        if source not in ("x", "z"):
            r.driven.add(net(r, target))
            r.b.copy(net(r, source), net(r, target))


def add_demux(r: Reading, cell: Cell) -> None:
    a, s = port(r, cell, "A"), port(r, cell, "S")
    parts = [
        [r.b.conjoin((bit, words.equal(r.b, s, words.number(k, len(s))))) for bit in a] for k in range(1 << len(s))
    ]
    drive(r, cell, [bit for part in parts for bit in part])


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
    "$bweqx": bitwise("xnor"),
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
