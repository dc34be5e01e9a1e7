"""Code without what lowering leaves behind: jumps to jumps, code that nothing reaches, tests that cannot succeed any
more, constants that the next ones of the same word replace."""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.machine.compile.instructions import VIOLATION, Instruction, Label, Op, signed

__all__ = ["tidy"]

Line = Instruction | Label
ENDS = frozenset((Op.END, Op.RET, Op.JMP, Op.EMIT))  # what comes after them is reached by a label only
PURE = (Op.LI, Op.MOV, Op.ADD, Op.SUB, Op.MUL, Op.ADDI, Op.MULI, Op.ANDI, Op.WRAP, Op.LDF, Op.LUT)  # b, c to a
TESTS = (Op.JEQI, Op.JNEI, Op.JLTI, Op.JLEI, Op.JGTI, Op.JGEI)


def tidy(lines: list[Line], entries: Iterable[Label], words: int) -> list[Line]:
    """The same code, shorter; ``words`` of a state, which come twice before the other registers.  Of very long code the
    last thousandth is not worth another round."""
    kept = list(lines)
    while True:
        count = len(kept)
        thread_jumps(kept)
        kept = reached(kept, set(map(id, entries)))
        kept = merged(kept, words)
        if count - len(kept) <= count // 1_000:
            return kept


# Jumps.


def thread_jumps(lines: list[Line]) -> None:
    """Lead every jump to where the jump that it leads to leads."""
    final: dict[int, Label] = {}
    onward: Label | None = None
    for line in reversed(lines):
        if not isinstance(line, Label):
            onward = line.x if line.op is Op.JMP and isinstance(line.x, Label) else None
        elif onward is not None:
            final[id(line)] = onward
    if not final:
        return

    def end_of(label: Label) -> Label:
        for _ in range(len(final)):
            if id(label) not in final:
                break
            label = final[id(label)]
        return label

    ends = {before: end_of(label) for before, label in final.items()}
    for line in lines:
        if isinstance(line, Label):
            continue
        if isinstance(line.x, Label):
            line.x = ends.get(id(line.x), line.x)
        elif isinstance(line.x, tuple):
            line.x = tuple([ends.get(id(label), label) for label in line.x])


def reached(lines: list[Line], entries: set[int]) -> list[Line]:
    """Without code that no entry leads to, labels that nobody names, and jumps to the next line."""
    live, named = followed(lines, entries)
    kept: list[Line] = []
    for line, is_live in zip(lines, live, strict=True):
        if not is_live:
            continue
        if isinstance(line, Label):
            if id(line) not in named:
                continue
            drop_jump_to(kept, line)
        kept.append(line)
    return kept


def followed(lines: list[Line], entries: set[int]) -> tuple[bytearray, set[int]]:
    """Which lines the first one and the entries lead to, and the labels that these lines name, entries with them."""
    places = {id(line): k for k, line in enumerate(lines) if isinstance(line, Label)}
    live, named = bytearray(len(lines)), set(entries)
    waiting = [0, *(places[label] for label in entries)]
    while waiting:
        for k in range(waiting.pop(), len(lines)):
            if live[k]:
                break
            live[k] = True
            line = lines[k]
            if isinstance(line, Label):
                continue
            for label in targets(line):
                if id(label) not in named:
                    named.add(id(label))
                    waiting.append(places[id(label)])
            if line.op in ENDS:
                break
    return live, named


def targets(line: Instruction) -> tuple[Label, ...]:
    if isinstance(line.x, int):
        return ()
    return line.x if isinstance(line.x, tuple) else (line.x,)


def drop_jump_to(kept: list[Line], label: Label) -> None:
    """A jump over labels only, to this one."""
    k = len(kept)
    while k > 0 and isinstance(kept[k - 1], Label):
        k -= 1
    last = kept[k - 1] if k > 0 else None
    if isinstance(last, Instruction) and last.op is Op.JMP and last.x is label:
        del kept[k - 1]


# Straight lines.


def merged(lines: list[Line], words: int) -> list[Line]:
    """Constants that go into one word with nothing between that looks at it go at once; a test that another has decided
    goes."""
    breaks = violations(lines)
    kept: list[Line | None] = []
    stores: dict[int, int] = {}  # by word: where constants were last put into it
    for line in lines:
        if isinstance(line, Label):
            stores.clear()
        elif line.op is Op.STC:
            if line.a in stores:
                line = joined(kept[stores[line.a]], line)
                kept[stores[line.a]] = None
            stores[line.a] = len(kept)
        elif line.op in PURE or line.op in TESTS:
            if is_decided(kept[-1] if kept else None, line):
                continue
            if line.op in TESTS and id(line.x) not in breaks:
                stores.clear()
            for word in (line.a, line.b, line.c if line.op.operands[2] == "r" else line.b):
                if word < 2 * words:
                    stores.pop(word, None)
        elif line.op is Op.STF and line.b >= 2 * words:
            stores.pop(line.a, None)
        elif not (line.op is Op.LDX and line.c == 0 and line.b >= 2 * words):
            stores.clear()
        kept.append(line)
    return [line for line in kept if line is not None]


def violations(lines: list[Line]) -> set[int]:
    """Labels of records whose state nobody looks at."""
    found: set[int] = set()
    waiting: list[int] = []
    for line in lines:
        if isinstance(line, Label):
            waiting.append(id(line))
            continue
        if line.op is Op.END or (line.op is Op.EMIT and line.y & VIOLATION):
            found.update(waiting)
        waiting.clear()
    return found


def joined(first: Line | None, second: Instruction) -> Instruction:
    assert isinstance(first, Instruction)
    assert isinstance(first.x, int)
    assert isinstance(second.x, int)
    return Instruction(Op.STC, second.a, x=signed(first.x & second.x), y=signed((first.y & second.x) | second.y))


def is_decided(before: Line | None, test: Instruction) -> bool:
    """Whether a test never jumps, because the one before it on the same register has not."""
    if not isinstance(before, Instruction) or before.a != test.a:
        return False
    match before.op, test.op:
        case Op.JGEI, Op.JGTI:
            return test.y >= before.y - 1
        case (Op.JGTI, Op.JGTI) | (Op.JGEI, Op.JGEI):
            return test.y >= before.y
        case Op.JLEI, Op.JLTI:
            return test.y <= before.y + 1
        case (Op.JLTI, Op.JLTI) | (Op.JLEI, Op.JLEI):
            return test.y <= before.y
        case _:
            return False
