"""Workers that die, hang or cannot write, and drivers that are killed: the counts stay exact, and it is told."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.agree.cluster_cases import MUTEX, mutex_states, prepared

from quorbit.engines.cluster import level_files
from quorbit.engines.cluster.driver import Settings
from quorbit.engines.cluster.explore import explore
from quorbit.engines.cluster.pipes import Pipes
from quorbit.engines.cluster.transport import Answer, Call
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import System
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError

OPTIONS = SearchOptions(native=False)
PHASES = ["greet", "open", "own", "seed", "expand", "take", "prepare", "commit", "hand_over", "restore", "own_again"]
LATE = ("expand", "take", "prepare", "commit")
CASES = [(method, keeps) for method in PHASES for keeps in ("files", "copies")]
USUAL = (("expand", "files"), ("commit", "files"), ("own_again", "files"), ("take", "copies"), ("restore", "copies"))
SMALL, LARGE = 8, 14  # processes


def marks_of(method: str, keeps: str) -> Sequence[pytest.MarkDecorator]:
    return () if (method, keeps) in USUAL else (pytest.mark.soak,)


def mutex(folder: Path, n: int) -> System:
    file = folder / f"mutex{n}.edges"
    file.write_text(MUTEX.format(n=n), encoding="ascii")
    found = prepared(file, "off")
    assert found is not None
    return found[0]


class Faulty(Pipes):
    """Kills a worker just before it is called by a method for the n-th time."""

    method, left = "", 0

    def call(self, worker: int, method: str, *args: Any, parcels: int = 0, patience: float = 60.0) -> Call:
        if method == self.method:
            self.left -= 1
            if self.left == 0:
                self.connections[worker].process.kill()
        return super().call(worker, method, *args, parcels=parcels, patience=patience)


@pytest.fixture(scope="module")
def faulty() -> Iterator[Faulty]:
    """Workers for many runs: those that are killed are replaced."""
    transport = Faulty(3)
    yield transport
    transport.close()


def run(system: System, transport: Pipes, options: SearchOptions = OPTIONS, **settings: Any) -> Outcome:
    try:
        return explore(system, system.properties, None, options, transport=transport, settings=Settings(**settings))
    finally:
        if not isinstance(transport, Faulty):
            transport.close()


def check_exact(outcome: Outcome, n: int) -> None:
    assert outcome.verdict is Verdict.HOLDS, outcome.message
    assert outcome.statistics.states == mutex_states(n)
    assert outcome.statistics.levels == exact_levels(n)


def exact_levels(n: int) -> tuple[int, ...]:
    """States by their distance: k processes try (C(n, k)), or one of them is critical (n C(n - 1, k - 1))."""
    from math import comb

    counts = [0] * (n + 2)
    for k in range(n + 1):
        counts[k] += comb(n, k)
        if k:
            counts[k + 1] += k * comb(n, k)
    return tuple(counts)


@pytest.mark.parametrize(("method", "keeps"), [pytest.param(*case, marks=marks_of(*case)) for case in CASES])
def test_a_worker_dies_at_any_step(
    method: str, keeps: str, faulty: Faulty, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a search that begins alone and is spread when four states are open."""
    options = replace(OPTIONS, checkpoint=str(tmp_path)) if keeps == "files" else OPTIONS
    monkeypatch.setattr(level_files, "SECONDS_BETWEEN", 0.0)  # every level is written
    monkeypatch.setattr(level_files, "SHARE_OF_TIME", 1e9)
    is_copied = method == "hand_over" and keeps == "copies"  # its first call makes the first copy
    faulty.method, faulty.left = method, 12 if method in LATE else 3 if is_copied else 1
    outcome = run(mutex(tmp_path, SMALL), faulty, options, alone=4, replicas=keeps == "copies")
    check_exact(outcome, SMALL)
    assert "was lost" in outcome.message
    assert "began again" not in outcome.message


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 21))])
def test_a_worker_is_killed_at_a_random_moment(seed: int, tmp_path: Path) -> None:
    chance, n = random.Random(seed), LARGE if seed == 1 else LARGE + 2
    workers = chance.choice([2, 3])
    transport = Pipes(workers)
    victim, delay = chance.randrange(workers), chance.uniform(0.2, 2.0)

    def kill() -> None:
        time.sleep(delay)
        if transport.connections:
            os.kill(transport.connections[victim].process.pid, signal.SIGKILL)

    threading.Thread(target=kill, daemon=True).start()
    options = replace(OPTIONS, checkpoint=str(tmp_path) if seed % 2 else None)
    outcome = run(mutex(tmp_path, n), transport, options, alone=chance.choice([0, 1000]), replicas=1 - seed % 2)
    check_exact(outcome, n)


