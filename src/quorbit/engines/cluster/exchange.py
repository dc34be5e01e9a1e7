"""The workers expand a level: each its own part, in turns with what the others send it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorbit.engines.cluster.transport import Answer, Call

if TYPE_CHECKING:
    from quorbit.engines.cluster.driver import Driver


SLICE = 0.5  # seconds that a worker expands without a word
MOST_WAITING = 4  # messages for each owner that a worker has not taken yet, before it expands more


def exchange(driver: Driver) -> list[list[int]]:
    """How many messages each owner has got from each; then none is on its way."""
    owners, transport = driver.owners, driver.transport
    sent = [[0] * owners for _ in range(owners)]
    open_, busy, waiting = set(range(owners)), set[int](), [0] * owners
    calls: set[Call] = set()
    most = transport.batch_bytes * max(1, owners - 1)
    while open_ or calls:
        for k in sorted(open_ - busy):
            if waiting[k] <= MOST_WAITING * owners:
                calls.add(driver.call(k, "expand", most, SLICE, parcels=owners))
                busy.add(k)
        for call in driver.wait(list(calls)):
            calls.remove(call)
            answer = driver.answer(call)
            if call.method == "take":
                waiting[call.worker] -= 1
                continue
            busy.remove(call.worker)
            if note(driver, call.worker, answer) == 0:
                open_.remove(call.worker)
            for k, size in enumerate(answer.result.sizes):
                if size:
                    calls.add(driver.call(k, "take", answer.parcels[k]))
                    sent[k][call.worker] += 1
                    waiting[k] += 1
    return sent


def note(driver: Driver, worker: int, answer: Answer) -> int:
    """Keep what is told of one expansion; how many states are left."""
    expanded = answer.result
    driver.states_of[worker], driver.bytes_of[worker] = expanded.states, expanded.bytes
    driver.sent_bytes += sum(expanded.sizes)
    left: int = expanded.left
    return left
