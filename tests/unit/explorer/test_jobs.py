"""Processes beside the explorer: they outlive the thread that started them, and end with the explorer."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

from quorbit.explorer.jobs import Job
from quorbit.explorer.task import Task
from quorbit.languages.options import LoadOptions

ROOT = Path(__file__).parents[3]
ENDLESS = "int a, b, c;\nactive proctype p() { do :: a < 900 -> a++ :: b < 900 -> b++ :: c < 900 -> c++ od }\n"


def test_a_job_outlives_the_thread_that_started_it() -> None:
    """The threads of a server come and go; Linux would tell a child that its parent has died."""
    jobs: list[Job] = []
    task = Task("check", str(ROOT / "examples" / "mutex.edges"), LoadOptions())
    thread = Thread(target=lambda: jobs.append(Job(task)))
    thread.start()
    thread.join()
    jobs[0].reader.join(60)
    assert jobs[0].tell()["state"] == "done"
    assert jobs[0].result["verdict"] == "holds"


def test_a_job_ends_with_the_explorer(tmp_path: Path) -> None:
    model = tmp_path / "endless.pml"
    model.write_text(ENDLESS)
    job = Job(Task("check", str(model), LoadOptions()))
    assert job.process.stdin is not None
    job.process.stdin.close()  # as the system does when a process ends
    assert job.process.wait(60) != 0
    job.reader.join(10)
    assert job.tell()["state"] == "failed"
