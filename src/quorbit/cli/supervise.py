"""A child does the work; this process sees to it that there is an answer, whatever becomes of the child.

A library may crash, the system may end a process that takes all memory, and a computation in C may hold up every
signal until long after the time limit.  The child tells its exit code when it has answered; without that word its death
is answered here, with ``unknown``.  Exit code 1 says that a property fails, so only a child that said so may end with
it.  Signals that reach this process are passed on.

What the child tells, line by line: ``limit SECONDS LEFT`` when a time limit begins, ``stopping`` when it is asked to
stop and gathers what it knows, ``answering`` when the answer is known, ``writing`` when it is being written,
``code NUMBER`` at the end; anything else is the report of a crash (faulthandler).
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any

from quorbit.cli.unknown import internal_error, print_unknown
from quorbit.source.limits import time_reached
from quorbit.source.processes import age_of, end_with

__all__ = ["begin_answer", "tell"]

UNKNOWN = 3
PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
SLACK, SHARE = 0.7, 0.04  # seconds after the time limit, and part of it, in which the child can still answer
STOPPING = 3.0  # further seconds, if it says that it is about to: on a busy machine that may take long
_told: list[int] = []  # in a child: where it tells how far it is


def supervise(work: Callable[[], int], given: list[str]) -> int:
    """The exit code of the work, done in a child where there can be one."""
    if not hasattr(os, "fork"):
        return work()
    parent, ends = os.getpid(), []
    try:
        ends = [*os.pipe(), *os.pipe()]
        reader, writer, wake, woken = ends
        note_signals(woken)
        child = os.fork()
    except OSError:  # no more processes or files
        forget_signals(signal.default_int_handler)
        for end in ends:
            os.close(end)
        return work()
    if child == 0:
        os.close(reader)
        os._exit(serve(work, writer, parent))
    os.close(writer)
    return Watch(child, reader, wake, "--json" in given).outcome()


# The child.


def serve(work: Callable[[], int], writer: int, parent: int) -> int:
    """Requires: this is the child."""
    try:
        _told.append(writer)
        forget_signals(signal.SIG_DFL)  # Python may lose an exception where it imports
        end_with(parent)
        import faulthandler

        faulthandler.enable(writer, all_threads=True)
        code = work()
        tell(f"code {code}")
    except BaseException as error:  # even the answer that says so failed
        tell(f"{type(error).__name__}: {error}")
        return UNKNOWN
    return code


def is_supervised() -> bool:
    return bool(_told)


def seconds_spent() -> float:
    """Since the user started the program; 0 where nobody watches, for then this process may have lived before."""
    return age_of(os.getppid()) if _told else 0.0


def begin_answer() -> None:
    """Nothing tears apart what is written from now on; requires that little is written."""
    if _told:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        tell("answering")
        tell("writing")


def tell(line: str) -> None:
    """Tell the process that watches this one, if one does."""
    if _told:
        try:
            os.write(_told[0], f"{line}\n".encode())
        except OSError:  # it is gone
            _told.clear()


# The one that watches.


def note_signals(woken: int) -> None:
    """From now on signals are noted in a pipe."""
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    for name in (*PASSED_ON, "SIGCHLD"):
        signal.signal(getattr(signal, name), lambda number, frame: None)
    admit_interrupts()


def admit_interrupts() -> None:
    """Whoever starts this program may hold Ctrl-C up until it can be answered (bin/quorbit)."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def forget_signals(on_interrupt: signal.Handlers | Callable[[int, FrameType | None], Any]) -> None:
    """As if nobody had asked for signals.  The pipe is left last: a child shares it with the process that watches, so
    a signal that comes before it is answered here is noted there, and passed on once more."""
    for name in (*PASSED_ON, "SIGCHLD"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    signal.signal(signal.SIGINT, on_interrupt)
    signal.set_wakeup_fd(-1)
    admit_interrupts()


class Watch:
    """What is known of the child."""

    def __init__(self, child: int, reader: int, wake: int, as_json: bool) -> None:
        self.child, self.reader, self.wake, self.as_json = child, reader, wake, as_json
        self.read = b""
        self.deadline: float | None = None
        self.limit = ""
        self.is_stopping = False

    def outcome(self) -> int:
        status = self.wait()
        self.receive()
        code = os.waitstatus_to_exitcode(status)
        lines = self.lines()
        if f"code {code}" in lines:
            return code
        if "writing" in lines:  # nobody knows how much of the answer was read
            return UNKNOWN
        return self.answer(self.explain(code, lines))

    def wait(self) -> int:
        """The status of the child when it has ended; it is killed once the time is up."""
        sources = [self.reader, self.wake]
        while True:
            ended, status = os.waitpid(self.child, os.WNOHANG)
            if ended:
                return status
            left = None if self.deadline is None else max(0.0, self.deadline - time.monotonic())
            ready = select.select(sources, [], [], left)[0]
            if self.wake in ready:
                self.pass_on(os.read(self.wake, 64))
            if self.reader in ready and not self.receive():
                sources.remove(self.reader)
            if left == 0.0 and self.deadline is not None and time.monotonic() >= self.deadline:
                os.kill(self.child, signal.SIGKILL)
                self.deadline = None

    def pass_on(self, numbers: bytes) -> None:
        for number in numbers:
            if number != signal.SIGCHLD:
                os.kill(self.child, number)

    def receive(self) -> bool:
        """Read what the child has told; False at the end of it."""
        os.set_blocking(self.reader, False)
        try:
            more = os.read(self.reader, 65536)
        except BlockingIOError:
            return True
        self.read += more
        for line in self.lines():
            word, _, rest = line.partition(" ")
            if word == "limit" and not self.limit:
                self.limit, _, left = rest.partition(" ")
                self.deadline = time.monotonic() + float(left) + float(self.limit) * SHARE + SLACK
            elif word == "stopping" and self.deadline is not None and not self.is_stopping:
                self.deadline, self.is_stopping = self.deadline + STOPPING, True
            elif word == "answering":
                self.deadline = None
        return bool(more)

    def lines(self) -> list[str]:
        return self.read.decode(errors="replace").splitlines()

    def explain(self, code: int, lines: list[str]) -> str:
        """Why the child has ended without an answer."""
        if -code in (signal.SIGTERM, signal.SIGHUP):
            return "terminated"
        if -code == signal.SIGINT:
            return "interrupted"
        if code == -signal.SIGKILL and self.limit:
            return time_reached(float(self.limit))
        if "KeyboardInterrupt: " in lines:
            return "interrupted"
        if any(line.startswith("MemoryError") for line in lines):
            return "out of memory"
        if code == -signal.SIGKILL:
            return "the process was killed, probably because the system ran out of memory or time"
        how = f"exit code {code}" if code >= 0 else signal.strsignal(-code) or f"signal {-code}"
        return internal_error(f"the process ended with: {how}", "\n".join(lines))

    def answer(self, reason: str) -> int:
        with suppress(OSError, ValueError, AttributeError):  # nobody reads on
            print_unknown(reason, self.as_json)
            sys.stdout.flush()
        return UNKNOWN
