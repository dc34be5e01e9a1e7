"""Searches shared by several processes, as a user asks for them."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.agree.cluster_cases import MUTEX, mutex_states
from tests.cli.processes import await_work, children

from quorbit.cli.main import main

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, dict[str, object]]:
    code = main([str(word) for word in ("check", *arguments, "--json")])
    return code, json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    code, answer = told(capsys, *arguments)
    assert code == 2
    error = answer["error"]
    assert isinstance(error, dict)
    return str(error["message"])


def mutex(folder: Path, n: int) -> Path:
    file = folder / "mutex.edges"
    file.write_text(MUTEX.format(n=n), encoding="ascii")
    return file


def test_workers_ask_for_the_cluster_engine(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = told(capsys, EXAMPLES / "readers_writers.edges", "--workers", 2)
    assert (code, answer["engine"], answer["states"], answer["transitions"]) == (0, "cluster", 15, 46)
    assert isinstance(answer["por"], dict)
    assert answer["por"]["used"] is False


def test_an_error_comes_with_a_trace(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = told(capsys, EXAMPLES / "broken_mutex.edges", "--workers", 2)
    assert (code, answer["verdict"], answer["property"]) == (1, "fails", "mutex")
    assert isinstance(answer["trace"], list)
    assert len(answer["trace"]) == 5


def test_partial_order_is_used_if_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    ring = (EXAMPLES / "token_ring.edges", "--property", "safety", "--symmetry", "off")
    _, full = told(capsys, *ring, "--workers", 2)
    _, partly = told(capsys, *ring, "--workers", 2, "--por", "on")
    _, auto = told(capsys, *ring, "--workers", 2, "--por", "auto")
    assert full["verdict"] == partly["verdict"] == auto["verdict"] == "holds"
    assert full["states"] == auto["states"] > partly["states"]
    assert isinstance(partly["por"], dict)
    assert partly["por"]["used"] is True
    assert partly["por"]["partly"] > 0
    assert isinstance(auto["por"], dict)
    assert auto["por"] == {"used": False, "reason": "the cluster engine uses it only with --por on", "partly": 0.0}


def test_what_it_cannot_do_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    ring, mutex = EXAMPLES / "token_ring.edges", EXAMPLES / "mutex.edges"
    assert "not temporal formulas" in refused(capsys, ring, "--property", "served", "--workers", 2)
    assert "a depth limit would hide them" in refused(
        capsys, mutex, "--workers", 2, "--por", "on", "--max-depth", 9, "--symmetry", "off"
    )
    assert "the cluster engine does not count the states represented" in refused(
        capsys, mutex, "--workers", 2, "--represented"
    )
    assert "the explicit engine runs in one process; --workers" in refused(
        capsys, mutex, "--engine", "explicit", "--workers", 2
    )
    assert "1 to 1024 workers, not 5000" in refused(capsys, mutex, "--workers", 5000)
    assert "at least two workers" in refused(capsys, mutex, "--workers", 1, "--replicas", 1)
    assert "--replicas is for the cluster engine" in refused(capsys, mutex, "--engine", "explicit", "--replicas", 1)


def test_a_checkpoint_is_resumed_with_another_number_of_workers(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model = mutex(tmp_path, 9)
    limited = (model, "--symmetry", "off", "--workers", 2, "--checkpoint", tmp_path, "--max-depth", 5)
    code, answer = told(capsys, *limited)
    assert (code, answer["depth"], answer["message"]) == (3, 5, "the depth limit of 5 was reached")
    code, answer = told(capsys, model, "--symmetry", "off", "--workers", 1, "--resume", tmp_path)
    assert (code, answer["states"]) == (0, mutex_states(9))


# Ray.


def test_without_ray_the_command_to_install_it_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "ray" else found(name, *rest))
    message = refused(capsys, EXAMPLES / "mutex.edges", "--cluster", "local")
    assert message == "--cluster needs Ray, which is not installed: pip install 'quorbit[cluster]'"


@pytest.fixture
def pretend_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is refused before Ray is loaded is refused with and without it."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: sys)


@pytest.mark.usefixtures("pretend_ray")
def test_addresses_that_are_none_are_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    model = EXAMPLES / "mutex.edges"
    assert "HOST:PORT" in refused(capsys, model, "--cluster", "somewhere")
    assert "HOST:PORT" in refused(capsys, model, "--cluster", "ray://somewhere:10001")
    assert "RAY_ADDRESS" in refused(capsys, model, "--cluster", "auto")


@pytest.mark.usefixtures("pretend_ray")
def test_an_unreachable_cluster_is_told_soon(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:  # bound, so that nobody else listens there; nor does it
        taken.bind(("127.0.0.1", 0))
        began = time.monotonic()
        message = refused(capsys, EXAMPLES / "mutex.edges", "--cluster", f"127.0.0.1:{taken.getsockname()[1]}")
    assert "cannot be reached" in message
    assert time.monotonic() - began < 10


# Interrupts.


def test_ctrl_c_answers_with_what_is_known(tmp_path: Path) -> None:
    command = ("-m", "quorbit", "check", mutex(tmp_path, 22), "--symmetry", "off", "--workers", 2, "--no-native")
    words = [sys.executable, *map(str, command)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT, start_new_session=True) as process:
        workers = await_workers(process.pid)
        await_work(workers, 1.5)
        os.kill(process.pid, signal.SIGINT)
        out = process.communicate(timeout=30)[0].decode()
    assert process.returncode == 3
    assert out.startswith("UNKNOWN: all invariants, assertions and deadlocks (interrupted)")
    found = re.search(r"states +([0-9,]+)", out)
    assert found is not None
    assert int(found[1].replace(",", "")) > 0
    assert not [pid for pid in workers if Path(f"/proc/{pid}").exists()]


def await_workers(pid: int) -> list[int]:
    """The processes of the two workers, once they are there."""
    for _ in range(300):
        found = [p for child in children(pid) for p in children(child)]
        if len(found) == 2:
            return found
        time.sleep(0.1)
    raise AssertionError("the workers were not started")
