"""Copies of complete levels that workers keep for each other, so that one that is lost can be rebuilt without a disk."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING, Any

from quorbit.engines.cluster.totals import Totals

if TYPE_CHECKING:
    from quorbit.engines.cluster.driver import Driver


LONG = 3600.0  # seconds that all states of a worker may be on their way


class Copies:
    """What is copied: the levels of ``owners`` owners, each with the worker after it.  A new generation begins when other
    workers own the states; the last one is kept until it is complete."""

    def __init__(self) -> None:
        self.generation = 0
        self.owners = 0
        self.totals = Totals()

    def make(self, driver: Driver, anew: bool) -> None:
        """Copy the levels that are complete and not copied yet; with ``anew`` all of them."""
        anew = anew or self.owners == 0
        generation = self.generation + anew
        levels = range(0 if anew else self.totals.levels, len(driver.counts))
        owners, workers = driver.owners, driver.transport.workers
        if workers < 2 or not levels:
            return
        handed = [driver.call(k, "hand_over", levels, 0, 0, parcels=1, patience=LONG) for k in range(owners)]
        parcels = [answer.parcels[0] for answer in driver.finish(handed)]
        driver.finish([driver.call((k + 1) % workers, "keep", generation, k, p) for k, p in enumerate(parcels)])
        self.generation, self.owners, self.totals = generation, owners, driver.totals
        if anew:
            driver.finish([driver.call(k, "forget", generation) for k in range(workers)])

    def serves(self, gone: Container[int], driver: Driver) -> bool:
        """Whether the copies that are needed are with workers that are left."""
        workers, same = driver.transport.workers, self.owners == driver.owners
        needed = [k for k in range(self.owners) if k in gone or not same]
        return self.totals.levels > 0 and all((k + 1) % workers not in gone for k in needed)

    def sources(self, driver: Driver, owner: int) -> tuple[list[list[int]], list[Any]]:
        """The parcels with states of an owner, as ``Worker.restore`` takes them."""
        workers = driver.transport.workers
        holders = [owner] if self.owners == driver.owners else list(range(self.owners))
        calls = [
            driver.call((k + 1) % workers, "give_back", self.generation, k, parcels=1, patience=LONG) for k in holders
        ]
        parcels = [answer.parcels[0] for answer in driver.finish(calls)]
        return [list(range(len(parcels)))], parcels
