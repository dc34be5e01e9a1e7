"""One owner of a search that several processes share (runtime/cluster/shard.h): what it sends and takes is bytes."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from typing import Any

from quorbit.machine import library
from quorbit.machine.compile.packing import StateLayout
from quorbit.machine.compile.shapes import Ids, Leaf, Record, Shape, leaves
from quorbit.machine.library import FieldRecord, LevelReport, u64
from quorbit.machine.run import Run, ask
from quorbit.source.frozen import frozen

__all__ = ["Damaged", "NoRoom", "Owner", "Prepared", "Stopped"]

Bytes = bytes | bytearray | memoryview
ROWS = 32  # where a header says how many rows follow (runtime/cluster/message.h)


class Damaged(Exception):
    """A message that cannot be what its sender has sent, or one that is missing."""


class NoRoom(Exception):
    """States that there is no memory for."""


class Stopped(Exception):
    """The model's functions or the machine have ended the search; ``status`` as in the library."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@frozen
class Prepared:
    """What an owner says of the level that was expanded."""

    found: int
    checksum: int
    transitions: int
    errors: int
    failure_kind: int
    memory: int  # bytes
    sent_count: int  # states sent since it was opened, and their bytes
    sent_bytes: int
    cpu_seconds: float
    partly: int = 0  # states of the level that were expanded in part
    fired: tuple[int, ...] = ()
    failure: bytes = b""  # the least failing state, as a message


