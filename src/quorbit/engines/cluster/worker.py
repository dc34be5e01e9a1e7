"""A worker: the process that owns a part of the states, whatever transport brings its calls.

Every public method is called by the driver (driver.py).  What goes wrong leaves as a ``WorkerError`` in words.
"""

from __future__ import annotations

import mmap
import os
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

from quorbit.engines.cluster.job import Identity, Job, digest_of_program, own_identity
from quorbit.engines.cluster.parcel import LEVEL_END, Parcel, items_in, packed
from quorbit.engines.cluster.transport import WorkerError
from quorbit.engines.partial_order import find_facts
from quorbit.machine import library
from quorbit.machine.interned import TooLarge
from quorbit.machine.native import build as native_build
from quorbit.machine.owner import Damaged, NoRoom, Owner, Prepared, Stopped
from quorbit.machine.run import Run, ask, initial_words, opened
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace

TRACE_SLICE = 1.0  # seconds
NO_LIMIT = 2**62  # bytes for others, of which there are none
PACKAGE = 4 << 20  # bytes of a message in packages


@frozen
class Greeting:
    """Who a worker is."""

    identity: Identity
    host: str
    pid: int
    memory: int  # bytes of the machine


@frozen
class Expanded:
    """How far a worker has come with its part of the level."""

    left: int
    states: int  # that it has stored
    bytes: int
    transitions: int  # of this level so far
    sizes: tuple[int, ...] = ()  # of the parcels


@frozen
class Saved:
    """A file with some levels of one owner."""

    name: str
    bytes: int


@frozen
class Alone:
    """What one worker has found by itself: the levels that it has committed, with their sums, and perhaps the end."""

    counts: tuple[int, ...] = ()
    transitions: int = 0
    errors: int = 0
    partly: int = 0
    fired: tuple[int, ...] = ()
    failing: tuple[int, Prepared] | None = None  # the first level that has errors, from 0 on, and what was told of it
    end: Prepared | None = None
    states: int = 0
    memory: int = 0

    def and_level(self, told: Prepared) -> Alone:
        failing = self.failing or ((len(self.counts), told) if told.errors else None)
        fired = tuple(a + b for a, b in zip(self.fired or (0,) * len(told.fired), told.fired, strict=True))
        counts = (*self.counts, told.found)
        partly = self.partly + told.partly
        return Alone(counts, self.transitions + told.transitions, self.errors + told.errors, partly, fired, failing)


