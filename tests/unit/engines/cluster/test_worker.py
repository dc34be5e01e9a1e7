"""A worker in this process: native code that was sent to it, levels that it goes alone, packages."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.agree.cluster_cases import MUTEX, mutex_states, prepared

from quorbit.engines.cluster.explore import for_workers, job_for
from quorbit.engines.cluster.job import Job
from quorbit.engines.cluster.native_code import Compiling
from quorbit.engines.cluster.parcel import LEVEL_END, items_in, packed
from quorbit.engines.cluster.ray_actors import batch_for
from quorbit.engines.cluster.transport import WorkerError
from quorbit.engines.cluster.worker import Worker, told
from quorbit.machine.compile.instructions import Program
from quorbit.machine.native.build import find_compiler
from quorbit.machine.options import SearchOptions
from quorbit.machine.run import opened
from quorbit.source.frozen import frozen

MEMORY = 1 << 30
OPTIONS = SearchOptions()


@frozen
class Case:
    job: Job
    program: Program


@pytest.fixture
def case(tmp_path: Path) -> Iterator[Case]:
    file = tmp_path / "mutex.edges"
    file.write_text(MUTEX.format(n=5), encoding="ascii")
    found = prepared(file, "off")
    assert found is not None
    with opened(found[0], found[0].properties, for_workers(OPTIONS)) as run:
        yield Case(job_for(run, None), run.program)


@pytest.fixture
def worker(case: Case) -> Iterator[Worker]:
    worker = Worker()
    worker.open(case.job, MEMORY)
    worker.own(0, 1)
    worker.seed(1)
    worker.prepare([0])
    worker.commit(2)
    yield worker
    worker.close()


def test_it_goes_alone_to_the_end(worker: Worker) -> None:
    alone, _ = worker.go_alone(False, 1 << 60, 1000, 60.0)
    assert 1 + sum(alone.counts) == mutex_states(5)
    assert alone.end is not None
    assert alone.end.found == 0


def test_it_comes_back_when_many_states_are_open(worker: Worker) -> None:
    alone, _ = worker.go_alone(False, 4, 1000, 60.0)
    assert alone.counts == (5, 15)[: len(alone.counts)]
    assert alone.counts[-1] > 4
    assert alone.end is None


@pytest.mark.skipif(find_compiler() is None, reason="native code needs a C compiler")
def test_native_code_is_compiled_once_and_sent(
    worker: Worker, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiling = Compiling(case.program, wanted=True)
    while not compiling.advance(1.0) and not compiling.given_up:
        time.sleep(0.02)
    assert compiling.made is not None
    name, data = compiling.made
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # of another machine, that has nothing yet
    assert not worker.use_native(name, data[:-1])
    assert worker.use_native(name, data)
    alone, _ = worker.go_alone(False, 1 << 60, 1000, 60.0)
    assert 1 + sum(alone.counts) == mutex_states(5)


def test_another_program_is_refused(case: Case) -> None:
    other = Job(case.job.system, case.job.properties, None, case.job.options, "another digest")
    with pytest.raises(WorkerError, match="another program"):
        told(Worker().open, other, MEMORY)


def test_a_package_that_is_cut_off_is_refused() -> None:
    package = packed(b"message!") + LEVEL_END
    assert [bytes(item) for item in items_in([memoryview(package)])] == [b"message!", b""]
    with pytest.raises(ValueError, match="cut off"):
        list(items_in([memoryview(package[:12])]))


def test_batches_fit_into_the_object_store() -> None:
    """At most store / (4 workers^2) bytes, and at least 256 KB."""
    assert batch_for(64 << 20, 4) == (64 << 20) // 64
    assert batch_for(64 << 20, 100) == 256 << 10
    assert batch_for(1 << 40, 2) == 2 << 20
