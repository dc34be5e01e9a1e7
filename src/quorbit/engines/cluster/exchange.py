"""The workers expand a level: each its own part, in turns with what the others send it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorbit.engines.cluster.transport import Answer, Call

if TYPE_CHECKING:
    from quorbit.engines.cluster.driver import Driver


SLICE = 0.5  # seconds that a worker expands without a word
MOST_WAITING = 4  # messages for each owner that a worker has not taken yet, before it expands more


def exchange(driver: Driver) -> list[list[int]]:
    """How many messages each owner has got from each; then none is on its way.

    Where states are expanded in part, owners tell whether what they got leads on; then whatever is left of states that
    lead to none of the next level is expanded as well."""
    replies = expand_all(driver, "expand")
    sent = [[len(told) for told in of_owner] for of_owner in replies]
    if driver.job.in_part:
        of_sender = [[replies[k][sender] for k in range(driver.owners)] for sender in range(driver.owners)]
        driver.finish([driver.call(k, "note_open", told) for k, told in enumerate(of_sender)])
        more = expand_all(driver, "expand_rest")
        sent = [[n + len(told) for n, told in zip(*both, strict=True)] for both in zip(sent, more, strict=True)]
    return sent


def expand_all(driver: Driver, method: str) -> list[list[list[bytes]]]:
    """What each owner has answered to each message of each, in their order."""
    owners, transport = driver.owners, driver.transport
    replies: list[list[list[bytes]]] = [[[] for _ in range(owners)] for _ in range(owners)]
    senders: dict[Call, tuple[int, int]] = {}  # of messages on their way: who sent it, and as which
    open_, busy, waiting = set(range(owners)), set[int](), [0] * owners
    calls: set[Call] = set()
    most = transport.batch_bytes * max(1, owners - 1)
    while open_ or calls:
        for k in sorted(open_ - busy):
            if waiting[k] <= MOST_WAITING * owners:
                calls.add(driver.call(k, method, most, SLICE, parcels=owners))
                busy.add(k)
        for call in driver.wait(list(calls)):
            calls.remove(call)
            answer = driver.answer(call)
            if call.method == "take":
                waiting[call.worker] -= 1
                sender, number = senders.pop(call)
                replies[call.worker][sender][number] = answer.result
                continue
            busy.remove(call.worker)
            if note(driver, call.worker, answer) == 0:
                open_.remove(call.worker)
            for k, size in enumerate(answer.result.sizes):
                if size:
                    taking = driver.call(k, "take", answer.parcels[k])
                    calls.add(taking)
                    senders[taking] = call.worker, len(replies[k][call.worker])
                    replies[k][call.worker].append(b"")
                    waiting[k] += 1
    return replies


def note(driver: Driver, worker: int, answer: Answer) -> int:
    """Keep what is told of one expansion; how many states are left."""
    expanded = answer.result
    driver.states_of[worker], driver.bytes_of[worker] = expanded.states, expanded.bytes
    driver.sent_bytes += sum(expanded.sizes)
    left: int = expanded.left
    return left
