"""Write scalar operations: constants are folded, bounds are carried along, checks that cannot fail are left out."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from quorbit.machine.compile.instructions import MISSING, OVERFLOW, Buffer, Label, Op, field_code, signed
from quorbit.machine.compile.packing import Field
from quorbit.machine.compile.shapes import GREATEST, LEAST, WORD, Unshaped
from quorbit.machine.compile.values import Held, Known, Scalar
from quorbit.machine.memo import Memo

__all__ = ["Emitter"]

MOST_REGISTERS = 60_000
TRUTHS = {Op.EQ, Op.NE, Op.LT, Op.LE}
IMMEDIATE = {Op.EQ: Op.EQI, Op.NE: Op.NEI, Op.LT: Op.LTI, Op.LE: Op.LEI}
SWAPPED_IMMEDIATE = {Op.EQ: Op.EQI, Op.NE: Op.NEI, Op.LT: Op.GTI, Op.LE: Op.GEI}  # the constant on the left
JUMP = {Op.EQ: Op.JEQ, Op.NE: Op.JNE, Op.LT: Op.JLT, Op.LE: Op.JLE}
JUMP_IMMEDIATE = {Op.EQI: Op.JEQI, Op.NEI: Op.JNEI, Op.LTI: Op.JLTI, Op.LEI: Op.JLEI, Op.GTI: Op.JGTI, Op.GEI: Op.JGEI}
OPPOSITE = {Op.EQ: Op.NE, Op.NE: Op.EQ}


class Emitter:
    """The program so far: instructions, registers in use, tables, and where a fault leads."""

    def __init__(self, words: int, memo: Memo) -> None:
        self.words = words
        self.memo = memo
        self.never = Label()  # where what cannot happen leads
        self.buffer = Buffer()
        self.next = self.most = 2 * words
        self.table: list[int] = []
        self.tables: dict[tuple[int, ...], int] = {}
        self.fault = Label()

    # Registers, labels, tables.

    def fresh(self, block: int = 1) -> int:
        first = self.next
        self.next += block
        self.most = max(self.most, self.next)
        if self.most > MOST_REGISTERS:
            raise Unshaped("the model needs more registers than the engine has")
        return first

    def register(self, a: Scalar) -> int:
        """The register that holds a; a constant is loaded."""
        if isinstance(a, Held):
            return a.register
        r = self.fresh()
        self.buffer.put(Op.LI, r, y=signed(a.value))
        return r

    def copy(self, a: Scalar) -> Held:
        """a in a register of its own, which may change."""
        r = self.fresh()
        self.assign(r, a)
        return Held(r, a.low, a.high)

    def assign(self, r: int, a: Scalar) -> None:
        if isinstance(a, Known):
            self.buffer.put(Op.LI, r, y=signed(a.value))
        elif a.register != r:
            self.buffer.put(Op.MOV, r, a.register)

    def place(self, label: Label) -> None:
        self.buffer.place(label)

    def jump(self, label: Label) -> None:
        self.buffer.put(Op.JMP, x=label)

    def table_of(self, entries: tuple[int, ...]) -> int:
        """start | count << 32 of a table with these entries; equal tables are kept once."""
        if entries not in self.tables:
            self.tables[entries] = len(self.table)
            self.table.extend(entries)
        return self.tables[entries] | len(entries) << 32

    def faults_to(self, label: Label) -> Inside:
        return Inside(self, fault=label)

    def scratch(self) -> Inside:
        """What is written inside is thrown away."""
        return Inside(self, buffer=Buffer(), most=self.most, next=self.next)

    def aside(self, buffer: Buffer) -> Inside:
        """What is written inside goes to this buffer."""
        return Inside(self, buffer=buffer)

    def append(self, buffer: Buffer) -> None:
        self.buffer.lines += buffer.lines

    def end(self, answer: int) -> None:
        self.buffer.put(Op.END, x=answer)

    # Arithmetic.

    def arithmetic(self, op: Op, checked: Op, a: Scalar, b: Scalar, low: int, high: int) -> Scalar:
        r = self.fresh()
        fits = low >= LEAST and high <= GREATEST
        self.buffer.put(op if fits else checked, r, self.register(a), self.register(b))
        return Held(r, max(low, LEAST), min(high, GREATEST))

    def add(self, a: Scalar, b: Scalar) -> Scalar:
        low, high = a.low + b.low, a.high + b.high
        if isinstance(a, Known):
            a, b = b, a
        if isinstance(a, Known) and isinstance(b, Known):
            return self.constant(low)
        if isinstance(b, Known) and low >= LEAST and high <= GREATEST:
            return a if b.value == 0 else self.immediate(Op.ADDI, a, b.value, low, high)
        return self.arithmetic(Op.ADD, Op.ADDO, a, b, low, high)

    def wrapping_add(self, a: Scalar, n: int) -> Scalar:
        """a + n as 64-bit patterns."""
        if isinstance(a, Known):
            return Known(signed(a.value + n))
        if n == 0 or (a.low + n >= LEAST and a.high + n <= GREATEST):
            return self.add(a, Known(n))
        return self.immediate(Op.ADDI, a, n)

    def subtract(self, a: Scalar, b: Scalar) -> Scalar:
        if isinstance(b, Known):
            return self.add(a, Known(-b.value))
        return self.arithmetic(Op.SUB, Op.SUBO, a, b, a.low - b.high, a.high - b.low)

    def multiply(self, a: Scalar, b: Scalar) -> Scalar:
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        low, high = min(corners), max(corners)
        if isinstance(a, Known):
            a, b = b, a
        if low == high:
            return self.constant(low)
        if isinstance(b, Known) and low >= LEAST and high <= GREATEST:
            return a if b.value == 1 else self.immediate(Op.MULI, a, b.value, low, high)
        return self.arithmetic(Op.MUL, Op.MULO, a, b, low, high)

    def constant(self, n: int) -> Known:
        if not LEAST <= n <= GREATEST:
            raise Unshaped("a constant of the model needs more than 64 bits")
        return Known(n)

    def immediate(self, op: Op, a: Scalar, n: int, low: int = LEAST, high: int = GREATEST) -> Scalar:
        r = self.fresh()
        self.buffer.put(op, r, self.register(a), y=signed(n))
        return Held(r, low, high)

    def binary(self, op: Op, a: Scalar, b: Scalar, low: int = LEAST, high: int = GREATEST) -> Scalar:
        r = self.fresh()
        self.buffer.put(op, r, self.register(a), self.register(b))
        return Held(r, low, high)

    def unary(self, op: Op, a: Scalar, low: int = LEAST, high: int = GREATEST) -> Scalar:
        r = self.fresh()
        self.buffer.put(op, r, self.register(a))
        return Held(r, low, high)

    # Bits; scalars here are 64-bit patterns.

    def bit_and(self, a: Scalar, b: Scalar) -> Scalar:
        if isinstance(a, Known):
            a, b = b, a
        if isinstance(b, Known):
            if isinstance(a, Known):
                return Known(signed(a.value & b.value))
            if b.value in (0, -1):
                return b if b.value == 0 else a
            return self.immediate(Op.ANDI, a, b.value, *and_bounds(a, b))
        return self.binary(Op.AND, a, b, *and_bounds(a, b))

    def bit_or(self, a: Scalar, b: Scalar) -> Scalar:
        if isinstance(a, Known):
            a, b = b, a
        if isinstance(b, Known):
            if isinstance(a, Known):
                return Known(signed(a.value | b.value))
            return a if b.value == 0 else self.immediate(Op.ORI, a, b.value, *or_bounds(a, b))
        return self.binary(Op.OR, a, b, *or_bounds(a, b))

    def bit_xor(self, a: Scalar, b: Scalar) -> Scalar:
        if isinstance(a, Known):
            a, b = b, a
        if isinstance(b, Known):
            if isinstance(a, Known):
                return Known(signed(a.value ^ b.value))
            return a if b.value == 0 else self.immediate(Op.XORI, a, b.value, *or_bounds(a, b))
        return self.binary(Op.XOR, a, b, *or_bounds(a, b))

    def bit_minus(self, a: Scalar, b: Scalar) -> Scalar:
        """a and not b."""
        if isinstance(b, Known):
            return self.bit_and(a, Known(signed(~b.value)))
        return self.binary(Op.ANDN, a, b, 0 if a.low >= 0 else LEAST, a.high if a.low >= 0 else GREATEST)

    def shift_left(self, a: Scalar, n: Scalar) -> Scalar:
        """Bits shifted out are lost.  Requires 0 <= n; 0 from 64 on."""
        if isinstance(n, Known):
            if n.value == 0 or a == Known(0):
                return a
            if n.value >= WORD:
                return Known(0)
            if isinstance(a, Known):
                return Known(signed(a.value << n.value))
            fits = a.low >= 0 and a.high << n.value <= GREATEST
            return self.immediate(Op.SHLI, a, n.value, *((0, a.high << n.value) if fits else (LEAST, GREATEST)))
        fits = a.low >= 0 and n.high < WORD and a.high << n.high <= GREATEST
        return self.binary(Op.SHL, a, n, *((0, a.high << n.high) if fits else (LEAST, GREATEST)))

    def shift_right(self, a: Scalar, n: Scalar) -> Scalar:
        """Logical.  Requires 0 <= n; 0 from 64 on."""
        if isinstance(n, Known):
            if n.value == 0 or a == Known(0):
                return a
            if n.value >= WORD:
                return Known(0)
            if isinstance(a, Known):
                return Known((a.value & (2**WORD - 1)) >> n.value)
            high = (a.high if a.low >= 0 else 2**WORD - 1) >> n.value
            return self.immediate(Op.SHRI, a, n.value, 0, high)
        return self.binary(Op.SHR, a, n, *((0, a.high) if a.low >= 0 else (LEAST, GREATEST)))

    # Comparison.

    def compare(self, op: Op, a: Scalar, b: Scalar) -> Scalar:
        known = decided(op, a, b)
        if known is not None:
            return Known(int(known))
        if isinstance(b, Known):
            return self.immediate(IMMEDIATE[op], a, b.value, 0, 1)
        if isinstance(a, Known):
            return self.immediate(SWAPPED_IMMEDIATE[op], b, a.value, 0, 1)
        return self.binary(op, a, b, 0, 1)

    def jump_if(self, op: Op, a: Scalar, b: Scalar, label: Label) -> None:
        """Jump where a op b holds."""
        known = decided(op, a, b)
        if known is not None:
            if known:
                self.jump(label)
        elif isinstance(b, Known):
            self.buffer.put(JUMP_IMMEDIATE[IMMEDIATE[op]], self.register(a), x=label, y=b.value)
        elif isinstance(a, Known):
            self.buffer.put(JUMP_IMMEDIATE[SWAPPED_IMMEDIATE[op]], self.register(b), x=label, y=a.value)
        else:
            self.buffer.put(JUMP[op], a.register, b.register, x=label)

    def jump_unless(self, op: Op, a: Scalar, b: Scalar, label: Label) -> None:
        match op:
            case Op.EQ | Op.NE:
                self.jump_if(OPPOSITE[op], a, b, label)
            case Op.LT:
                self.jump_if(Op.LE, b, a, label)
            case _:
                self.jump_if(Op.LT, b, a, label)

    def jump_on(self, a: Scalar, sense: bool, label: Label) -> None:
        """Jump where the truth of a is ``sense``."""
        self.jump_if(Op.NE if sense else Op.EQ, a, Known(0), label)

    def select(self, test: Scalar, a: Scalar, b: Scalar) -> Scalar:
        if isinstance(test, Known):
            return a if test.value else b
        if a == b:
            return a
        r, x, y = self.fresh(), self.register(a), self.register(b)
        self.buffer.put(Op.SEL, r, x, y, test.register)
        return Held(r, min(a.low, b.low), max(a.high, b.high))

    def require(self, op: Op, a: Scalar, b: Scalar) -> None:
        """A fault unless a op b."""
        self.jump_unless(op, a, b, self.fault)

    def require_within(self, a: Scalar, low: int, high: int) -> Scalar:
        """a, after a fault unless it is in low..high."""
        if low <= a.low and a.high <= high:
            return a
        self.require(Op.LE, Known(low), a)
        self.require(Op.LE, a, Known(high))
        if isinstance(a, Known):
            return Known(low)
        return Held(a.register, max(low, a.low), max(low, min(high, a.high)))

    def overflow_if(self, op: Op, a: Scalar, b: Scalar) -> None:
        """The run ends without an answer where a op b."""
        fine = Label()
        if decided(op, a, b) is not False:
            self.jump_unless(op, a, b, fine)
            self.end(OVERFLOW)
            self.place(fine)

    # Functions.

    def call(self, number: int, operands: list[Scalar], results: int, may_fail: bool) -> list[Scalar]:
        """The results of a function of the memo."""
        block, found = self.operand_block(operands), self.fresh(max(1, results))
        self.buffer.put(Op.CALL, found, block, x=self.fault if may_fail else self.never, y=number)
        return [Held(found + k) for k in range(results)]

    def operand_block(self, operands: list[Scalar]) -> int:
        """Operands in registers one after the other."""
        held = [a.register for a in operands if isinstance(a, Held)]
        if held and len(held) == len(operands) and held == list(range(held[0], held[0] + len(held))):
            return held[0]
        block = self.fresh(max(1, len(operands)))
        for k, a in enumerate(operands):
            self.assign(block + k, a)
        return block

    # Tables and fields.

    def look_up(self, entries: dict[int, int], a: Scalar) -> Scalar:
        """entries[a]; a fault where there is none."""
        if isinstance(a, Known):
            if a.value not in entries:
                self.jump(self.fault)
            return Known(entries.get(a.value, 0))
        low, high = max(a.low, min(entries)), min(a.high, max(entries))
        if high < low:
            self.jump(self.fault)
            return Known(0)
        if high - low > 1 << 20:
            raise Unshaped("a table of the model is too large")
        row = tuple(entries.get(n, MISSING) for n in range(low, high + 1))
        r = self.fresh()
        self.buffer.put(Op.LUT, r, a.register, x=self.table_of(row), y=low)
        if MISSING in row or a.low < low or a.high > high:
            self.buffer.put(Op.JEQI, r, x=self.fault, y=MISSING)
        found = [n for n in row if n != MISSING]
        return Held(r, min(found), max(found))

    def load(self, base: int, f: Field) -> Scalar:
        if f.width == 0:
            return Known(f.low)
        r = self.fresh()
        self.buffer.put(Op.LDF, r, base + f.word, field_code(f.shift, f.width), y=signed(f.low))
        return Held(r, *field_bounds(f))

    def store(self, base: int, f: Field, a: Scalar) -> None:
        if f.width:
            self.buffer.put(Op.STF, base + f.word, self.register(a), field_code(f.shift, f.width), y=signed(f.low))


class Inside:
    """Inside a ``with`` attributes of an emitter have these values; then they have those again that they had before."""

    __slots__ = ("before", "emitter", "values")

    def __init__(self, emitter: Emitter, **values: Any) -> None:
        self.emitter, self.values = emitter, values

    def __enter__(self) -> Buffer:
        """The buffer that is written to."""
        held = vars(self.emitter)
        self.before = {name: held[name] for name in self.values}
        held.update(self.values)
        return self.emitter.buffer

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        vars(self.emitter).update(self.before)


def field_bounds(f: Field) -> tuple[int, int]:
    high = f.low + (1 << f.width) - 1
    return (f.low, high) if high <= GREATEST else (LEAST, GREATEST)


def decided(op: Op, a: Scalar, b: Scalar) -> bool | None:
    """Whether a op b, if the bounds decide it."""
    match op:
        case Op.EQ | Op.NE:
            if isinstance(a, Known) and isinstance(b, Known):
                return (a.value == b.value) == (op is Op.EQ)
            if a == b:
                return op is Op.EQ
            return (op is Op.NE) if a.high < b.low or b.high < a.low else None
        case Op.LT:
            return True if a.high < b.low else False if a.low >= b.high else None
        case _:
            return True if a.high <= b.low else False if a.low > b.high else None


def and_bounds(a: Scalar, b: Scalar) -> tuple[int, int]:
    if a.low >= 0 and b.low >= 0:
        return 0, min(a.high, b.high)
    if a.low >= 0 or b.low >= 0:
        return 0, a.high if a.low >= 0 else b.high
    return LEAST, GREATEST


def or_bounds(a: Scalar, b: Scalar) -> tuple[int, int]:
    if a.low >= 0 and b.low >= 0:
        return 0, (1 << max(a.high.bit_length(), b.high.bit_length())) - 1
    return LEAST, GREATEST
