"""What carries calls to workers and their answers back: pipes on one machine (pipes.py), Ray on many (ray_actors.py).

A call names a method of ``Worker`` (worker.py).  Calls to one worker are done in their order; answers come in any.  A method
that makes parcels for others answers with them behind its result: the driver gets a handle for each, which it can pass on
to another call, so that what is in them goes from worker to worker where the transport can do that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from quorbit.source.frozen import distinct


class Lost(Exception):
    """A worker has died, or does not answer."""

    def __init__(self, worker: int, reason: str) -> None:
        super().__init__(worker, reason)
        self.worker, self.reason = worker, reason


class WorkerError(Exception):
    """What went wrong in a worker, in words; a bug of ours unless ``kind`` says otherwise."""

    def __init__(self, kind: str, text: str, number: int = 0) -> None:
        super().__init__(kind, text, number)
        self.kind, self.text, self.number = kind, text, number


@distinct
class Call:
    """A call under way.  ``patience``: seconds after which a worker that says nothing is taken for dead."""

    worker: int
    method: str
    patience: float
    ticket: Any = None  # by which the transport knows it


@distinct
class Answer:
    """The result of a call and the handles of the parcels behind it."""

    result: Any
    parcels: list[Any]


class Transport(Protocol):
    workers: int
    batch_bytes: int  # of one message, about

    def call(self, worker: int, method: str, *args: Any, parcels: int = 0, patience: float = 60.0) -> Call: ...

    def wait(self, calls: Sequence[Call], seconds: float) -> list[Call]:
        """Those of the calls that are answered, after so many seconds at most; raises ``Lost``."""

    def answer(self, call: Call) -> Answer:
        """Requires that it is answered; raises ``WorkerError``."""

    def forget(self) -> None:
        """Nobody waits any more for what was called; it may still be done."""

    def renew(self, worker: int) -> None:
        """Another process in the place of one that is gone or has to go; what it was asked is forgotten."""

    def close(self) -> None: ...
