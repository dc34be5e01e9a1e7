"""The instructions of the engine's register machine, and a buffer to write them into.

Registers are 64-bit integers.  The first ``words`` of them hold the state that is looked at (s), the next ``words`` the
state that is made (t); the others are free.  The list of operations is the one in runtime/ops.h, in the same order;
``operands`` says what each of a, b, c, x, y is.  The same instructions are run by the machine (runtime/vm.c) and
written as C (native_source.py).
"""

from __future__ import annotations

from enum import Enum

from quorbit.machine.compile.gate_tables import GateTables
from quorbit.source.frozen import distinct, field, mutable

__all__ = [
    "BOUND",
    "DROPPED",
    "FAULT",
    "HALTED",
    "MISSING",
    "OPERATIONS",
    "OVERFLOW",
    "TRANSIENT",
    "VIOLATION",
    "Buffer",
    "Instruction",
    "Label",
    "Op",
    "Program",
    "field_code",
    "signed",
]


class Op(Enum):
    """operands, by letter: d destination register, r register, f field (shift | width << 8), t entry table
    (start | count << 32), l label, s table of labels, n number, b bits,
    w whole state (base register), - unused."""

    END = 0, "---n-"  # x: what to return
    JMP = 1, "---l-"
    JZ = 2, "r--l-"
    JNZ = 3, "r--l-"
    JEQ = 4, "rr-l-"
    JNE = 5, "rr-l-"
    JLT = 6, "rr-l-"
    JLE = 7, "rr-l-"
    JEQI = 8, "r--ln"
    JNEI = 9, "r--ln"
    JLTI = 10, "r--ln"
    JLEI = 11, "r--ln"
    JGTI = 12, "r--ln"
    JGEI = 13, "r--ln"
    JFEQ = 14, "r-fln"  # the field's code equals y
    JFNE = 15, "r-fln"
    SWITCH = 16, "r--s-"  # x: a table of labels; falls through if a is outside
    LI = 17, "d---n"
    MOV = 18, "dr---"
    ADD = 19, "drr--"  # wrapping
    SUB = 20, "drr--"
    MUL = 21, "drr--"
    ADDO = 22, "drr--"  # ends with OVERFLOW
    SUBO = 23, "drr--"
    MULO = 24, "drr--"
    ADDI = 25, "dr--n"
    MULI = 26, "dr--n"
    DIV = 27, "drr--"  # 0 where the divisor is 0
    MOD = 28, "drr--"
    AND = 29, "drr--"
    OR = 30, "drr--"
    XOR = 31, "drr--"
    ANDN = 32, "drr--"  # b and not c
    ANDI = 33, "dr--n"
    ORI = 34, "dr--n"
    XORI = 35, "dr--n"
    SHL = 36, "drr--"  # 0 where the distance is outside 0..63
    SHR = 37, "drr--"  # logical
    SAR = 38, "drr--"  # arithmetic; a distance outside 0..63 counts as 63
    SHLI = 39, "dr--n"
    SHRI = 40, "dr--n"
    POP = 41, "dr---"
    CTZ = 42, "dr---"  # 64 for 0
    TOP = 43, "dr---"  # the highest bit that is set; -1 for 0
    EQ = 44, "drr--"
    NE = 45, "drr--"
    LT = 46, "drr--"
    LE = 47, "drr--"
    EQI = 48, "dr--n"
    NEI = 49, "dr--n"
    LTI = 50, "dr--n"
    LEI = 51, "dr--n"
    GTI = 52, "dr--n"
    GEI = 53, "dr--n"
    SEL = 54, "drrr-"  # x != 0 ? b : c
    WRAP = 55, "drb-n"  # c: bits; y: signed
    LDF = 56, "drf-n"  # field of b, plus y
    STF = 57, "rrf-n"  # field of a := b - y
    STC = 58, "r--nn"  # a := a & x | y
    LDX = 59, "drwtn"  # field of state c given by entry b of table x, plus y; 0 outside
    STX = 60, "wrrtn"  # field of state a given by entry b := c - y; nothing outside
    LUT = 61, "dr-tn"  # entry b - y of table x; MISSING outside
    LDR = 62, "drrn-"  # register c + b, of x registers; 0 outside
    STR = 63, "rrrn-"  # register a + b := c; nothing outside
    COPY = 64, "-----"  # t := s
    CNT = 65, "d----"  # how many records there are so far
    RET = 66, "r----"
    EMIT = 67, "-r-ln"  # a record: t, the call registers from b on, the meta word y; then to x
    CALL = 68, "dr-ln"  # results from a on := function y of the operands from b on; to x where it has no value
    SWF = 69, "r-fs-"  # SWITCH on the code of a field

    def __init__(self, code: int, operands: str) -> None:
        self.code = code
        self.operands = operands


OPERATIONS = tuple(Op)
MISSING = -(2**63)  # what LUT gives outside its table
HALTED, OVERFLOW, BOUND, FAULT = -5, -3, -2, -1  # what a program returns instead of 0 or a positive answer

# Meta words of records: the command's number and flags.
TRANSIENT, VIOLATION, DROPPED = 1 << 30, 1 << 31, 1 << 29


@distinct
class Label:
    """A place in the code; ``used`` once something jumps to it."""

    used: bool = False


@mutable
class Instruction:
    op: Op
    a: int = 0
    b: int = 0
    c: int = 0
    x: int | Label | tuple[Label, ...] = 0
    y: int = 0


@mutable
class Program:
    """Labels resolved: every label is the index of an instruction."""

    words: int
    registers: int
    call_words: int
    code: list[tuple[int, int, int, int, int, int]]
    table: list[int]
    targets: list[int]
    entries: dict[str, int]
    functions: list[tuple[int, int]] = field(default_factory=list)  # words of operands and results of those it calls
    chains: list[tuple[int, ...]] = field(default_factory=list)  # commands written as one; numbered after the commands
    gates: GateTables | None = None  # of a circuit: these are asked instead of the code for next and check


@mutable
class Buffer:
    """Instructions being written."""

    lines: list[Instruction | Label] = field(default_factory=list)

    def put(
        self, op: Op, a: int = 0, b: int = 0, c: int = 0, x: int | Label | tuple[Label, ...] = 0, y: int = 0
    ) -> None:
        for label in (x,) if isinstance(x, Label) else x if isinstance(x, tuple) else ():
            label.used = True
        self.lines.append(Instruction(op, a, b, c, x, y))

    def place(self, label: Label) -> None:
        self.lines.append(label)


def field_code(shift: int, width: int) -> int:
    return shift | width << 8


def signed(n: int) -> int:
    """A 64-bit pattern as the number a register holds."""
    n &= 2**64 - 1
    return n - 2**64 if n >> 63 else n
