"""Tidied code: shorter, and with the same jumps, ends and constants."""

from __future__ import annotations

from itertools import pairwise

from quorbit.machine.compile.instructions import VIOLATION, Instruction, Label, Op
from quorbit.machine.compile.tidy import Line, reached, tidy

WORDS = 1  # registers: 0 the state, 1 the state that is made, 2 and on free


def ops(lines: list[Line], *entries: Label) -> list[Op]:
    return [line.op for line in tidy(lines, entries, WORDS) if isinstance(line, Instruction)]


def test_jumps_to_jumps_lead_to_the_end_and_what_nobody_reaches_goes() -> None:
    entry, middle, far = Label(), Label(), Label()
    test = Instruction(Op.JZ, 2, x=middle)
    lines: list[Line] = [
        entry,
        test,
        Instruction(Op.END, x=1),
        Instruction(Op.LI, 2),
        middle,
        Instruction(Op.JMP, x=far),
        far,
        Instruction(Op.END, x=2),
    ]
    assert ops(lines, entry) == [Op.JZ, Op.END, Op.END]
    assert test.x is far


def test_what_only_unreached_code_leads_to_goes_in_one_round() -> None:
    entry, chain = Label(), [Label() for _ in range(3_000)]
    lines: list[Line] = [entry, Instruction(Op.END, x=1)]
    for label, onward in pairwise(chain):
        lines += [label, Instruction(Op.JZ, 2, x=onward), Instruction(Op.END, x=2)]
    again = chain[-1]
    lines += [again, Instruction(Op.LI, 2), Instruction(Op.JMP, x=again)]
    assert len(reached(lines, {id(entry)})) == 2


def test_a_loop_of_jumps_stays_a_loop() -> None:
    entry, again = Label(), Label()
    assert ops([entry, again, Instruction(Op.JMP, x=again)], entry) == [Op.JMP]


def test_constants_of_one_word_are_stored_at_once() -> None:
    entry, past = Label(), Label()
    lines: list[Line] = [
        entry,
        Instruction(Op.STC, 1, x=~0xFF, y=0x12),
        Instruction(Op.ADDI, 3, 2, y=1),
        Instruction(Op.STC, 1, x=~0xFF00, y=0x3400),
        Instruction(Op.EMIT, x=past, y=0),
        past,
        Instruction(Op.END),
    ]
    kept = [line for line in tidy(lines, [entry], WORDS) if isinstance(line, Instruction)]
    assert [line.op for line in kept] == [Op.ADDI, Op.STC, Op.EMIT, Op.END]
    assert (kept[1].x, kept[1].y) == (~0xFFFF, 0x3412)


def test_constants_are_not_stored_later_than_they_are_read() -> None:
    entry, past = Label(), Label()
    stores = [Instruction(Op.STC, 1, x=~0xFF, y=n) for n in (1, 2)]
    for between in (
        Instruction(Op.LDF, 3, 1, 8 << 8),
        Instruction(Op.STX, 1, 2, 3, x=1 << 32),
        Instruction(Op.LDX, 3, 2, 1, x=1 << 32),
        Instruction(Op.JZ, 2, x=past),
    ):
        lines = [entry, stores[0], between, stores[1], Instruction(Op.EMIT, x=past, y=0), past, Instruction(Op.END)]
        assert ops(lines, entry).count(Op.STC) == 2, between


def test_a_record_of_a_violation_needs_no_constants() -> None:
    entry, past, broken = Label(), Label(), Label()
    lines: list[Line] = [
        entry,
        Instruction(Op.STC, 1, x=~0xFF, y=1),
        Instruction(Op.JGTI, 2, x=broken, y=7),
        Instruction(Op.STC, 1, x=~0xFF, y=2),
        Instruction(Op.EMIT, x=past, y=0),
        broken,
        Instruction(Op.EMIT, x=past, y=VIOLATION),
        past,
        Instruction(Op.END),
    ]
    assert ops(lines, entry) == [Op.JGTI, Op.STC, Op.EMIT, Op.EMIT, Op.END]


def test_a_test_that_cannot_succeed_any_more_goes() -> None:
    cases = (
        (Op.JGEI, 4, Op.JGTI, 3, True),
        (Op.JGEI, 4, Op.JGTI, 2, False),
        (Op.JLEI, 0, Op.JLTI, 1, True),
        (Op.JLEI, 0, Op.JLTI, 2, False),
        (Op.JGTI, 5, Op.JGTI, 5, True),
        (Op.JLTI, 5, Op.JLTI, 6, False),
    )
    for first, a, second, b, goes in cases:
        entry, skip, fault = Label(), Label(), Label()
        lines: list[Line] = [
            entry,
            Instruction(first, 2, x=skip, y=a),
            Instruction(second, 2, x=fault, y=b),
            Instruction(Op.END, x=1),
            skip,
            Instruction(Op.END, x=2),
            fault,
            Instruction(Op.END, x=3),
        ]
        assert (second is not first or not goes) or ops(lines, entry).count(first) == 1
        kept = [line for line in tidy(lines, [entry], WORDS) if isinstance(line, Instruction)]
        assert any(line.op is second and line.y == b and line.x is fault for line in kept) is not goes, (first, second)
