"""Searches whose states are on disk: the same slices, with another place for the states (runtime/spill.h)."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from quorbit.machine import library
from quorbit.machine.library import ReportRecord
from quorbit.source.errors import UserError

__all__ = ["opened_spill"]

SMALL_MEMORY = 256 << 20  # bytes; below, more and smaller buckets
BUCKETS, MANY_BUCKETS = 64, 128


@contextmanager
def opened_spill(engine: Any, directory: str, memory: int | None) -> Iterator[Any]:
    """Files in a directory of their own, which is removed at the end."""
    import shutil  # here, for few searches are on disk
    import tempfile

    buckets = MANY_BUCKETS if memory is not None and memory < SMALL_MEMORY else BUCKETS
    try:
        os.makedirs(directory, exist_ok=True)
        own = tempfile.mkdtemp(prefix="spill-", dir=directory)
    except OSError as why:
        raise UserError(None, f"cannot write states to {directory}: {why.strerror}") from None
    spill = library.runtime().qb_spill_open(engine, os.fsencode(own), buckets)
    try:
        if not spill:
            raise UserError(None, f"cannot search on disk in {directory}: not enough memory, or no files can be opened")
        yield spill
    finally:
        library.runtime().qb_spill_close(spill)
        shutil.rmtree(own, ignore_errors=True)


def refusal_of_disk(spill: Any, directory: str | None) -> str:
    """Why the search cannot go on."""
    why = os.strerror(library.runtime().qb_spill_error(spill))
    return f"the states cannot be kept in {directory}: {why}"


def path_on_disk(spill: Any, report: ReportRecord, words: int) -> list[list[int]]:
    """The words of the states from an initial one to that of the failure, found level by level backwards."""
    runtime = library.runtime()
    target = (ctypes.c_uint64 * words)()
    runtime.qb_spill_failure(spill, target)
    path = [list(target)]
    for level in range(report.failure_state - 1, -1, -1):  # on disk it is the number of the level
        if not runtime.qb_spill_predecessor(spill, level, target):
            raise AssertionError("a state on disk has no predecessor")
        path.append(list(target))
    return path[::-1]
