"""Workers as processes on this machine, each on a socket of its own; what they send passes through the driver.

The driver never blocks on one worker: it writes what a socket takes and reads what it has, so that a worker that writes
a long answer while a long call is written to it cannot hold up anything.
"""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from quorbit.engines.cluster.frames import Frame, frame_parts, read_frame
from quorbit.engines.cluster.transport import Answer, Call, Lost, WorkerError

BATCH = 1 << 20  # bytes: a message is read while it is in the caches
CHUNK = 1 << 20  # bytes written at once
NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)  # a worker that died must not end a driver that does not ignore SIGPIPE
START = (sys.executable, "-P" if sys.version_info >= (3, 11) else "-s", "-m", "quorbit.engines.cluster.pipe_worker")


class Connection:
    """One worker's process and what is on its way to and from it."""

    def __init__(self, worker: int) -> None:
        self.worker = worker
        here, there = socket.socketpair()
        with there:
            self.process = subprocess.Popen(
                [*START, str(there.fileno()), str(os.getpid())],
                pass_fds=[there.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        here.setblocking(False)
        self.socket = here
        self.writing: deque[memoryview] = deque()
        self.frame: Frame = read_frame()
        self.view = next(self.frame)
        self.waiting: dict[int, Call] = {}
        self.answered: dict[int, Any] = {}
        self.heard = time.monotonic()

    def write(self) -> None:
        while self.writing:
            part = self.writing[0]
            written = self.socket.send(part[:CHUNK], NO_SIGNAL)
            self.writing[0] = part[written:]
            if not len(self.writing[0]):
                self.writing.popleft()

    def read(self) -> None:
        while True:
            got = self.socket.recv_into(self.view)
            if got == 0:
                raise EOFError
            self.heard = time.monotonic()
            self.view = self.view[got:]
            if len(self.view) == 0:
                self.advance()

    def advance(self) -> None:
        try:
            self.view = next(self.frame)
        except StopIteration as end:
            number, *answer = end.value
            if self.waiting.pop(number, None) is not None:
                self.answered[number] = answer
            self.frame = read_frame()
            self.view = next(self.frame)

    def patience(self) -> float:
        return max((call.patience for call in self.waiting.values()), default=float("inf"))

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.socket.close()


class Pipes:
    """The workers of one search."""

    batch_bytes = BATCH

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.number = 0
        self.connections: list[Connection] = []
        try:
            for k in range(workers):
                self.connections.append(Connection(k))
        except OSError:
            self.close()
            raise

    def call(self, worker: int, method: str, *args: Any, parcels: int = 0, patience: float = 60.0) -> Call:
        connection = self.connections[worker]
        self.number += 1
        call = Call(worker, method, patience, self.number)
        if not connection.waiting:
            connection.heard = time.monotonic()
        connection.waiting[self.number] = call
        connection.writing.extend(frame_parts((self.number, method, args)))
        return call

    def wait(self, calls: Sequence[Call], seconds: float) -> list[Call]:
        self.pump(0.0)
        if not (done := self.done(calls)):
            self.pump(seconds)
            done = self.done(calls)
        return done

    def done(self, calls: Sequence[Call]) -> list[Call]:
        return [call for call in calls if call.ticket in self.connections[call.worker].answered]

    def pump(self, seconds: float) -> None:
        """Write and read what is possible now; wait so long if nothing is."""
        with selectors.DefaultSelector() as selector:
            for connection in self.connections:
                events = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.writing else 0)
                selector.register(connection.socket, events, connection)
            for key, events in selector.select(seconds):
                self.serve(key.data, events)
        now = time.monotonic()
        for connection in self.connections:
            if now - connection.heard > connection.patience():
                raise Lost(connection.worker, f"it has not answered for {connection.patience():g} s")

    def serve(self, connection: Connection, events: int) -> None:
        try:
            with suppress(BlockingIOError):
                if events & selectors.EVENT_READ:
                    connection.read()
            with suppress(BlockingIOError):
                if events & selectors.EVENT_WRITE:
                    connection.write()
        except (EOFError, OSError):
            raise Lost(connection.worker, "its process has died") from None

    def answer(self, call: Call) -> Answer:
        is_good, value = self.connections[call.worker].answered.pop(call.ticket)
        if not is_good:
            assert isinstance(value, WorkerError)
            raise value
        match value:
            case (result, list(parcels)):
                return Answer(result, parcels)
            case result:
                return Answer(result, [])

    def forget(self) -> None:
        for connection in self.connections:
            connection.waiting.clear()
            connection.answered.clear()

    def renew(self, worker: int) -> None:
        self.connections[worker].end()
        self.connections[worker] = Connection(worker)

    def close(self) -> None:
        for connection in self.connections:
            connection.end()
        self.connections = []
