"""Run a computation in a process of its own, so that it can be ended at any moment.

One operation on large diagrams may take minutes and cannot be interrupted from within.  The child tells its results one
by one, so what it found before it was ended is kept.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorbit.source.frozen import frozen, replace
from quorbit.source.processes import end_with

__all__ = ["CAN_FORK", "Isolated", "Limits", "Send", "run_isolated"]

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Send = Callable[[Any], None]
Work = Callable[[Send], None]
POLL = 0.05  # seconds
IDLE = 5.0  # seconds without any computing, after which a child is given up even on a busy machine
CAN_FORK = hasattr(os, "fork")


@frozen
class Isolated:
    """What a child told, and why it ended: finished, time, memory, interrupted, or the exception it ended with."""

    told: tuple[Any, ...]
    ended: str
    error: BaseException | None = None
    peak: int = 0  # the most memory it was seen to hold, in bytes
    seconds: float = 0.0  # of computing


@frozen
class Limits:
    """When a child is ended.  ``turn``: seconds of computing, so that what else the machine does counts little."""

    seconds: float | None = None
    turn: float | None = None
    memory: int | None = None
    interrupted: Callable[[], bool] | None = None


def run_isolated(work: Work, limits: Limits, told: list[Any] | None = None) -> Isolated:
    """Run work(send) in a child and collect what it sends, in ``told`` for a caller who may be interrupted.
    Requires: CAN_FORK, and results that can be pickled."""
    import multiprocessing

    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=serve, args=(work, sender), daemon=True)
    before = computed_by_children()
    child.start()
    sender.close()
    try:
        ended = collect(receiver, child.pid, limits, [] if told is None else told)
    finally:
        child.kill()
        child.join()
        receiver.close()
    return replace(ended, seconds=computed_by_children() - before)


def computed_by_children() -> float:
    """CPU seconds of the processes this one has waited for."""
    here = os.times()
    return here.children_user + here.children_system


def serve(work: Work, sender: Connection) -> None:
    """The child: results go out as they come; it ends without the parent's clean-up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    end_with(os.getppid())
    try:
        work(lambda result: sender.send(("result", result, peak_memory())))
        sender.send(("finished", None, peak_memory()))
    except BaseException as error:
        with contextlib.suppress(Exception):
            sender.send(("error", portable(error), peak_memory()))
    finally:
        os._exit(0)


def portable(error: BaseException) -> BaseException:
    """An exception that survives the way to the parent; bugs take their traceback with them."""
    if isinstance(error, MemoryError):
        return MemoryError()
    if type(error).__module__.startswith("quorbit.") and type(error).__name__ != "ReplayError":
        return error
    return RuntimeError("".join(traceback.format_exception(error)))


def collect(receiver: Connection, pid: int | None, limits: Limits, told: list[Any]) -> Isolated:
    peak = 0
    began = last_seen = time.monotonic()
    last_busy = 0.0
    while True:
        try:
            if receiver.poll(POLL):
                kind, value, held = receiver.recv()
                peak = max(peak, held)
                if kind == "result":
                    told.append(value)
                    continue
                return Isolated(tuple(told), kind, value, peak)
        except EOFError:
            return Isolated(tuple(told), "error", MemoryError(), peak)  # the system ended it
        peak = max(peak, resident(pid))
        now = time.monotonic()
        if (busy := computed(pid, now)) != last_busy:
            last_busy, last_seen = busy, now
        if now - last_seen > IDLE:
            return Isolated(tuple(told), "error", MemoryError(), peak)  # it waits forever, for what it could not have
        if ended := reason_to_end(limits, pid, now - began):
            return Isolated(tuple(told), ended, None, peak)


def reason_to_end(limits: Limits, pid: int | None, seconds: float) -> str:
    if limits.interrupted is not None and limits.interrupted():
        return "interrupted"
    if limits.seconds is not None and seconds > limits.seconds:
        return "time"
    if limits.turn is not None and seconds > limits.turn and computed(pid, seconds) > limits.turn:
        return "time"
    return "memory" if limits.memory is not None and resident(pid) > limits.memory else ""


def computed(pid: int | None, otherwise: float) -> float:
    """The seconds a process has been computing."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return otherwise


def peak_memory() -> int:
    """The most memory this process held, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def resident(pid: int | None) -> int:
    """The memory a process holds, in bytes; 0 where that is not known."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