class Worker:
    def __init__(self) -> None:
        self.stack = ExitStack()
        self.run: Run | None = None
        self.owner: Owner | None = None
        self.words: list[int] = []
        self.cpu_began = 0.0
        self.libraries: list[Any] = []  # native code stays loaded
        self.copies: dict[tuple[int, int], list[bytes]] = {}  # packages of other workers, by generation and owner

    # Beginning.

    def greet(self) -> Greeting:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return Greeting(own_identity(), socket.gethostname(), os.getpid(), memory)

    def open(self, job: Job, memory: int) -> None:
        """Compile the model; the program must be the driver's.  ``memory``: bytes that it may use."""
        self.close()
        self.stack = ExitStack()
        options = replace(job.options, memory=memory)
        facts = find_facts(job.system, job.properties, job.plan) if job.in_part else None
        self.run = self.stack.enter_context(opened(job.system, job.properties, options, job.plan, facts))
        self.words = initial_words(self.run)
        if digest_of_program(self.run.program, job.plan, self.words, job.options, job.in_part) != job.digest:
            raise WorkerError("refused", "it makes another program of the model: install the same package everywhere")
        self.cpu_began = time.process_time()

    def own(self, owner: int, owners: int) -> None:
        """Own a part of the states, of which there are none yet."""
        if self.owner is None:
            self.owner = Owner(self.running(), owner, owners)
        else:
            self.owner.abort(0, 0)
            self.owner.own_again(owner, owners)

    def own_again(self, owner: int, owners: int) -> list[int]:
        """Own another part of the states that are here: how many are left on each level."""
        own = self.owning()
        own.own_again(owner, owners)
        starts = [own.level_start(level) for level in range(own.level_count() + 1)]
        return [end - first for first, end in pairwise(starts)]

    def use_native(self, name: str, data: bytes) -> bool:
        """The model's own machine code, compiled by the driver; whether it is used."""
        directory = native_build.cache_directory()
        if directory is None:
            return False
        target = directory / name
        if not native_build.is_whole(target, data):
            return False
        if not native_build.is_sound(target):
            temporary = target.with_suffix(f".{os.getpid()}.tmp")
            temporary.write_bytes(data)
            os.replace(temporary, target)
        found = native_build.load(target)
        if found is None:
            return False
        self.libraries.append(found[0])
        library.runtime().qb_set_native(self.running().engine, *found[1])
        return True

    def running(self) -> Run:
        if self.run is None:
            raise WorkerError("bug", "a worker was called before it was opened")
        return self.run

    def owning(self) -> Owner:
        if self.owner is None:
            raise WorkerError("bug", "a worker was called before it owned states")
        return self.owner

    # Levels.

    def seed(self, epoch: int) -> None:
        owner = self.owning()
        owner.abort(0, epoch)
        owner.seed(self.words)

    def expand(self, most_bytes: int, seconds: float) -> tuple[Expanded, list[Parcel]]:
        """Its part of the level, or some of it; a parcel for each owner."""
        owner = self.owning()
        return self.told_of(owner, owner.expand(most_bytes, seconds))

    def expand_rest(self, most_bytes: int, seconds: float) -> tuple[Expanded, list[Parcel]]:
        """The same of states that lead to none of the next level; requires ``note_open``."""
        owner = self.owning()
        return self.told_of(owner, owner.expand_rest(most_bytes, seconds))

    def told_of(self, owner: Owner, left: int) -> tuple[Expanded, list[Parcel]]:
        parcels = [Parcel(owner.outbox(k) if k != owner.owner else b"") for k in range(owner.owners)]
        report = ask(self.running())
        sizes = tuple(map(len, parcels))
        return Expanded(left, report.states, report.bytes, report.transitions, sizes), parcels

    def go_alone(self, all_errors: bool, most_open: int, most_levels: int, seconds: float) -> tuple[Alone, float]:
        """Level after level for about so long, as the only owner: as long as few states are open and nothing is told.

        At most so many levels; the last one is prepared only, if it is the end of the search."""
        owner, until = self.owning(), time.monotonic() + seconds
        alone = Alone()
        while len(alone.counts) < most_levels and time.monotonic() < until:
            if owner.expand(NO_LIMIT, max(0.0, until - time.monotonic())):
                break
            if owner.is_in_part and owner.expand_rest(NO_LIMIT, max(0.0, until - time.monotonic())):
                break
            told = owner.prepare([0])
            if told.found == 0 or (told.errors and not all_errors):
                alone = replace(alone, end=told)
                break
            owner.commit(owner.epoch)
            alone = alone.and_level(told)
            if told.found > most_open:
                break
        report = ask(self.running())
        alone = replace(alone, states=report.states, memory=report.bytes)
        return alone, time.process_time() - self.cpu_began

    def take(self, parcel: Parcel) -> bytes:
        """What the sender has to know, if states are expanded in part."""
        owner = self.owning()
        if owner.is_in_part:
            return owner.take_and_tell(parcel.data)
        owner.take(parcel.data)
        return b""

    def note_open(self, replies: list[list[bytes]]) -> None:
        """What each owner has answered to what this one sent it in this level."""
        owner = self.owning()
        for k, bits in enumerate(replies):
            owner.note_open(k, bits)

    def prepare(self, sent: list[int]) -> tuple[Prepared, float]:
        """What it says of the level, and the seconds that this process has computed since it was opened."""
        return self.owning().prepare(sent), time.process_time() - self.cpu_began

    def commit(self, epoch: int) -> None:
        self.owning().commit(epoch)

    def abort(self, levels: int, epoch: int) -> None:
        self.owning().abort(levels, epoch)

    # Levels that leave and come back.

    def packages(self, levels: range, owner: int = 0, owners: int = 0) -> Iterator[bytes]:
        """These levels, piece by piece; of ``owners`` only the states of one."""
        own = self.owning()
        for level in levels:
            at, end = own.level_start(level), own.level_start(level + 1)
            while at < end:
                at, message = own.export(at, end, PACKAGE, owner, owners)
                if message:
                    yield packed(message)
            yield LEVEL_END

    def hand_over(self, levels: range, owner: int, owners: int) -> tuple[int, list[Parcel]]:
        """These levels as one parcel, for another owner or for a peer to keep."""
        data = b"".join(self.packages(levels, owner, owners))
        return len(data), [Parcel(data)]

    def keep(self, generation: int, owner: int, parcel: Parcel) -> None:
        """More levels of another worker, in case it is lost."""
        self.copies.setdefault((generation, owner), []).append(bytes(parcel.data))

    def forget(self, generation: int) -> None:
        """Copies that were made before this generation are not needed any more."""
        self.copies = {key: data for key, data in self.copies.items() if key[0] >= generation}

    def give_back(self, generation: int, owner: int) -> tuple[int, list[Parcel]]:
        """What was kept of another worker."""
        data = b"".join(self.copies.get((generation, owner), []))
        return len(data), [Parcel(data)]

    def save(self, folder: str, name: str, levels: range) -> Saved:
        """Write these levels to a file, which is complete when this returns."""
        size = 0
        try:
            target = Path(folder) / name
            with open(target.with_suffix(".tmp"), "wb") as file:
                for piece in self.packages(levels):
                    size += file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            os.replace(target.with_suffix(".tmp"), target)
        except OSError as why:
            raise WorkerError("disk", f"{folder}: {why.strerror}") from None
        return Saved(name, size)

    def restore(self, parts: Sequence[Sequence[str | int]], levels: int, *parcels: Parcel) -> list[int]:
        """Take back so many levels, its own states of them: how many on each.

        A part names packages with the same levels: files, or numbers of the parcels."""
        owner, counts = self.owning(), list[int]()
        owner.abort(0, 0)
        for part in parts:
            streams = [items_in([parcels[source] if isinstance(source, int) else mapped(source)]) for source in part]
            while len(counts) < levels and (count := restore_level(owner, streams)) is not None:
                counts.append(count)
                owner.restore_level(len(counts) == levels)
        if len(counts) != levels:
            raise WorkerError("damaged", f"{len(counts)} of {levels} levels are there")
        return counts

    # The end.

    def predecessor(self, level: int, target: bytes, at: int, best: bytes) -> tuple[int, bytes]:
        return self.owning().predecessor(level, target, at, best, TRACE_SLICE)

    def close(self) -> None:
        self.owner = self.run = None
        self.copies.clear()
        self.stack.close()


