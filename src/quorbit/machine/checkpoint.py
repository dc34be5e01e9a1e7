"""Checkpoints: after a crash at any moment a run goes on from the last complete level that was committed.

The user names a directory; all files are in a folder of its own in it, which one run at a time has locked.  A part
file holds the states of some complete levels: for each level its rows, then its parents' numbers.  ``run.json`` names
the parts with their checksums, says what was known when the last of their levels began, and has a checksum itself.
Parts are written first, then run.json under another name, then that is renamed: this last step is the commit.  A disk
that refuses ends the checkpoints, not the search.  How a run goes on is in resume.py.
"""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import json
import os
import re
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from quorbit.machine import library
from quorbit.machine.interned import ValueTable
from quorbit.machine.library import ReportRecord, u32, u64
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable

__all__ = [
    "SECONDS_BETWEEN",
    "SHARE_OF_TIME",
    "Checkpoint",
    "checksum_of",
    "close_checkpoint",
    "digest_of",
    "open_checkpoint",
    "save",
    "save_now_and_then",
    "sync_directory",
]

FORMAT = 3
FOLDER, RUN_FILE, LOCK_FILE = "quorbit-run", "run.json", "lock"
OWN = re.compile(r"[LV][0-9]{6,10}-[0-9a-f]{8}[.]bin([.]tmp)?")  # the names of parts
PADDING = bytes(4)  # after an odd number of parents, so that rows begin at multiples of 8
SECONDS_BETWEEN = 1.0
SHARE_OF_TIME = 0.1  # of the run that may go into checkpoints


@mutable
class Checkpoint:
    """A directory and what of the run is in it."""

    folder: Path
    digest: str
    words: int
    commands: int
    lock: int  # the handle of the file that is locked
    mark: str  # in the names of this run's files
    parts: list[dict[str, Any]] = field(default_factory=list)
    levels: int = 0  # how many are written
    table: ValueTable | None = None  # of the values that states name by their numbers
    values: list[dict[str, Any]] = field(default_factory=list)  # the files that hold them
    value_count: int = 0
    next_time: float = 0.0
    problem: str = ""  # why there are no more checkpoints


