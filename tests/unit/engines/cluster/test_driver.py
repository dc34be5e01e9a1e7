"""The driver with workers in this process: when it spreads, what it rolls back, which failure it tells."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from tests.agree.cluster_cases import MUTEX, ROOT, mutex_states, prepared
from tests.agree.in_process import InProcess

from quorbit.engines.cluster.driver import Settings
from quorbit.engines.cluster.explore import explore
from quorbit.engines.cluster.parcel import Parcel
from quorbit.engines.cluster.transport import Call
from quorbit.engines.explicit.explore import explore as explore_in_one
from quorbit.machine.options import SearchOptions
from quorbit.result.outcome import Verdict

OPTIONS = SearchOptions(native=False)
SIZE = 7


class Unlucky(InProcess):
    """Loses a worker at random moments, so many times."""

    def __init__(self, workers: int, seed: int, losses: int) -> None:
        super().__init__(workers)
        self.chance, self.losses = random.Random(seed), losses
        self.called: list[str] = []

    def call(self, worker: int, method: str, *args: Any, parcels: int = 0, patience: float = 60.0) -> Call:
        self.called.append(method)
        if self.losses and self.chance.random() < 0.01:
            self.losses -= 1
            self.lose(self.chance.randrange(self.workers))
        return super().call(worker, method, *args, parcels=parcels, patience=patience)


@pytest.mark.parametrize("keeps", ["files", "copies", "nothing"])
def test_workers_lost_at_random_moments_cost_no_state(keeps: str, tmp_path: Path) -> None:
    file = tmp_path / "mutex.edges"
    file.write_text(MUTEX.format(n=SIZE), encoding="ascii")
    found = prepared(file, "off")
    assert found is not None
    system, lost = found[0], 0
    for seed in range(12):
        transport = Unlucky(3, seed, losses=2)
        directory = str(tmp_path / str(seed)) if keeps == "files" else None
        options = SearchOptions(native=False, checkpoint=directory)
        settings = Settings(alone=[0, 3, 30][seed % 3], replicas=int(keeps == "copies"))
        outcome = explore(system, system.properties, None, options, transport=transport, settings=settings)
        transport.close()
        assert (outcome.verdict, outcome.statistics.states) == (Verdict.HOLDS, mutex_states(SIZE)), outcome.message
        lost += "was lost" in outcome.message
    assert lost > 3


class Garbled(InProcess):
    """The fifth message is damaged on its way."""

    left = 5

    def call(self, worker: int, method: str, *args: Any, parcels: int = 0, patience: float = 60.0) -> Call:
        if method == "take":
            self.left -= 1
            if self.left == 0:
                data = bytearray(args[0].data)
                data[-1] ^= 1
                args = (Parcel(bytes(data)),)
        return super().call(worker, method, *args, parcels=parcels, patience=patience)


def test_a_damaged_message_costs_a_level(tmp_path: Path) -> None:
    file = tmp_path / "mutex.edges"
    file.write_text(MUTEX.format(n=SIZE), encoding="ascii")
    found = prepared(file, "off")
    assert found is not None
    transport = Garbled(2)
    outcome = explore(found[0], found[0].properties, None, OPTIONS, transport=transport, settings=Settings(alone=0))
    transport.close()
    assert (outcome.verdict, outcome.statistics.states) == (Verdict.HOLDS, mutex_states(SIZE))
    assert outcome.message.startswith("level ")
    assert "was expanded again: a message was damaged" in outcome.message


def test_one_worker_goes_alone_until_there_is_more_to_do(tmp_path: Path) -> None:
    file = tmp_path / "mutex.edges"
    file.write_text(MUTEX.format(n=SIZE), encoding="ascii")
    found = prepared(file, "off")
    assert found is not None
    for alone, is_shared in ((10**6, False), (20, True)):
        transport = Unlucky(2, 0, losses=0)
        explore(found[0], found[0].properties, None, OPTIONS, transport=transport, settings=Settings(alone=alone))
        transport.close()
        assert ("take" in transport.called) == ("own_again" in transport.called) == is_shared


@pytest.mark.parametrize("name", ["broken_mutex.edges", "promela/two_locks.pml", "b/PhoneBookErr.mch"])
def test_the_same_failure_whatever_the_workers_and_losses(name: str) -> None:
    found = prepared(ROOT / "examples" / name, "auto")
    assert found is not None
    system, plan = found
    alone = explore_in_one(system, system.properties, plan, options=OPTIONS)
    assert alone.trace is not None
    traces = []
    for workers, losses in ((1, 0), (2, 0), (3, 0), (3, 1)):
        transport = Unlucky(workers, 5, losses)
        settings = Settings(alone=0, replicas=int(workers > 1))
        outcome = explore(system, system.properties, plan, OPTIONS, transport=transport, settings=settings)
        transport.close()
        assert outcome.trace is not None
        assert (outcome.verdict, outcome.property) == (alone.verdict, alone.property)
        assert len(outcome.trace.steps) == len(alone.trace.steps)
        traces.append(outcome.trace)
    assert all(trace == traces[0] for trace in traces)
