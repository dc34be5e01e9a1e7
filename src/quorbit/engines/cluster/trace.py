"""The way to a failing state: no worker has kept it, so the levels are expanded again, from the last to the first.

Of all states of a level that lead on, the least is taken in an order that no process decides: the same way, however many
workers there are.
"""

from __future__ import annotations

from array import array

from quorbit.engines.cluster.driver import Driver
from quorbit.engines.cluster.totals import Failure
from quorbit.engines.replay import ReplayError
from quorbit.machine.path import Path


def find_path(driver: Driver, failure: Failure) -> Path:
    """The states from an initial one to that of the failure."""
    states = [failure.state]
    for level in reversed(range(failure.level)):
        states.append(find_predecessor(driver, level, states[-1]))
    words = [word for state in reversed(states) for word in driver.own.read_state(state)]
    return Path(array("Q", words), driver.own.run.layout.words)


def find_predecessor(driver: Driver, level: int, target: bytes) -> bytes:
    """The least state of a level that leads to another."""
    found, waiting = list[bytes](), dict.fromkeys(range(driver.owners), (0, b""))
    while waiting:
        calls = [driver.call(k, "predecessor", level, target, at, best) for k, (at, best) in waiting.items()]
        for k, answer in zip(list(waiting), driver.finish(calls), strict=True):
            at, best = waiting[k] = answer.result
            if at < 0:
                del waiting[k]
                found += [best] if best else []
    if not found:
        raise ReplayError(f"no state of level {level} leads to the failing state")
    least = found[0]
    for state in found[1:]:
        least = state if driver.own.is_before(state, least) else least
    return least