def open_checkpoint(
    directory: str, digest: str, words: int, commands: int, table: ValueTable | None = None
) -> Checkpoint:
    folder = Path(directory) / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as why:
        raise UserError(None, f"cannot write checkpoints to {directory}: {why.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise UserError(None, f"another run writes checkpoints to {directory}; choose another directory") from None
    mark, soon = os.urandom(4).hex(), time.monotonic() + SECONDS_BETWEEN
    return Checkpoint(folder, digest, words, commands, lock, mark, table=table, next_time=soon)


def close_checkpoint(checkpoint: Checkpoint) -> None:
    """Leave the folder to the next run."""
    os.close(checkpoint.lock)


def save_now_and_then(checkpoint: Checkpoint, engine: Any) -> None:
    """Save if enough time has passed since the last time."""
    began = time.monotonic()
    if began >= checkpoint.next_time:
        save(checkpoint, engine)
        spent = time.monotonic() - began
        checkpoint.next_time = began + max(SECONDS_BETWEEN, spent / SHARE_OF_TIME)


def save(checkpoint: Checkpoint, engine: Any) -> None:
    """Write the levels that are complete and not written yet, then commit."""
    report, fired = snapshot(engine, checkpoint.commands)
    if report.levels == checkpoint.levels or checkpoint.problem:
        return
    try:
        checkpoint.parts.append(write_part(checkpoint, engine, report.levels))
        checkpoint.levels = report.levels
        write_values(checkpoint)
        commit(checkpoint, report, fired)
    except OSError as why:
        checkpoint.problem = f"no more checkpoints were written to {checkpoint.folder.parent}: {why.strerror}"
        with suppress(OSError):
            remove_others(checkpoint.folder)


def snapshot(engine: Any, commands: int) -> tuple[ReportRecord, list[int]]:
    report, fired = ReportRecord(), (u64 * max(1, commands))()
    library.runtime().qb_ask_snapshot(engine, ctypes.byref(report), fired)
    return report, list(fired)[:commands]


def write_part(checkpoint: Checkpoint, engine: Any, levels: int) -> dict[str, Any]:
    name = f"L{checkpoint.levels:06}-{checkpoint.mark}.bin"
    checksum, counts = hashlib.blake2b(digest_size=16), []
    with open(checkpoint.folder / f"{name}.tmp", "wb") as file:
        for level in range(checkpoint.levels, levels):
            count, pieces = rows_of(engine, level, checkpoint.words)
            counts.append(count)
            for piece in (*pieces, memoryview(PADDING)[: 4 * (count % 2)]):
                checksum.update(piece)
                file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    os.replace(checkpoint.folder / f"{name}.tmp", checkpoint.folder / name)
    return {"name": name, "first": checkpoint.levels, "counts": counts, "checksum": checksum.hexdigest()}


def write_values(checkpoint: Checkpoint) -> None:
    """The values that were numbered since the last time, before the states that name them are committed."""
    table, first = checkpoint.table, checkpoint.value_count
    if table is None or table.count() == first:
        return
    name, data = f"V{first:010}-{checkpoint.mark}.bin", table.nodes_from(first).tobytes()
    with open(checkpoint.folder / f"{name}.tmp", "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(checkpoint.folder / f"{name}.tmp", checkpoint.folder / name)
    checksum = hashlib.blake2b(data, digest_size=16).hexdigest()
    checkpoint.values.append({"name": name, "first": first, "checksum": checksum})
    checkpoint.value_count = table.count()


def rows_of(engine: Any, level: int, words: int) -> tuple[int, list[memoryview]]:
    """The number of states and the engine's own memory that holds them and their parents."""
    rows, parents = ctypes.POINTER(u64)(), ctypes.POINTER(u32)()
    count = library.runtime().qb_level_rows(engine, level, ctypes.byref(rows), ctypes.byref(parents))
    if count == 0:
        return 0, []
    sizes = ((rows, 8 * words * count), (parents, 4 * count))
    return count, [
        memoryview((ctypes.c_char * n).from_address(ctypes.cast(at, ctypes.c_void_p).value or 0)).cast("B")
        for at, n in sizes
    ]


def commit(checkpoint: Checkpoint, report: ReportRecord, fired: list[int]) -> None:
    told = {
        "format": FORMAT,
        "digest": checkpoint.digest,
        "words": checkpoint.words,
        "byteorder": sys.byteorder,
        "levels": checkpoint.levels,
        "parts": checkpoint.parts,
        "values": checkpoint.values,
        "transitions": report.transitions,
        "errors": report.errors,
        "failure": [report.failure_kind, report.failure_state],
        "fired": fired,
    }
    temporary = checkpoint.folder / f"{RUN_FILE}.tmp"
    with open(temporary, "w", encoding="ascii") as out:
        json.dump({**told, "checksum": checksum_of(told)}, out)
        out.flush()
        os.fsync(out.fileno())
    os.replace(temporary, checkpoint.folder / RUN_FILE)
    sync_directory(checkpoint.folder)
    remove_others(checkpoint.folder, {file["name"] for file in (*checkpoint.parts, *checkpoint.values)})


def checksum_of(told: dict[str, Any]) -> str:
    """Of what run.json tells."""
    return hashlib.blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=16).hexdigest()


def remove_others(folder: Path, named: set[str] | None = None) -> None:
    """Remove the parts that no run needs, which only a run like this can have written; all that are not complete."""
    for file in folder.iterdir():
        is_needed = file.name in named if named is not None else not file.name.endswith(".tmp")
        if OWN.fullmatch(file.name) and not is_needed:
            file.unlink()


def sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def digest_of(*parts: object) -> str:
    """What a run depends on; equal digests mean that one run can go on where another stopped."""
    return hashlib.sha256(repr((library.layouts_text(), FORMAT, *parts)).encode()).hexdigest()
