"""Run a computation in a process of its own, so that it can be ended at any moment.

One operation on large diagrams may take minutes and cannot be interrupted from within.  The child tells its results one
by one, so what it found before it was ended is kept.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from quorbit.source.frozen import frozen, replace
from quorbit.source.processes import end_with

__all__ = ["CAN_FORK", "Isolated", "Limits", "Send", "run_isolated"]

Send = Callable[[Any], None]
Work = Callable[[Send], None]
POLL = 50  # milliseconds
IDLE = 5.0  # seconds without any computing, after which a child is given up even on a busy machine
MOST_GRANTED = 4.0  # times what a child has computed until its last result
SIZE = 8  # bytes that say how long a message is
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
    """When a child is ended.  ``turn``: seconds of computing, so that what else the machine does counts little;
    ``more``: of these, for each result it told, but in all no more than some times what it took to tell them: what is
    answered at once says little of what is not."""

    seconds: float | None = None
    turn: float | None = None
    memory: int | None = None
    interrupted: Callable[[], bool] | None = None
    more: float = 0.0


def run_isolated(work: Work, limits: Limits, told: list[Any] | None = None) -> Isolated:
    """Run work(send) in a child and collect what it sends, in ``told`` for a caller who may be interrupted.
    Requires: CAN_FORK, and results that can be pickled."""
    before, parent = computed_by_children(), os.getpid()
    receiver, sender = os.pipe()  # and not multiprocessing, which takes longer to load than a small circuit to answer
    try:
        child = os.fork()
        if child == 0:
            serve(work, sender, parent)
    except OSError:
        os.close(receiver)
        raise
    finally:
        os.close(sender)
    try:
        ended = collect(receiver, child, limits, [] if told is None else told)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(receiver)
    return replace(ended, seconds=computed_by_children() - before)


def computed_by_children() -> float:
    """CPU seconds of the processes this one has waited for."""
    here = os.times()
    return here.children_user + here.children_system


def serve(work: Work, sender: int, parent: int) -> NoReturn:
    """The child: results go out as they come; it ends without the parent's clean-up."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
        end_with(parent)
        gc.freeze()  # to look for garbage among what the parent holds would copy all of it, at any moment
        work(lambda result: write_message(sender, "result", result))
        write_message(sender, "finished", None)
    except BaseException as error:
        with contextlib.suppress(Exception):
            write_message(sender, "error", portable(error))
    finally:
        os._exit(0)


def write_message(sender: int, kind: str, value: Any) -> None:
    message = pickle.dumps((kind, value, peak_memory()), pickle.HIGHEST_PROTOCOL)
    rest = memoryview(len(message).to_bytes(SIZE, "big") + message)
    while rest:
        rest = rest[os.write(sender, rest) :]


def read_message(receiver: int) -> Any:
    """The next message.  Raises EOFError if the child ended before it was complete."""
    return pickle.loads(read_all(receiver, int.from_bytes(read_all(receiver, SIZE), "big")))


def read_all(receiver: int, size: int) -> bytes:
    found = bytearray()
    while len(found) < size:
        if not (more := os.read(receiver, size - len(found))):
            raise EOFError
        found += more
    return bytes(found)


def portable(error: BaseException) -> BaseException:
    """An exception that survives the way to the parent; bugs take their traceback with them."""
    if isinstance(error, MemoryError):
        return MemoryError()
    if type(error).__module__.startswith("quorbit.") and type(error).__name__ != "ReplayError" and arrives(error):
        return error
    return RuntimeError("".join(traceback.format_exception(error)))


def arrives(error: BaseException) -> bool:
    """Whether pickle can make an exception again from what it was made of."""
    try:
        pickle.loads(pickle.dumps(error, pickle.HIGHEST_PROTOCOL))
    except Exception:
        return False
    return True


def collect(receiver: int, pid: int, limits: Limits, told: list[Any]) -> Isolated:
    peak = 0
    ready = select.poll()
    ready.register(receiver, select.POLLIN)
    began = last_seen = time.monotonic()
    last_busy = granted = 0.0
    while True:
        try:
            if ready.poll(POLL):
                kind, value, held = read_message(receiver)
                peak = max(peak, held)
                if kind == "result":
                    told.append(value)
                    granted = min(granted + limits.more, MOST_GRANTED * computed(pid, time.monotonic() - began))
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
        if ended := reason_to_end(limits, pid, now - began, granted):
            return Isolated(tuple(told), ended, None, peak)


def reason_to_end(limits: Limits, pid: int, seconds: float, granted: float) -> str:
    if limits.interrupted is not None and limits.interrupted():
        return "interrupted"
    if limits.seconds is not None and seconds > limits.seconds:
        return "time"
    turn = None if limits.turn is None else limits.turn + granted
    if turn is not None and seconds > turn and computed(pid, seconds) > turn:
        return "time"
    return "memory" if limits.memory is not None and resident(pid) > limits.memory else ""


def computed(pid: int, otherwise: float) -> float:
    """The seconds that a process, and those it has waited for, have been computing."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return otherwise


def peak_memory() -> int:
    """The most memory this process held, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def resident(pid: int) -> int:
    """The memory a process holds, in bytes; 0 where that is not known."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