def test_a_worker_that_dies_when_all_is_counted_takes_nothing_from_the_answer(tmp_path: Path) -> None:
    """The levels of so short a search are written once, when it is complete."""
    transport = Faulty(2)
    transport.method, transport.left = "save", 1
    outcome = run(mutex(tmp_path, SMALL), transport, replace(OPTIONS, checkpoint=str(tmp_path)), alone=0)
    transport.close()
    check_exact(outcome, SMALL)
    assert "the last levels were not written: its process has died" in outcome.message


def test_without_copies_the_search_begins_again(faulty: Faulty, tmp_path: Path) -> None:
    faulty.method, faulty.left = "commit", 9
    outcome = run(mutex(tmp_path, SMALL), faulty, alone=0)
    check_exact(outcome, SMALL)
    assert "began again; --checkpoint DIR or --replicas 1" in outcome.message


class Mortal(Pipes):
    """Loses a worker at each of the calls of a method from some on."""

    def call(self, worker: int, method: str, *args: Any, parcels: int = 0, patience: float = 60.0) -> Call:
        if method == "prepare" and worker == 1 and args[0] != [0, 0]:
            self.connections[worker].process.kill()
        return super().call(worker, method, *args, parcels=parcels, patience=patience)


def test_workers_that_die_again_and_again_end_the_run(tmp_path: Path) -> None:
    outcome = run(mutex(tmp_path, SMALL), Mortal(2), replace(OPTIONS, checkpoint=str(tmp_path)), alone=0)
    assert outcome.verdict is Verdict.UNKNOWN
    assert "given up after 5 attempts" in outcome.message
    assert outcome.statistics.states > 0


def test_writing_to_a_dead_worker_ends_no_driver_that_left_its_signals_alone() -> None:
    """Programs that want to end quietly when their reader leaves, and some libraries, no longer ignore SIGPIPE."""
    transport, before = Pipes(1), signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        transport.connections[0].process.kill()
        transport.connections[0].process.wait()
        transport.call(0, "greet")
        with pytest.raises(BrokenPipeError):
            transport.connections[0].write()
    finally:
        signal.signal(signal.SIGPIPE, before)
        transport.close()


class Hanging(Pipes):
    """Stops a worker, which stays alive, when it is to prepare for the fifth time."""

    left = 5

    def call(self, worker: int, method: str, *args: Any, parcels: int = 0, patience: float = 60.0) -> Call:
        if method == "prepare" and worker == 1:
            self.left -= 1
            if self.left == 0:
                os.kill(self.connections[1].process.pid, signal.SIGSTOP)
        return super().call(worker, method, *args, parcels=parcels, patience=min(patience, 2.0))


def test_a_worker_that_hangs_is_replaced(tmp_path: Path) -> None:
    outcome = run(mutex(tmp_path, SMALL), Hanging(2), alone=0, replicas=1)
    check_exact(outcome, SMALL)
    assert "has not answered for 2 s" in outcome.message


