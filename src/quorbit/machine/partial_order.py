"""Facts about the cases of a System as the runtime reads them: rows of bits, and tests as fields or programs."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from itertools import accumulate

from quorbit.machine import library
from quorbit.machine.compile.lower.tests import lower_tests
from quorbit.machine.compile.packing import StateLayout
from quorbit.machine.compile.shapes import Ints, Slots
from quorbit.machine.library import ProgramRecord, program_record, u32, u64
from quorbit.machine.shared_records import check_records
from quorbit.model.dependence.abstract import values_of
from quorbit.model.dependence.cases import Test
from quorbit.model.dependence.facts import Facts, Row
from quorbit.model.system.expression import Apply, Expr, Literal, Operator, Read, number
from quorbit.model.system.types import QueueOf, contains
from quorbit.model.system.walk import map_parts, parts

BY_PROGRAM, BY_VALUES, BY_VALUE = range(3)
MOST_BITS = 6  # of a field whose values are told apart one by one


class TestRecord(ctypes.Structure):
    __test__ = False  # what is tested here is a state
    _fields_ = [
        ("word", ctypes.c_uint16),
        ("shift", ctypes.c_uint8),
        ("width", ctypes.c_uint8),
        ("kind", ctypes.c_uint16),
        ("fails", ctypes.c_uint16),
        ("values", u64),
        ("entry", u64),
    ]


class PartialOrderRecord(ctypes.Structure):
    _fields_ = [
        *((name, u32) for name in ("cases", "tests", "words", "commands", "invisible", "unused")),
        *((name, ctypes.POINTER(u64)) for name in ("dependent", "enablers", "makes_true", "visible")),
        *((name, ctypes.POINTER(u32)) for name in ("test_starts", "test_list", "case_starts", "case_list")),
        ("case_commands", ctypes.POINTER(u32)),
        ("is_first", ctypes.c_char_p),
        ("test_table", ctypes.POINTER(TestRecord)),
        ("program", ProgramRecord),
    ]


def order_record(facts: Facts, layout: StateLayout, invisible: bool) -> PartialOrderRecord:
    """The record; its arrays live as long as it does.  ``invisible``: sets begin with an invisible case (LTL)."""
    check_records(library.runtime(), {"qb_test": TestRecord, "qb_partial_order": PartialOrderRecord})
    system, cases = facts.system, facts.cases
    words = (len(cases) + 63) // 64
    program, entries = lower_tests(system, layout, [t.expression for t in facts.tests])
    values = layout.table.handle_if_open
    record = PartialOrderRecord(len(cases), len(facts.tests), words, len(system.commands), invisible)
    record.dependent = rows_of(facts.dependent, words)
    record.enablers = rows_of(facts.enablers, words)
    record.makes_true = rows_of(facts.makes_true, words)
    record.visible = rows_of([facts.visible], words)
    record.test_starts, record.test_list = lists_of([case.tests for case in cases])
    of_command = [facts.of_command.get(c, []) for c in range(len(system.commands))]
    record.case_starts, record.case_list = lists_of(of_command)
    record.case_commands = numbers([case.command if case.command >= 0 else len(system.commands) for case in cases])
    record.is_first = bytes(c.rank == facts.first_rank for c in system.commands) + b"\0"
    tests = [test_record(facts, layout, t, entry) for t, entry in zip(facts.tests, entries, strict=True)]
    record.test_table = (TestRecord * max(1, len(tests)))(*tests)
    record.program = program_record(program, len(system.commands), layout.memo.handle_if_open, values)
    return record


def test_record(facts: Facts, layout: StateLayout, test: Test, entry: int) -> TestRecord:
    """Most tests ask for the value of one place or for the length of a queue: one field of the state tells."""
    program = TestRecord(0, 0, 0, BY_PROGRAM, test.fails, 0, entry)
    places = facts.reader.reads(test.expression)
    if test.fails or len(places) != 1:
        return program
    (i,) = places
    f = layout.fields[i][0] if layout.fields[i] else None
    if f is None or f.width == 0:
        return program
    match test.expression:
        case Apply(Operator.EQUAL, (Read(), Literal(int(value)))) if isinstance(layout.shapes[i], Ints):
            if 0 <= value - f.low < 1 << f.width:
                return TestRecord(f.word, f.shift, f.width, BY_VALUE, 0, value - f.low, 0)
    if f.width > MOST_BITS:
        return program
    truths = [truth_of(facts, layout, test.expression, i, f.low + raw) for raw in range(1 << f.width)]
    if None in truths:
        return program
    return TestRecord(
        f.word, f.shift, f.width, BY_VALUES, 0, sum(1 << raw for raw, holds in enumerate(truths) if holds), 0
    )


def truth_of(facts: Facts, layout: StateLayout, e: Expr, i: int, value: int) -> bool | None:
    """Whether a condition holds where the field of the place has this value; None if that does not tell."""
    type = facts.system.places[i].type
    if isinstance(layout.shapes[i], Ints):
        if not contains(type, value):
            return False  # it never has
        known = frozenset((value,))
    elif isinstance(type, QueueOf) and isinstance(layout.shapes[i], Slots) and asks_length(e):
        e, known = with_length(e, value), None
    else:
        return None
    values = values_of(facts.reader, e, lambda place: known)
    return None if values is None or len(values) != 1 else bool(next(iter(values)))


def asks_length(e: Expr) -> bool:
    """Whether all that is asked of queues is how long they are."""
    match e:
        case Apply(Operator.SIZE, (Read(),)):
            return True
        case Read():
            return False
        case _:
            return all(map(asks_length, parts(e)))


def with_length(e: Expr, length: int) -> Expr:
    match e:
        case Apply(Operator.SIZE, (Read(),)):
            return number(length)
        case _:
            return map_parts(e, lambda part: with_length(part, length))


def rows_of(rows: Sequence[Row], words: int) -> ctypes.Array[ctypes.c_uint64]:
    data = b"".join(row.to_bytes(8 * words, "little") for row in rows)
    return (u64 * max(1, len(rows) * words)).from_buffer_copy(data or bytes(8))


def lists_of(lists: Sequence[Sequence[int]]) -> tuple[ctypes.Array[ctypes.c_uint32], ctypes.Array[ctypes.c_uint32]]:
    """Where each list begins, and all of them one after the other."""
    starts = [0, *accumulate(map(len, lists))]
    return numbers(starts), numbers([n for part in lists for n in part])


def numbers(values: Sequence[int]) -> ctypes.Array[ctypes.c_uint32]:
    return (u32 * max(1, len(values)))(*values)
