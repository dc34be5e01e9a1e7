"""Workers in this process, which answer at once: the driver and its protocol without processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quorbit.engines.cluster.transport import Answer, Call, Lost, WorkerError
from quorbit.engines.cluster.worker import Worker, told


class InProcess:
    batch_bytes = 1 << 12  # many messages

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.there = [Worker() for _ in range(workers)]
        self.dead: set[int] = set()

    def call(self, worker: int, method: str, *args: Any, parcels: int = 0, patience: float = 60.0) -> Call:
        call = Call(worker, method, patience)
        if worker not in self.dead:
            try:
                call.ticket = told(getattr(self.there[worker], method), *args)
            except WorkerError as error:
                call.ticket = error
        return call

    def wait(self, calls: Sequence[Call], seconds: float) -> list[Call]:
        for call in calls:
            if call.worker in self.dead:
                raise Lost(call.worker, "it was lost")
        return list(calls)

    def answer(self, call: Call) -> Answer:
        match call.ticket:
            case WorkerError() as error:
                raise error
            case (result, list(parcels)):
                return Answer(result, parcels)
            case result:
                return Answer(result, [])

    def forget(self) -> None:
        pass

    def lose(self, worker: int) -> None:
        self.dead.add(worker)

    def renew(self, worker: int) -> None:
        self.there[worker].close()
        self.there[worker] = Worker()
        self.dead.discard(worker)

    def close(self) -> None:
        for worker in self.there:
            worker.close()