def test_a_full_disk_ends_the_checkpoints_not_the_search(tmp_path: Path) -> None:
    transport = Pipes(2)
    for connection in transport.connections:
        resource.prlimit(connection.process.pid, resource.RLIMIT_FSIZE, (200, 200))
    outcome = run(mutex(tmp_path, SMALL), transport, replace(OPTIONS, checkpoint=str(tmp_path)), alone=0)
    check_exact(outcome, SMALL)
    assert "no more checkpoints were written" in outcome.message


class Older(Pipes):
    """Its second worker runs another version."""

    def answer(self, call: Call) -> Answer:
        answer = super().answer(call)
        if call.method == "greet" and call.worker == 1:
            greeting = answer.result
            return Answer(replace(greeting, identity=replace(greeting.identity, version="0.1.9")), [])
        return answer


def test_another_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"worker 1 on .* runs Quorbit 0\.1\.9, and this is"):
        run(mutex(tmp_path, 3), Older(2))


def test_damaged_files_are_refused(tmp_path: Path) -> None:
    system = mutex(tmp_path, SMALL)
    run(system, Pipes(2), replace(OPTIONS, checkpoint=str(tmp_path)), alone=0)
    file = sorted((tmp_path / "quorbit-cluster").glob("L*.bin"))[-1]
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    outcome = run(system, Pipes(2), replace(OPTIONS, resume=str(tmp_path)), alone=0)
    assert outcome.verdict is Verdict.UNKNOWN
    assert "damaged" in outcome.message
    with pytest.raises(UserError, match="another model"):
        run(mutex(tmp_path, 5), Pipes(2), replace(OPTIONS, resume=str(tmp_path)))


# Drivers that are killed.

PROGRAM = """
import sys
from pathlib import Path
from quorbit.engines.cluster import level_files
from quorbit.engines.cluster.driver import Settings
from quorbit.engines.cluster.explore import explore
from quorbit.engines.cluster.pipes import Pipes
from quorbit.machine.options import SearchOptions
from tests.agree.cluster_cases import prepared
file, folder, workers = sys.argv[1:]
level_files.SECONDS_BETWEEN = 0.05
system = prepared(Path(file), "off")[0]
options = SearchOptions(native=False, checkpoint=folder)
explore(system, system.properties, None, options, transport=Pipes(int(workers)), settings=Settings(alone=100))
"""


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(2, 6))])
def test_a_killed_driver_is_resumed_with_another_number_of_workers(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    system = mutex(tmp_path, LARGE)
    before, after = chance.sample([1, 2, 3], 2)
    command = [sys.executable, "-c", PROGRAM, tmp_path / f"mutex{LARGE}.edges", tmp_path, before]
    driver = subprocess.Popen([str(word) for word in command], cwd=Path(__file__).parents[4])
    await_file(tmp_path / "quorbit-cluster" / "run.json", driver)
    time.sleep(chance.uniform(0.0, 1.0))
    driver.kill()
    driver.wait()
    outcome = run(system, Pipes(after), replace(OPTIONS, resume=str(tmp_path)), alone=100)
    check_exact(outcome, LARGE)


def await_file(file: Path, driver: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if file.exists() or driver.poll() is not None:
            return
        time.sleep(0.1)


def test_limits_leave_a_checkpoint(tmp_path: Path) -> None:
    system = mutex(tmp_path, SMALL)
    options = replace(OPTIONS, checkpoint=str(tmp_path), max_depth=4)
    outcome = run(system, Pipes(2), options, alone=0)
    assert (outcome.verdict, outcome.statistics.depth) == (Verdict.UNKNOWN, 4)
    assert outcome.message == "the depth limit of 4 was reached"
    check_exact(run(system, Pipes(3), replace(OPTIONS, resume=str(tmp_path)), alone=0), SMALL)


def gone(pids: Sequence[int]) -> bool:
    return not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_no_process_is_left(tmp_path: Path) -> None:
    transport = Pipes(2)
    pids = [connection.process.pid for connection in transport.connections]
    run(mutex(tmp_path, 3), transport)
    assert gone(pids)
