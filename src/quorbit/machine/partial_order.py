"""Facts about the cases of a System as the runtime reads them: rows of bits, and tests as fields or programs."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Sequence
from functools import reduce
from itertools import accumulate, chain
from operator import or_

from quorbit.machine import library
from quorbit.machine.compile.lower.tests import lower_tests
from quorbit.machine.compile.packing import StateLayout
from quorbit.machine.compile.shapes import Ints, Slots
from quorbit.machine.library import ProgramRecord, program_record, u32, u64
from quorbit.machine.shared_records import check_records
from quorbit.model.dependence.abstract import values_of
from quorbit.model.dependence.decided import Decided
from quorbit.model.dependence.facts import Facts, Row
from quorbit.model.system.expression import Apply, Expr, Literal, Operator, Read, number
from quorbit.model.system.types import QueueOf, Value, contains
from quorbit.model.system.walk import map_parts, parts

BY_PROGRAM, BY_VALUES, BY_RANGE = range(3)
MOST_BITS = 6  # of a field whose values are told apart one by one
MOST_COMPARED = 32  # bits of a field that is compared with a number
ALL = 1 << 64  # values of a word
MOST_WIDE = 10  # bits of a field for whose values there are rows
ONE_ROW = (1 << 32) - 1


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
        ("needs", u32),
        ("stride", u32),
    ]


Need = tuple[int, int, int, int]  # the members of the record


class NeedRecord(ctypes.Structure):
    _fields_ = [(name, u32) for name in ("first", "first_settles", "gates", "gates_settle")]


class PartialOrderRecord(ctypes.Structure):
    _fields_ = [
        *((name, u32) for name in ("cases", "tests", "words", "commands", "invisible", "rows", "needs", "settling")),
        *((name, ctypes.POINTER(u64)) for name in ("dependent", "enablers", "enabling", "asking")),
        *((name, ctypes.POINTER(u64)) for name in ("visible", "loose")),
        *((name, ctypes.POINTER(u32)) for name in ("test_starts", "test_list", "case_starts", "case_list")),
        ("case_commands", ctypes.POINTER(u32)),
        ("need_table", ctypes.POINTER(NeedRecord)),
        ("test_table", ctypes.POINTER(TestRecord)),
        ("program", ProgramRecord),
    ]


def order_record(facts: Facts, layout: StateLayout, invisible: bool) -> PartialOrderRecord:
    """The record; its arrays live as long as it does.  ``invisible``: sets begin with an invisible case (LTL)."""
    check_records(
        library.runtime(), {"qb_test": TestRecord, "qb_need": NeedRecord, "qb_partial_order": PartialOrderRecord}
    )
    system, cases = facts.system, facts.cases
    words = words_for(len(cases))
    tests = [field_test(facts, layout, t) for t in range(len(facts.tests))]
    others = [t for t, record in zip(facts.tests, tests, strict=True) if record is None]
    program, entries = lower_tests(system, layout, [t.expression for t in others])
    programs = iter(
        TestRecord(kind=BY_PROGRAM, fails=t.fails, entry=e, needs=ONE_ROW) for t, e in zip(others, entries, strict=True)
    )
    values = layout.table.handle_if_open
    record = PartialOrderRecord(len(cases), len(facts.tests), words, len(system.commands), invisible)
    record.dependent = rows_of(facts.dependent, words)
    record.enablers = rows_of(facts.enablers, words)
    rows, asking, needs = enabling_rows(facts, layout, tests)
    record.rows, record.needs, record.settling = len(rows), len(needs), len(asking)
    record.enabling, record.asking = rows_of(rows, words), rows_of(asking, words)
    record.need_table = (NeedRecord * max(1, len(needs))).from_buffer_copy(array("I", chain(*needs, range(4))))
    record.visible, record.loose = rows_of([facts.visible], words), rows_of([facts.loose], words)
    record.test_starts, record.test_list = lists_of(facts.asked)
    of_command = [facts.of_command.get(c, []) for c in range(len(system.commands))]
    record.case_starts, record.case_list = lists_of(of_command)
    record.case_commands = numbers([case.command if case.command >= 0 else len(system.commands) for case in cases])
    record.test_table = (TestRecord * max(1, len(tests)))(*(test or next(programs) for test in tests))
    record.program = program_record(program, len(system.commands), layout.memo.handle_if_open, values)
    return record


def enabling_rows(
    facts: Facts, layout: StateLayout, tests: Sequence[TestRecord | None]
) -> tuple[list[Row], list[Row], list[Need]]:
    """What may make each test true, and who has it, one row for each; then rows for values of fields; and what tests
    need, those of one place and one of its values side by side."""
    enabling, asking = Numbered(facts.makes_true), Numbered(facts.asking)
    needs = list[Need]()
    for place, asked in facts.asked_of.items():
        records = [(t, test) for t in asked if (test := tests[t]) is not None and test.width <= MOST_WIDE]
        if not isinstance(layout.shapes[place], Ints) or not records:
            continue
        for k, (_, record) in enumerate(records):
            record.needs, record.stride = len(needs) + k, len(records)
        low = layout.fields[place][0].low
        told_apart = told_apart_by(facts, asked)
        known: dict[Value | None, list[Need]] = {}
        for value in range(low, low + (1 << records[0][1].width)):
            key = value if value in told_apart else None
            if key not in known:
                settling = Settling(facts, place, value)
                known[key] = [settling.need(t, enabling, asking) for t, _ in records]
            needs += known[key]
    return enabling.rows, asking.rows, needs


def told_apart_by(facts: Facts, tests: Sequence[int]) -> frozenset[Value]:
    """The values of a place that some test of it, or the first step to it, tells apart from all others."""
    decided = (facts.decided[t] for t in tests)
    ways = (facts.ways[t] for t in tests)
    found: frozenset[Value] = frozenset().union(*(d.values for d in decided if d is not None))
    return found.union(*(way[1] for way in ways if way is not None))


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


class Settling:
    """For one value of a place: the rows of which one must happen before its false tests hold, the first steps and the
    nearest gates, and who needs no more where all of a row are in a set."""

    def __init__(self, facts: Facts, place: int, value: Value) -> None:
        self.gates = facts.gates(place, value)
        ways = ((t, facts.ways[t]) for t in self.gates)
        self.first = {t: way[1][value] for t, way in ways if way is not None and value in way[1]}
        self.asking: dict[Row, Row] = {}
        for t, row in (*self.gates.items(), *self.first.items()):
            self.asking[row] = self.asking.get(row, 0) | facts.asking[t]
        self.known: dict[Row, Row] = {}

    def need(self, t: int, enabling: Numbered, asking: Numbered) -> Need:
        if t not in self.gates:
            return t, t, t, t  # it holds
        gates = self.gates[t]
        first = self.first.get(t, gates)
        near = enabling.number_of(gates), asking.number_of(self.by(gates))
        return (
            (*near, *near) if first is gates else (enabling.number_of(first), asking.number_of(self.by(first)), *near)
        )

    def by(self, row: Row) -> Row:
        if row not in self.known:
            self.known[row] = reduce(or_, (asked for steps, asked in self.asking.items() if not steps & ~row))
        return self.known[row]


def field_test(facts: Facts, layout: StateLayout, t: int) -> TestRecord | None:
    """Most tests ask for the value of one place or for the length of a queue: one field of the state tells."""
    test, decided = facts.tests[t], facts.decided[t]
    places = facts.reader.reads(test.expression)
    if test.fails or len(places) != 1:
        return None
    (i,) = places
    f = layout.fields[i][0] if layout.fields[i] else None
    if f is None or f.width == 0:
        return None
    if isinstance(layout.shapes[i], Ints) and f.width <= MOST_COMPARED:
        values = range(f.low, f.low + (1 << f.width))
        found = range_of(test.expression, values) if decided is None else range_decided(decided, values)
        if found is not None:
            first, more = found
            return TestRecord(f.word, f.shift, f.width, BY_RANGE, 0, (first - f.low) % ALL, more, ONE_ROW)
    if f.width > MOST_BITS:
        return None
    raws = truths_of(facts, layout, test.expression, i, range(f.low, f.low + (1 << f.width)))
    return None if raws is None else TestRecord(f.word, f.shift, f.width, BY_VALUES, 0, raws, 0, ONE_ROW)


def range_decided(decided: Decided, values: range) -> tuple[int, int] | None:
    """Where a test that the value of a place decides holds: see ``range_of``."""
    inside = [v for v in decided.values if isinstance(v, int) and v in values]
    if not inside or max(inside) - min(inside) != len(inside) - 1:
        return None
    first, more = min(inside), len(inside) - 1
    return (first, more) if decided.is_so else complement(first, more)


def range_of(e: Expr, values: range) -> tuple[int, int] | None:
    """Where a comparison of what is read, one of these values, with a number holds: at the first value that is returned
    and so many more; they may begin again at the least after the greatest of 64 bits.  None: not known, or nowhere."""
    match e:
        case Apply(Operator.NOT, (inner,)):
            found = range_of(inner, values)
            return None if found is None else complement(*found)
        case Apply(Operator.LESS, (Read(), Literal(int(n)))):
            return (values[0], min(n - 1, values[-1]) - values[0]) if n > values[0] else None
        case Apply(Operator.LESS, (Literal(int(n)), Read())):
            first = max(n + 1, values[0])
            return (first, values[-1] - first) if n < values[-1] else None
        case _:
            return None


def complement(first: int, more: int) -> tuple[int, int]:
    return first + more + 1, ALL - 2 - more


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