def restore_level(owner: Owner, streams: list[Iterator[memoryview]]) -> int | None:
    """The next level of all streams: how many of its states the owner took; None at the end."""
    count, ended = 0, 0
    for stream in streams:
        for message in stream:
            if len(message) == 0:
                break
            count += owner.restore(bytes(message))
        else:
            ended += 1
    if ended not in (0, len(streams)):
        raise Damaged("some files have fewer levels than others")
    return None if ended else count


def mapped(name: str) -> memoryview:
    try:
        with open(name, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            return memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) if size else b"")
    except OSError as why:
        raise WorkerError("disk", f"{name} cannot be read: {why.strerror}") from None


def told(method: Callable[..., Any], *args: Any) -> Any:
    """What a method answers; what goes wrong in it, as a ``WorkerError``."""
    try:
        return method(*args)
    except WorkerError:
        raise
    except NoRoom:
        raise WorkerError("status", "", library.MEMORY) from None
    except MemoryError:
        raise WorkerError("status", "", library.MEMORY) from None
    except Stopped as stopped:
        raise WorkerError("status", "", stopped.status) from None
    except TooLarge:
        raise WorkerError("status", "", library.TOO_LARGE) from None
    except (Damaged, ValueError) as why:
        raise WorkerError("damaged", str(why)) from None
    except UserError as why:
        raise WorkerError("refused", why.message) from None
