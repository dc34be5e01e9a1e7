"""Paths that a search has found, as the states are stored."""

from __future__ import annotations

import ctypes
from array import array

from quorbit.machine import library
from quorbit.machine.compile.packing import StateLayout, unpack_state
from quorbit.machine.library import u64
from quorbit.machine.run import SLICE, Run
from quorbit.model.system.system import State
from quorbit.source.frozen import frozen

__all__ = ["Path"]


@frozen
class Path:
    """The words of states one after the other."""

    words: array[int]
    width: int

    def __len__(self) -> int:
        return len(self.words) // self.width

    def state(self, layout: StateLayout, k: int) -> State:
        return unpack_state(layout, self.words[k * self.width : (k + 1) * self.width])

    def states(self, layout: StateLayout) -> list[State]:
        return [self.state(layout, k) for k in range(len(self))]


def path_in_memory(run: Run, state: int) -> Path:
    """The states from an initial one to this one."""
    runtime, width = library.runtime(), run.layout.words
    if run.options.no_parents:
        return path_by_levels(run, state)
    count = runtime.qb_path(run.engine, state, None, 0)
    words = array("Q", bytes(8 * width * count))
    runtime.qb_path(run.engine, state, (u64 * len(words)).from_buffer(words), count)
    return Path(words, width)


def path_by_levels(run: Run, state: int) -> Path:
    """The same where no parents are kept: one level after the other is expanded again."""
    runtime, width = library.runtime(), run.layout.words
    target = (u64 * width)()
    runtime.qb_state(run.engine, state, target)
    rows = [list(target)]
    for level in range(runtime.qb_level_of(run.engine, state) - 1, -1, -1):
        at, status = u64(0), library.RUNNING
        while status == library.RUNNING:
            status = runtime.qb_find_parent(run.engine, level, target, ctypes.byref(at), SLICE)
        if status != library.DONE:
            raise AssertionError("a state that was found has no predecessor")
        runtime.qb_state(run.engine, at.value, target)
        rows.append(list(target))
    return Path(array("Q", (word for row in reversed(rows) for word in row)), width)
