"""Checkpoints of a shared search: complete levels in files on a disk that all workers see.

Every worker writes its states of some levels to a file of its own; ``run.json`` names the files and says what was known
after the last of their levels.  It is written under another name and renamed when all of them are complete: that is the
commit.  A run goes on from it with any number of workers: each takes its own states out of all files.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from quorbit.engines.cluster.totals import Failure, Totals
from quorbit.machine.checkpoint import SECONDS_BETWEEN, SHARE_OF_TIME, checksum_of, sync_directory
from quorbit.source.errors import UserError
from quorbit.source.frozen import mutable

FORMAT = 2
FOLDER, RUN_FILE, LOCK_FILE = "quorbit-cluster", "run.json", "lock"
OWN = re.compile(r"L[0-9]{6,10}-[0-9]{4}-of-[0-9]{4}-[0-9a-f]{8}[.](bin|tmp)")


@mutable
class LevelFiles:
    """A folder and what of the run is in it."""

    folder: Path
    digest: str
    lock: int  # the handle of the file that is locked
    mark: str  # in the names of this run's files
    parts: list[dict[str, Any]]  # of each: how many owners, the levels, the names of the files
    totals: Totals = Totals()
    counts: tuple[int, ...] = ()  # states on each level
    next_time: float = 0.0
    problem: str = ""  # why there are no more checkpoints

    def close(self) -> None:
        os.close(self.lock)


def open_files(directory: str, digest: str) -> LevelFiles:
    folder = Path(directory).resolve() / FOLDER
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
    return LevelFiles(folder, digest, lock, os.urandom(4).hex(), [], next_time=time.monotonic() + SECONDS_BETWEEN)


def due(files: LevelFiles) -> bool:
    return not files.problem and time.monotonic() >= files.next_time


def file_name(files: LevelFiles, owner: int, owners: int) -> str:
    return f"L{files.totals.levels:06}-{owner:04}-of-{owners:04}-{files.mark}.bin"


def commit(files: LevelFiles, names: list[str], totals: Totals, counts: list[int], began: float) -> None:
    """The files are complete: from now on a run goes on from these levels; raises OSError."""
    parts = [*files.parts, {"owners": len(names), "first": files.totals.levels, "end": totals.levels, "files": names}]
    write_run(files, parts, totals, counts)
    files.parts, files.totals, files.counts = parts, totals, tuple(counts)
    files.next_time = time.monotonic() + max(SECONDS_BETWEEN, (time.monotonic() - began) / SHARE_OF_TIME)


def write_run(files: LevelFiles, parts: list[dict[str, Any]], totals: Totals, counts: list[int]) -> None:
    failure = totals.failure
    told = {
        "format": FORMAT,
        "digest": files.digest,
        "parts": parts,
        "counts": counts,
        "transitions": totals.transitions,
        "errors": totals.errors,
        "partly": totals.partly,
        "fired": list(totals.fired),
        "failure": None if failure is None else [failure.kind, failure.level, failure.state.hex()],
    }
    temporary = files.folder / f"{RUN_FILE}.tmp"
    with open(temporary, "w", encoding="ascii") as out:
        json.dump({**told, "checksum": checksum_of(told)}, out)
        out.flush()
        os.fsync(out.fileno())
    os.replace(temporary, files.folder / RUN_FILE)
    sync_directory(files.folder)
    remove_others(files.folder, {name for part in parts for name in part["files"]})


def remove_others(folder: Path, named: set[str]) -> None:
    """Files that no run needs, which only a run like this can have written."""
    for file in folder.iterdir():
        if OWN.fullmatch(file.name) and file.name not in named:
            with suppress(OSError):
                file.unlink()


def read_run(files: LevelFiles) -> bool:
    """Learn what an earlier run has committed; False if that is nothing."""
    file = files.folder / RUN_FILE
    try:
        told = json.loads(file.read_text(encoding="ascii"))
    except FileNotFoundError:
        return False
    except OSError as why:
        raise UserError(None, f"{file} cannot be read: {why.strerror}") from None
    except (ValueError, RecursionError):
        raise UserError(None, f"{file} is damaged: it is not JSON") from None
    if not isinstance(told, dict) or told.pop("checksum", None) != checksum_of(told):
        raise UserError(None, f"{file} is damaged, or another version of this program wrote it: its checksum is wrong")
    if told["format"] != FORMAT:
        raise UserError(None, f"{file} was written by another version of this program")
    if told["digest"] != files.digest:
        raise UserError(None, f"{file} belongs to another model or to other options; it cannot be resumed")
    for name in (name for part in told["parts"] for name in part["files"]):
        if not (files.folder / name).is_file():
            raise UserError(None, f"{files.folder / name} is missing; the run cannot be resumed")
    failure = None
    if told["failure"] is not None:
        kind, level, state = told["failure"]
        failure = Failure(kind, level, bytes.fromhex(state))
    counts = told["counts"]
    fired, partly = tuple(told["fired"]), told["partly"]
    files.totals = Totals(len(counts), sum(counts), told["transitions"], told["errors"], fired, failure, partly)
    files.parts, files.counts = told["parts"], tuple(counts)
    return True


def sources_for(files: LevelFiles, owner: int, owners: int) -> list[list[str]]:
    """Of each part the files that have states of an owner."""
    return [
        [str(files.folder / name) for k, name in enumerate(part["files"]) if part["owners"] != owners or k == owner]
        for part in files.parts
    ]
