"""Go on from a checkpoint (checkpoint.py): for the same program, plan and start, and only if no file is damaged."""

from __future__ import annotations

import ctypes
import hashlib
import json
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quorbit.machine import library
from quorbit.machine.checkpoint import FORMAT, RUN_FILE, Checkpoint, checksum_of
from quorbit.machine.library import ReportRecord, u32, u64
from quorbit.source.errors import UserError

__all__ = ["resume"]


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
    file = checkpoint.folder / RUN_FILE
    try:
        told = json.loads(file.read_text(encoding="ascii"))
    except FileNotFoundError:
        return None
    except OSError as why:
        raise UserError(None, f"{file} cannot be read: {why.strerror}") from None
    except (ValueError, RecursionError):
        raise UserError(None, f"{file} is damaged: it is not JSON") from None
    if not isinstance(told, dict) or told.pop("checksum", None) != checksum_of(told):
        raise UserError(None, f"{file} is damaged, or another version of this program wrote it: its checksum is wrong")
    wanted = {"format": FORMAT, "byteorder": sys.byteorder, "words": checkpoint.words}
    if any(told.get(key) != value for key, value in wanted.items()):
        raise UserError(None, f"{file} was written by another version of this program or on another machine")
    if told.get("digest") != checkpoint.digest:
        raise UserError(None, f"{file} belongs to another model or to other options; it cannot be resumed")
    return told


def restore_values(checkpoint: Checkpoint, files: list[dict[str, Any]]) -> None:
    for told in files:
        file, nodes = checkpoint.folder / told["name"], array("q")
        try:
            data = file.read_bytes()
        except OSError as why:
            raise UserError(None, f"{file} cannot be read: {why.strerror}") from None
        refuse_damage(file, data, told["checksum"])
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
    file = checkpoint.folder / told["name"]
    try:
        data = bytearray(file.read_bytes())
    except OSError as why:
        raise UserError(None, f"{file} cannot be read: {why.strerror}") from None
    refuse_damage(file, data, told["checksum"])
    at = 0
    for count in told["counts"]:
        rows = (u64 * (checkpoint.words * count)).from_buffer(data, at)
        at += 8 * checkpoint.words * count
        parents = (u32 * count).from_buffer(data, at)
        at += 4 * (count + count % 2)
        yield count, rows, parents


def refuse_damage(file: Path, data: bytes | bytearray, checksum: str) -> None:
    if hashlib.blake2b(data, digest_size=16).hexdigest() != checksum:
        raise UserError(None, f"{file} is damaged: its checksum is wrong")
