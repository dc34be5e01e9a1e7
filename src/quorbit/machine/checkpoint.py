"""Checkpoints: after a crash at any moment a run goes on from the last complete level that was committed.

A part file holds the states of some complete levels: for each level its rows, then its parents' numbers.
``run.json`` names the parts with their checksums and says what was known when the last of their levels began.  Parts
are written first, then run.json under another name, then that is renamed: this last step is the commit.  A run is only
resumed for the same program, plan and start.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import sys
import time
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quorbit.machine import library
from quorbit.machine.interned import ValueTable
from quorbit.machine.library import ReportRecord, u32, u64
from quorbit.source.errors import UserError

FORMAT = 2
PADDING = bytes(4)  # after an odd number of parents, so that rows begin at multiples of 8
SECONDS_BETWEEN = 1.0
SHARE_OF_TIME = 0.1  # of the run that may go into checkpoints


@dataclass
class Checkpoint:
    """A directory and what of the run is in it."""

    directory: Path
    digest: str
    words: int
    commands: int
    parts: list[dict[str, Any]] = field(default_factory=list)
    levels: int = 0  # how many are written
    table: ValueTable | None = None  # of the values that states name by their numbers
    values: list[dict[str, Any]] = field(default_factory=list)  # the files that hold them
    value_count: int = 0
    next_time: float = 0.0


def open_checkpoint(
    directory: str, digest: str, words: int, commands: int, table: ValueTable | None = None
) -> Checkpoint:
    path = Path(directory)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as why:
        raise UserError(None, f"cannot write checkpoints to {directory}: {why.strerror}") from None
    return Checkpoint(path, digest, words, commands, next_time=time.monotonic() + SECONDS_BETWEEN, table=table)


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
    if report.levels == checkpoint.levels:
        return
    try:
        checkpoint.parts.append(write_part(checkpoint, engine, report.levels))
        checkpoint.levels = report.levels
        write_values(checkpoint)
        commit(checkpoint, report, fired)
    except OSError as why:
        raise UserError(None, f"cannot write checkpoints to {checkpoint.directory}: {why.strerror}") from None


def snapshot(engine: Any, commands: int) -> tuple[ReportRecord, list[int]]:
    report, fired = ReportRecord(), (u64 * max(1, commands))()
    library.runtime().qb_ask_snapshot(engine, ctypes.byref(report), fired)
    return report, list(fired)[:commands]


def write_part(checkpoint: Checkpoint, engine: Any, levels: int) -> dict[str, Any]:
    name = f"L{checkpoint.levels:06}.bin"
    checksum, counts = hashlib.blake2b(digest_size=16), []
    with open(checkpoint.directory / f"{name}.tmp", "wb") as file:
        for level in range(checkpoint.levels, levels):
            count, pieces = rows_of(engine, level, checkpoint.words)
            counts.append(count)
            for piece in (*pieces, memoryview(PADDING)[: 4 * (count % 2)]):
                checksum.update(piece)
                file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    os.replace(checkpoint.directory / f"{name}.tmp", checkpoint.directory / name)
    return {"name": name, "first": checkpoint.levels, "counts": counts, "checksum": checksum.hexdigest()}


def write_values(checkpoint: Checkpoint) -> None:
    """The values that were numbered since the last time, before the states that name them are committed."""
    table, first = checkpoint.table, checkpoint.value_count
    if table is None or table.count() == first:
        return
    name, data = f"V{first:010}.bin", table.nodes_from(first).tobytes()
    with open(checkpoint.directory / f"{name}.tmp", "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(checkpoint.directory / f"{name}.tmp", checkpoint.directory / name)
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
    temporary = checkpoint.directory / "run.json.tmp"
    with open(temporary, "w", encoding="ascii") as out:
        json.dump(told, out)
        out.flush()
        os.fsync(out.fileno())
    os.replace(temporary, checkpoint.directory / "run.json")
    sync_directory(checkpoint.directory)
    named = {file["name"] for file in (*checkpoint.parts, *checkpoint.values)}
    for file in (*checkpoint.directory.glob("L*.bin*"), *checkpoint.directory.glob("V*.bin*")):
        if file.name not in named:
            file.unlink()


def sync_directory(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# Resuming.


def resume(checkpoint: Checkpoint, engine: Any) -> bool:
    """Take the committed levels back into an engine without states; False if nothing was committed."""
    told = read_run(checkpoint)
    if told is None:
        return False
    restore_values(checkpoint, told.get("values", []))
    for part in told["parts"]:
        restore_part(checkpoint, engine, part, told["levels"])
    report = ReportRecord(transitions=told["transitions"], errors=told["errors"])
    report.failure_kind, report.failure_state = told["failure"]
    fired = (u64 * max(1, checkpoint.commands))(*told["fired"])
    library.runtime().qb_restore_snapshot(engine, ctypes.byref(report), fired)
    checkpoint.parts, checkpoint.levels = told["parts"], told["levels"]
    return True


def read_run(checkpoint: Checkpoint) -> dict[str, Any] | None:
    file = checkpoint.directory / "run.json"
    try:
        told = json.loads(file.read_text(encoding="ascii"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as why:
        raise UserError(None, f"{file} cannot be read: {why}") from None
    wanted = {"format": FORMAT, "byteorder": sys.byteorder, "words": checkpoint.words}
    if not isinstance(told, dict) or any(told.get(key) != value for key, value in wanted.items()):
        raise UserError(None, f"{file} was written by another version of this program or on another machine")
    if told.get("digest") != checkpoint.digest:
        raise UserError(None, f"{file} belongs to another model or to other options; it cannot be resumed")
    return told


def restore_values(checkpoint: Checkpoint, files: list[dict[str, Any]]) -> None:
    for told in files:
        file, nodes = checkpoint.directory / told["name"], array("q")
        try:
            data = file.read_bytes()
        except OSError as why:
            raise UserError(None, f"{file} cannot be read: {why.strerror}") from None
        if hashlib.blake2b(data, digest_size=16).hexdigest() != told["checksum"]:
            raise UserError(None, f"{file} is damaged: its checksum is wrong")
        nodes.frombytes(data)
        if checkpoint.table is None or not checkpoint.table.restore(told["first"], nodes):
            raise UserError(None, f"{file} belongs to another model or to other options; it cannot be resumed")
    if checkpoint.table is not None and files:
        checkpoint.values, checkpoint.value_count = files, checkpoint.table.count()


def restore_part(checkpoint: Checkpoint, engine: Any, part: dict[str, Any], levels: int) -> None:
    """The states of a part, level by level."""
    runtime = library.runtime()
    for level, (count, rows, parents) in enumerate(read_part(checkpoint, part), start=part["first"]):
        if not runtime.qb_restore_rows(engine, rows, parents, count):
            raise UserError(None, "the checkpoint does not fit into memory")
        runtime.qb_restore_level(engine, level == levels - 1)


def read_part(checkpoint: Checkpoint, told: dict[str, Any]) -> Iterator[tuple[int, Any, Any]]:
    file = checkpoint.directory / told["name"]
    try:
        data = bytearray(file.read_bytes())
    except OSError as why:
        raise UserError(None, f"{file} cannot be read: {why.strerror}") from None
    if hashlib.blake2b(data, digest_size=16).hexdigest() != told["checksum"]:
        raise UserError(None, f"{file} is damaged: its checksum is wrong")
    at = 0
    for count in told["counts"]:
        rows = (u64 * (checkpoint.words * count)).from_buffer(data, at)
        at += 8 * checkpoint.words * count
        parents = (u32 * count).from_buffer(data, at)
        at += 4 * (count + count % 2)
        yield count, rows, parents


def digest_of(*parts: object) -> str:
    """What a run depends on; equal digests mean that one run can go on where another stopped."""
    return hashlib.sha256(repr((library.ABI, FORMAT, *parts)).encode()).hexdigest()