class Owner:
    """The shard of one engine; requires a run with one thread, without states."""

    def __init__(self, run: Run, owner: int = 0, owners: int = 1) -> None:
        self.run, self.runtime = run, library.runtime()
        self.owner, self.owners = owner, owners
        self.sent = [0] * owners  # messages of this epoch
        self.rows: list[list[int]] = [[] for _ in range(owners)]  # of these messages, where states are expanded in part
        self.epoch = 0
        fields = list(value_fields(run.layout))
        rows = (FieldRecord * max(1, len(fields)))(*(FieldRecord(*f) for f in fields))
        values = run.layout.table.handle if fields else None
        if not self.runtime.qb_own(run.engine, owner, owners, values, rows, len(fields)):
            raise NoRoom

    def own_again(self, owner: int, owners: int) -> None:
        """Keep of the states only those that belong to this owner now."""
        self.owner, self.owners = owner, owners
        self.begin_epoch(self.epoch)
        if not self.runtime.qb_own_again(self.run.engine, owner, owners):
            raise NoRoom

    # Levels.

    def seed(self, words: list[int]) -> None:
        """Take its own of the initial states."""
        array, count = (u64 * max(1, len(words)))(*words), len(words) // self.run.layout.words
        if not self.runtime.qb_seed(self.run.engine, array, count):
            raise NoRoom
        self.run.layout.memo.raise_pending()

    def expand(self, most_bytes: int, seconds: float) -> int:
        """How many states of the level are left; what belongs to others waits in the outboxes."""
        self.runtime.qb_expand(self.run.engine, most_bytes, seconds)
        self.raise_stop()
        return int(self.runtime.qb_left(self.run.engine))

    def raise_stop(self) -> None:
        status = self.run.settle(int(ask(self.run).status))
        if status != library.RUNNING:
            raise Stopped(status)

    def outbox(self, owner: int) -> bytes:
        """The message for another owner, b"" if there is none; the outbox is empty then."""
        size = u64()
        address = self.runtime.qb_outbox_of(self.run.engine, owner, self.sent[owner], ctypes.byref(size))
        if not address:
            self.raise_stop()
            return b""
        message = ctypes.string_at(address, size.value)
        self.sent[owner] += 1
        self.rows[owner].append(rows_in(message))
        self.runtime.qb_empty_outbox(self.run.engine, owner)
        return message

    def take(self, message: Bytes, bits: Any = None) -> int:
        """How many of the states were new; a message that comes late or again has none."""
        address, held = address_of(message)
        found = self.runtime.qb_take(self.run.engine, address, len(held), bits)
        self.run.layout.memo.raise_pending()
        return 0 if found == library.LATE else counted(found)

    # Partial order.

    @property
    def is_in_part(self) -> bool:
        return self.run.tables is not None

    def take_and_tell(self, message: Bytes) -> bytes:
        """What the sender has to know of its states: a bit for each, whether it leads beyond the committed levels."""
        bits = (ctypes.c_uint8 * (rows_in(message) // 8 + 1))()
        self.take(message, bits)
        return bytes(bits)

    def note_open(self, owner: int, replies: list[bytes]) -> None:
        """What an owner has said of all messages that were sent to it in this level, in their order."""
        first = 0
        for rows, bits in zip(self.rows[owner], replies, strict=True):
            self.runtime.qb_note_open(self.run.engine, owner, first, rows, bits)
            first += rows

    def expand_rest(self, most_bytes: int, seconds: float) -> int:
        """States that lead to none of the next level are expanded in full: how many are left to look at."""
        left = int(self.runtime.qb_expand_rest(self.run.engine, most_bytes, seconds))
        self.raise_stop()
        return left

    def prepare(self, sent: list[int]) -> Prepared:
        """``sent``: how many messages each owner has sent to this one."""
        report = LevelReport()
        if not self.runtime.qb_prepare(self.run.engine, (u64 * len(sent))(*sent), ctypes.byref(report)):
            raise Damaged("the level is not complete")
        return Prepared(
            report.found,
            report.checksum,
            report.transitions,
            report.errors,
            report.failure_kind,
            report.bytes,
            report.sent_count,
            report.sent_bytes,
            report.cpu_seconds,
            report.partly,
            tuple(self.runtime.qb_fired(self.run.engine)[: len(self.run.system.commands)]),
            self.worst() if report.errors else b"",
        )

    def worst(self) -> bytes:
        state = (u64 * self.run.layout.words)()
        self.runtime.qb_worst(self.run.engine, state)
        return self.tell_state(list(state))

    def commit(self, epoch: int) -> None:
        self.begin_epoch(epoch)
        if not self.runtime.qb_commit(self.run.engine, epoch):
            raise NoRoom

    def begin_epoch(self, epoch: int) -> None:
        self.epoch, self.sent, self.rows = epoch, [0] * self.owners, [[] for _ in range(self.owners)]

    def abort(self, levels: int, epoch: int) -> None:
        """Forget what was found after so many levels."""
        self.begin_epoch(epoch)
        self.runtime.qb_abort(self.run.engine, levels, epoch)

    # Levels that leave and come back.

    def level_count(self) -> int:
        return int(ask(self.run).levels)

    def level_start(self, level: int) -> int:
        return int(self.runtime.qb_level_start(self.run.engine, level))

    def export(self, first: int, end: int, most_bytes: int, owner: int = 0, owners: int = 0) -> tuple[int, bytes]:
        """A message with the states from a number on, and the number it has come to; with ``owners`` those of one."""
        message, size = ctypes.c_void_p(), u64()
        reached = self.runtime.qb_export(
            self.run.engine, first, end, owner, owners, most_bytes, ctypes.byref(message), ctypes.byref(size)
        )
        if reached == 2**64 - 1:
            raise NoRoom
        return int(reached), ctypes.string_at(message.value, size.value) if message.value else b""

    def restore(self, message: Bytes) -> int:
        """Take back its own of these states of a level."""
        address, held = address_of(message)
        return counted(self.runtime.qb_restore(self.run.engine, address, len(held)))

    def restore_level(self, last: bool) -> None:
        if not self.runtime.qb_restore_level(self.run.engine, last):
            raise NoRoom

    # Traces.

    def predecessor(self, level: int, target: Bytes, at: int, best: Bytes, seconds: float) -> tuple[int, bytes]:
        """The least state of a level that leads to another, looked for from number ``at`` on for about so long: the
        number to go on from (-1: none is left) and the best so far."""
        wanted, found, place = self.read_state(target), ctypes.c_bool(bool(best)), u64(at)
        least = self.read_state(best) if best else (u64 * self.run.layout.words)()
        status = self.runtime.qb_predecessor(
            self.run.engine, level, wanted, ctypes.byref(place), least, ctypes.byref(found), seconds
        )
        self.run.layout.memo.raise_pending()
        if status not in (library.RUNNING, library.DONE):
            raise Stopped(status)
        told = self.tell_state(list(least)) if found.value else b""
        return (place.value if status == library.RUNNING else -1), told

    def tell_state(self, words: list[int]) -> bytes:
        size = u64()
        state = (u64 * len(words))(*words)
        address = self.runtime.qb_tell_state(self.run.engine, state, ctypes.byref(size))
        if not address:
            raise NoRoom
        return ctypes.string_at(address, size.value)

    def read_state(self, message: Bytes) -> Any:
        state = (u64 * self.run.layout.words)()
        address, held = address_of(message)
        if not self.runtime.qb_read_state(self.run.engine, address, len(held), state):
            raise Damaged("a state that cannot be read")
        return state

    def is_before(self, one: Bytes, other: Bytes) -> bool:
        """In the order of states that no process decides."""
        return bool(self.runtime.qb_order(self.run.engine, self.read_state(one), self.read_state(other)) < 0)


def rows_in(message: Bytes) -> int:
    """How many states a message has."""
    return int.from_bytes(memoryview(message).cast("B")[ROWS : ROWS + 8], sys.byteorder)


def counted(answer: int) -> int:
    match answer:
        case library.DAMAGED:
            raise Damaged("a message was damaged or lost on its way")
        case library.NO_ROOM:
            raise NoRoom
        case _:
            return int(answer)


def address_of(message: Bytes) -> tuple[Any, Bytes]:
    """Where the bytes are, and what must live as long as they are looked at."""
    if isinstance(message, bytes):
        return message, message
    view = memoryview(message).cast("B")
    if view.readonly:
        copied = bytes(view)
        return copied, copied
    return ctypes.addressof((ctypes.c_char * len(view)).from_buffer(view)), view


def value_fields(layout: StateLayout) -> Iterator[tuple[int, int, int]]:
    """Where states name interned values by their numbers."""
    for shape, fields in zip(layout.shapes, layout.fields, strict=True):
        for (_, is_value), f in zip(marked_leaves(shape), fields, strict=True):
            if is_value:
                yield f.word, f.shift, f.width


def marked_leaves(shape: Shape) -> Iterator[tuple[Leaf, bool]]:
    match shape:
        case Record(parts):
            for part in parts:
                yield from marked_leaves(part)
        case _:
            for leaf in leaves(shape):
                yield leaf, isinstance(shape, Ids)
