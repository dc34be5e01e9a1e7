"""Random Verilog modules full of odd widths and signs: in cases, parameters, comparisons, shifts and memories.

Every register has a first value, nothing is divided by what may be zero and no index is out of range, so a simulator
knows every bit.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

DIVISORS = ["3", "2", "3'd5", "3'sd3"]
CONSTANTS = {"P": "3", "Q": "2'd3", "S": "-1", "I": "-2", "L": "4'sd9"}
DECLARED = {
    "P": "parameter P = 3;",
    "Q": "parameter [1:0] Q = 7;",
    "S": "parameter signed [2:0] S = 6;",
    "I": "localparam integer I = -2;",
    "L": "localparam L = 4'sd9;",
}


@dataclass(frozen=True)
class Word:
    name: str
    width: int
    signed: bool


@dataclass(frozen=True)
class Module:
    """The text with its name left open, the inputs and the registers."""

    text: str
    inputs: tuple[Word, ...]
    registers: tuple[Word, ...]


def random_module(rng: random.Random) -> Module:
    inputs = (Word("x", 3, False), Word("y", rng.randint(2, 4), True), Word("b", 1, False))
    registers = tuple(Word(f"r{k}", rng.randint(1, 5), rng.random() < 0.4) for k in range(rng.randint(2, 3)))
    wires = (Word("w", rng.randint(1, 5), rng.random() < 0.5), Word("c", rng.randint(1, 4), rng.random() < 0.5))
    g = Generator(rng, (*inputs, *registers))
    lines = ["module {name}(clk, x, y, b); input clk;"]
    lines += [f"input {typed(i)};" for i in inputs]
    lines += [*DECLARED.values(), "reg [1:0] m [0:3];"]
    lines += [f"reg {typed(r)};" for r in registers]
    lines += [f"wire {typed(wires[0])}; assign w = {g.expression(3)};", f"reg {typed(wires[1])};"]
    lines += [f"initial begin {' '.join(f'{r.name} = {rng.randrange(1 << r.width)};' for r in registers)}"]
    lines += [" ".join(f"m[{k}] = {rng.randrange(4)};" for k in range(4)), "end"]
    g = Generator(rng, (*inputs, *registers, wires[0]), memory=False)
    lines += [f"always @* begin c = b; c = {g.expression(2)}; {g.statement(2, '=', ['c'])} end"]
    g = Generator(rng, (*inputs, *registers, *wires))
    for r in registers:
        lines.append(f"always @(posedge clk) {g.statement(2, '<=', [r.name])}")
    lines.append(f"always @(posedge clk) if ({g.expression(1)}) m[{g.index()}] <= {g.expression(2)};")
    return Module("\n".join([*lines, "endmodule", ""]), inputs, registers)


def typed(word: Word) -> str:
    return f"{'signed ' if word.signed else ''}[{word.width - 1}:0] {word.name}"


@dataclass
class Generator:
    rng: random.Random
    words: tuple[Word, ...]
    memory: bool = True  # Icarus Verilog does not run always @* again when a word of a memory changes

    def expression(self, depth: int) -> str:
        rng = self.rng
        if depth == 0:
            return self.leaf()
        one = lambda: self.expression(depth - 1)  # noqa: E731
        match rng.randrange(13):
            case 0 | 1:
                return f"({one()} {rng.choice(['+', '-', '*'])} {one()})"
            case 2 | 3:
                return f"({one()} {rng.choice(['&', '|', '^', '~^'])} {one()})"
            case 4:
                return f"({one()} {rng.choice(['<', '<=', '>', '>=', '==', '!='])} {one()})"
            case 5:
                return f"({one()} {rng.choice(['<<', '>>', '>>>', '<<<'])} {rng.choice(['b', 'x[1:0]', '1', '2'])})"
            case 6:
                return f"({self.part()} ? {one()} : {one()})"  # Icarus forgets the sign where the test is a constant
            case 7:
                return f"{{{self.part()}, {self.part()}}}" if rng.random() < 0.6 else f"{{2{{{self.part()}}}}}"
            case 8:
                return f"({rng.choice(['~', '-', '!', '^', '&', '|'])}{self.leaf()})"
            case 9:
                return f"({one()} {rng.choice(['&&', '||'])} {one()})"
            case 10:
                return f"{rng.choice(['$signed', '$unsigned'])}({one()})"
            case 11:
                return f"({one()} {rng.choice(['/', '%'])} {rng.choice(DIVISORS)})"
        return self.leaf()

    def leaf(self) -> str:
        rng = self.rng
        kind = rng.random()
        if kind < 0.5:
            return self.part()
        if kind < 0.6 and self.memory:
            return f"m[{self.index()}]"
        return self.constant()

    def part(self) -> str:
        """A signal or a part of one, which has a width of its own."""
        rng = self.rng
        word = rng.choice(self.words)
        if word.width > 1 and rng.random() < 0.25:
            low = rng.randrange(word.width)
            return f"{word.name}[{rng.randint(low, word.width - 1)}:{low}]"
        return word.name

    def index(self) -> str:
        return self.rng.choice(["x[1:0]", "x[2:1]", "0", "3", "{b, b}"])

    def constant(self) -> str:
        rng = self.rng
        width = rng.randint(1, 4)
        value = rng.randrange(1 << width)
        return rng.choice(
            [f"{width}'d{value}", f"{width}'sd{value}", str(value), *CONSTANTS, "'1", "'0", f"(-{value})"]
        )

    def statement(self, depth: int, arrow: str, targets: list[str]) -> str:
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            return f"{rng.choice(targets)} {arrow} {self.expression(2)};"
        if rng.random() < 0.3:
            other = f" else {self.statement(depth - 1, arrow, targets)}" if rng.random() < 0.6 else ""
            return f"if ({self.expression(1)}) begin {self.statement(depth - 1, arrow, targets)} end{other}"
        items = []
        for _ in range(rng.randint(1, 4)):
            labels = ", ".join(self.label() for _ in range(rng.randint(1, 2)))
            items.append(f"{labels}: {self.statement(depth - 1, arrow, targets)}")
        if rng.random() < 0.5:
            items.insert(rng.randint(0, len(items)), f"default: {self.statement(depth - 1, arrow, targets)}")
        subject = self.expression(1)
        # Icarus Verilog 11 extends $signed by zeros and $unsigned by signs where a label is wider, Yosys does not; nor
        # does it take a signed word of 3'b100 for 12, as Icarus does in `case (r) 2'd3, 12:`
        if subject.startswith(("$signed", "$unsigned")) or subject in {w.name for w in self.words if w.signed}:
            subject = f"({subject} + 0)"
        kind = rng.choice(["case", "case", "casez", "casex"])
        if kind != "case":  # there Icarus Verilog 11 extends by signs although a label has none
            subject = f"({subject} ^ 4'd0)"
        return f"{kind} ({subject}) {' '.join(items)} endcase"

    def label(self) -> str:
        kind = self.rng.random()
        if kind < 0.25:
            width = self.rng.randint(1, 4)
            return f"{width}'b{''.join(self.rng.choices('01xz?', k=width))}"
        return self.constant() if kind < 0.85 else self.leaf()
