"""Facts about the cases of a System as the runtime reads them: rows of bits, and tests as fields or programs."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate
from operator import or_

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
from quorbit.model.system.types import QueueOf, Value, contains
from quorbit.model.system.walk import map_parts, parts

BY_PROGRAM, BY_VALUES, BY_RANGE = range(3)
MOST_BITS = 6  # of a field whose values are told apart one by one
MOST_COMPARED = 32  # bits of a field that is compared with a number
ALL = 1 << 64  # values of a word
MOST_WIDE = 10  # bits of a field for whose values there are rows
NO_WAYS = (1 << 32) - 1


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
        ("ways", u32),
        ("unused", u32),
    ]


class PartialOrderRecord(ctypes.Structure):
    _fields_ = [
        *((name, u32) for name in ("cases", "tests", "words", "commands", "invisible", "rows", "ways", "settling")),
        *((name, ctypes.POINTER(u64)) for name in ("dependent", "enablers", "enabling", "asking", "visible")),
        *((name, ctypes.POINTER(u32)) for name in ("test_starts", "test_list", "case_starts", "case_list")),
        ("case_commands", ctypes.POINTER(u32)),
        ("way_list", ctypes.POINTER(u32)),
        ("settled_list", ctypes.POINTER(u32)),
        ("is_first", ctypes.c_char_p),
        ("test_table", ctypes.POINTER(TestRecord)),
        ("program", ProgramRecord),
    ]


def order_record(facts: Facts, layout: StateLayout, invisible: bool) -> PartialOrderRecord:
    """The record; its arrays live as long as it does.  ``invisible``: sets begin with an invisible case (LTL)."""
    check_records(library.runtime(), {"qb_test": TestRecord, "qb_partial_order": PartialOrderRecord})
    system, cases = facts.system, facts.cases
    words = words_for(len(cases))
    tests = [field_test(facts, layout, t) for t in facts.tests]
    others = [t for t, record in zip(facts.tests, tests, strict=True) if record is None]
    program, entries = lower_tests(system, layout, [t.expression for t in others])
    programs = iter(
        TestRecord(kind=BY_PROGRAM, fails=t.fails, entry=e, ways=NO_WAYS) for t, e in zip(others, entries, strict=True)
    )
    values = layout.table.handle_if_open
    record = PartialOrderRecord(len(cases), len(facts.tests), words, len(system.commands), invisible)
    record.dependent = rows_of(facts.dependent, words)
    record.enablers = rows_of(facts.enablers, words)
    rows, ways, asking, settled = enabling_rows(facts, layout, tests)
    record.rows, record.ways, record.settling = len(rows), len(ways), len(asking)
    record.enabling, record.way_list = rows_of(rows, words), numbers(ways)
    record.asking, record.settled_list = rows_of(asking, words), numbers(settled)
    record.visible = rows_of([facts.visible], words)
    record.test_starts, record.test_list = lists_of([case.tests for case in cases])
    of_command = [facts.of_command.get(c, []) for c in range(len(system.commands))]
    record.case_starts, record.case_list = lists_of(of_command)
    record.case_commands = numbers([case.command if case.command >= 0 else len(system.commands) for case in cases])
    record.is_first = bytes(c.rank == facts.first_rank for c in system.commands) + b"\0"
    record.test_table = (TestRecord * max(1, len(tests)))(*(test or next(programs) for test in tests))
    record.program = program_record(program, len(system.commands), layout.memo.handle_if_open, values)
    return record


def enabling_rows(
    facts: Facts, layout: StateLayout, tests: Sequence[TestRecord | None]
) -> tuple[list[Row], list[int], list[Row], list[int]]:
    """What may make each test true, one row for each, then the first steps that values of fields ask for; and for each
    test with such values, which is told where they begin, the numbers of their rows.  In the same way who has each
    test, and who needs no more where all of these first steps are in a set."""
    enabling, asking = Numbered(facts.makes_true), Numbered(facts.asking)
    ways, settled = list[int](), list[int]()
    settling = settling_rows(facts)
    for t, (test, way) in enumerate(zip(tests, facts.ways, strict=True)):
        if test is None:
            continue
        test.ways = NO_WAYS
        if way is None or test.width > MOST_WIDE or not isinstance(layout.shapes[way[0]], Ints):
            continue
        test.ways, (place, by_value) = len(ways), way
        low = layout.fields[place][0].low
        ways += [t] * (1 << test.width)
        settled += [t] * (1 << test.width)
        for value, row in by_value.items():
            if isinstance(value, int) and 0 <= value - low < 1 << test.width:
                ways[test.ways + value - low] = enabling.number_of(row)
                settled[test.ways + value - low] = asking.number_of(settling[place, value, row])
    return enabling.rows, ways, asking.rows, settled


class Numbered:
    """Rows, some to begin with, and others that get numbers behind them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = list(rows)
        self.numbers: dict[Row, int] = {}

    def number_of(self, row: Row) -> int:
        if row not in self.numbers:
            self.numbers[row] = len(self.rows)
            self.rows.append(row)
        return self.numbers[row]


