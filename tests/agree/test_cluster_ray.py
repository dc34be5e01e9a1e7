"""The same searches on Ray, one instance for all of them; left out where Ray is not installed.

make cluster
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.agree.cluster_cases import FILES, MUTEX, check_file, mutex_states, prepared

from quorbit.engines.cluster.driver import Settings
from quorbit.engines.cluster.explore import explore
from quorbit.engines.cluster.ray_actors import RayActors
from quorbit.machine.options import SearchOptions
from quorbit.result.outcome import Verdict

pytest.importorskip("ray", reason="Ray is not installed: pip install 'quorbit[cluster]'")
pytestmark = [pytest.mark.ray]

SOME = FILES[::32]
LISTENS = "0A"
LOOPBACK = {"0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F"}


@pytest.fixture(scope="module")
def actors() -> Iterator[RayActors]:
    transport = RayActors("local", 3)
    yield transport
    transport.workers = 3
    transport.close()


@pytest.mark.parametrize("file", SOME, ids=lambda f: f.name)
def test_some_models_agree(file: Path, actors: RayActors) -> None:
    check_file(file, actors, (1, 2, 3))


@pytest.mark.soak
@pytest.mark.parametrize("file", FILES, ids=lambda f: f.name)
def test_all_models_agree(file: Path, actors: RayActors) -> None:
    check_file(file, actors, (1, 2, 3))


def test_an_actor_is_killed(actors: RayActors, tmp_path: Path) -> None:
    file = tmp_path / "mutex.edges"
    file.write_text(MUTEX.format(n=15), encoding="ascii")
    found = prepared(file, "off")
    assert found is not None
    actors.workers = 3
    pid = actors.answer(waited(actors, actors.call(1, "greet"))).result.pid
    threading.Thread(target=lambda: (time.sleep(1.0), os.kill(pid, signal.SIGKILL)), daemon=True).start()
    settings, options = Settings(alone=0, replicas=1), SearchOptions(native=False)
    outcome = explore(found[0], found[0].properties, None, options, transport=actors, settings=settings)
    assert outcome.verdict is Verdict.HOLDS
    assert outcome.statistics.states == mutex_states(15)
    until = time.monotonic() + 30.0
    while is_alive(pid) and time.monotonic() < until:  # the signal may come when the search is over
        time.sleep(0.1)
    assert not is_alive(pid)


def is_alive(pid: int) -> bool:
    """Whether a process runs: neither gone nor a zombie, of which only its exit code is left."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def waited(actors: RayActors, call: object) -> object:
    while not actors.wait([call], 1.0):  # type: ignore[list-item]
        pass
    return call


def test_only_loopback_listens(actors: RayActors) -> None:
    """Nothing that Ray has started here can be reached from another machine."""
    actors.answer(waited(actors, actors.call(0, "greet")))  # type: ignore[arg-type]
    found = [address for pid in descendants(os.getpid()) for address in listening(pid)]
    assert found
    assert {address.partition(":")[0] for address in found} <= LOOPBACK


def descendants(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text(encoding="ascii").split()
        except OSError:
            continue
        for child in children:
            yield from descendants(int(child))


def listening(pid: int) -> Iterator[str]:
    """The addresses on which a process listens, as the system writes them."""
    inodes = set()
    for handle in Path(f"/proc/{pid}/fd").glob("*"):
        try:
            target = os.readlink(handle)
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text(encoding="ascii").splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENS and fields[9] in inodes:
                yield fields[1]
