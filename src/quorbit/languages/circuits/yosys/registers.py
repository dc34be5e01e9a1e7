"""The registers and transparent latches of a Yosys netlist as latches of ours.

One tick of the clock is one step.  What acts at once (an asynchronous reset, set, clear or load, an open latch) decides
what is seen of the register in that very step: the visible value is chosen between the one acting now and the stored
one, and the register goes on from the visible value, as Yosys' own ``async2sync`` has it.
"""

from __future__ import annotations

from quorbit.languages.circuits.telling import STORED
from quorbit.languages.circuits.yosys.reading import Bits, Cell, Reading, drive, free_bit, port
from quorbit.netlists import words
from quorbit.netlists.builder import ONE, ZERO

CLOCKED = frozenset(f"${prefix}{kind}" for prefix in ("", "a", "s") for kind in ("dff", "dffe")) | {
    "$ff",
    "$sdffce",
    "$dffsr",
    "$dffsre",
    "$aldff",
    "$aldffe",
}
OPEN = frozenset(["$dlatch", "$adlatch", "$dlatchsr", "$sr"])
REGISTERS = CLOCKED | OPEN


def add_register(r: Reading, cell: Cell) -> None:
    q = port(r, cell, "Q")
    if "CLK" in cell.ports:
        r.clocks.setdefault((cell.ports["CLK"][0], cell.number("CLK_POLARITY", 1)), cell.span)
    if not acts_at_once(cell):
        store(r, cell, q, following(r, cell, q))
        return
    stored = [target + STORED for target in q]
    visible = acting(r, cell, stored)
    drive(r, cell, visible, "Q")
    store(r, cell, stored, acting(r, cell, following(r, cell, q)) if cell.kind in CLOCKED else q)


def acts_at_once(cell: Cell) -> bool:
    return cell.kind in OPEN or any(name in cell.ports for name in ("ARST", "ALOAD", "SET"))


def following(r: Reading, cell: Cell, q: Bits) -> Bits:
    """D, kept unless enabled, replaced by the reset value under a synchronous reset."""
    d = port(r, cell, "D")
    reset_first = cell.kind == "$sdffce"
    if reset_first:
        d = with_reset(r, cell, d, "SRST")
    if "EN" in cell.ports:
        d = words.choose(r.b, level(r, cell, "EN"), d, q)
    return d if reset_first else with_reset(r, cell, d, "SRST")


def acting(r: Reading, cell: Cell, held: Bits) -> Bits:
    """What is seen in a step of a register that would else be seen to hold ``held``, or become it at the tick."""
    seen = held
    if cell.kind in OPEN and "D" in cell.ports:
        seen = words.choose(r.b, level(r, cell, "EN"), port(r, cell, "D"), seen)
    if "ALOAD" in cell.ports:
        seen = words.choose(r.b, level(r, cell, "ALOAD"), port(r, cell, "AD"), seen)
    seen = with_reset(r, cell, seen, "ARST")
    if "SET" not in cell.ports:
        return seen
    sets, clears = levels(r, cell, "SET"), levels(r, cell, "CLR")
    return [r.b.choose(c, ZERO, r.b.choose(s, ONE, d)) for s, c, d in zip(sets, clears, seen, strict=True)]


def store(r: Reading, cell: Cell, targets: Bits, values: Bits) -> None:
    for bit, target, value in zip(cell.ports["Q"], targets, values, strict=True):
        start = r.starts.get(bit) if isinstance(bit, int) else None
        r.driven.add(target)
        r.b.add_latch(value, target, None if start is None else (int(start),))


def level(r: Reading, cell: Cell, name: str) -> str:
    return levels(r, cell, name)[0]


def levels(r: Reading, cell: Cell, name: str) -> Bits:
    """Control signals, inverted where they are active low."""
    signals = port(r, cell, name)
    return signals if cell.number(f"{name}_POLARITY", 1) else words.invert(r.b, signals)


def with_reset(r: Reading, cell: Cell, d: Bits, name: str) -> Bits:
    if name not in cell.ports:
        return d
    value = cell.parameters.get(f"{name}_VALUE", "0" * len(d))[::-1]
    return words.choose(r.b, level(r, cell, name), [reset_bit(r, bit) for bit in value], d)


def reset_bit(r: Reading, bit: str) -> str:
    return {"0": ZERO, "1": ONE}.get(bit) or free_bit(r)


def add_constant(r: Reading, target: str, is_first: bool) -> None:
    """A bit that is chosen once, or else 1 in the first state only."""
    r.driven.add(target)
    if is_first:
        r.b.copy(r.b.first_state(), target)
    else:
        r.b.add_latch(target, target, None)


def add_undriven(r: Reading, target: str) -> None:
    """What nothing drives is unknown, so free, unless an attribute says that it is chosen once."""
    kind = r.undriven.get(target, "free")
    if kind == "free":
        r.b.choice(target, (0, 1))
    else:
        add_constant(r, target, kind == "first")