def settling_rows(facts: Facts) -> dict[tuple[int, Value, Row], Row]:
    """For a place, its value and first steps from there: who has a test for whose truth one of these must happen."""
    asking: dict[tuple[int, Value], dict[Row, Row]] = {}
    for asked, (place, by_value) in ((facts.asking[t], way) for t, way in enumerate(facts.ways) if way is not None):
        for value, row in by_value.items():
            by_row = asking.setdefault((place, value), {})
            by_row[row] = by_row.get(row, 0) | asked
    return {
        (*at, row): reduce(or_, (asked for steps, asked in by_row.items() if not steps & ~row))
        for at, by_row in asking.items()
        for row in by_row
    }


def field_test(facts: Facts, layout: StateLayout, test: Test) -> TestRecord | None:
    """Most tests ask for the value of one place or for the length of a queue: one field of the state tells."""
    places = facts.reader.reads(test.expression)
    if test.fails or len(places) != 1:
        return None
    (i,) = places
    f = layout.fields[i][0] if layout.fields[i] else None
    if f is None or f.width == 0:
        return None
    if isinstance(layout.shapes[i], Ints) and f.width <= MOST_COMPARED:
        found = range_of(test.expression, range(f.low, f.low + (1 << f.width)))
        if found is not None:
            first, more = found
            return TestRecord(f.word, f.shift, f.width, BY_RANGE, 0, (first - f.low) % ALL, more)
    if f.width > MOST_BITS:
        return None
    raws = truths_of(facts, layout, test.expression, i, range(f.low, f.low + (1 << f.width)))
    return None if raws is None else TestRecord(f.word, f.shift, f.width, BY_VALUES, 0, raws, 0)


def range_of(e: Expr, values: range) -> tuple[int, int] | None:
    """Where a comparison of what is read, one of these values, with a number holds: at the first value that is returned
    and so many more; they may begin again at the least after the greatest of 64 bits.  None: not known, or nowhere."""
    match e:
        case Apply(Operator.NOT, (inner,)):
            found = range_of(inner, values)
            return None if found is None else (found[0] + found[1] + 1, ALL - 2 - found[1])
        case Apply(Operator.EQUAL, (Read(), Literal(int(n)))):
            return (n, 0) if n in values else None
        case Apply(Operator.EQUAL, (Apply(Operator.SUBTRACT, (Read(), Literal(int(less)))), Literal(int(n)))):
            return (n + less, 0) if n + less in values else None
        case Apply(Operator.LESS, (Read(), Literal(int(n)))):
            return (values[0], min(n - 1, values[-1]) - values[0]) if n > values[0] else None
        case Apply(Operator.LESS, (Literal(int(n)), Read())):
            first = max(n + 1, values[0])
            return (first, values[-1] - first) if n < values[-1] else None
        case _:
            return None


def truths_of(facts: Facts, layout: StateLayout, e: Expr, i: int, values: range) -> int | None:
    """For which values of the field of a place a condition holds, as bits; None if they do not tell."""
    type, shape, bits = facts.system.places[i].type, layout.shapes[i], 0
    is_length = isinstance(type, QueueOf) and isinstance(shape, Slots) and asks_length(e)
    if not isinstance(shape, Ints) and not is_length:
        return None
    for raw, value in enumerate(values):
        if not is_length and not contains(type, value):
            continue  # it never has this value
        asked, known = (with_length(e, value), None) if is_length else (e, frozenset((value,)))
        found = values_of(facts.reader, asked, lambda place, known=known: known)  # type: ignore[misc]
        if found is None or len(found) != 1:
            return None
        bits |= bool(next(iter(found))) << raw
    return bits


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


def words_for(cases: int) -> int:
    """How many words a row has; the runtime is quickest with these."""
    needed = (cases + 63) // 64
    return next((words for words in (0, 1, 2, 3, 4, 6, 8, 10) if words >= needed), needed)


def rows_of(rows: Sequence[Row], words: int) -> ctypes.Array[ctypes.c_uint64]:
    data = b"".join(row.to_bytes(8 * words, "little") for row in rows)
    return (u64 * max(1, len(rows) * words)).from_buffer_copy(data or bytes(8))


def lists_of(lists: Sequence[Sequence[int]]) -> tuple[ctypes.Array[ctypes.c_uint32], ctypes.Array[ctypes.c_uint32]]:
    """Where each list begins, and all of them one after the other."""
    starts = [0, *accumulate(map(len, lists))]
    return numbers(starts), numbers([n for part in lists for n in part])


def numbers(values: Sequence[int]) -> ctypes.Array[ctypes.c_uint32]:
    return (u32 * max(1, len(values))).from_buffer_copy(array("I", values or (0,)))
