"""``quorbit explore`` on the command line: what cannot be done is told in one line, with exit code 2."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import webbrowser
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from quorbit.cli.commands import explore_command
from quorbit.cli.main import main

ROOT = Path(__file__).parents[2]
MUTEX = str(ROOT / "examples" / "mutex.edges")


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["explore", *arguments]) == 2
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1
    return told


def test_a_model_with_an_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "m.edges"
    model.write_text("processes 2\nstates A\nA -> B\n")
    assert f"{model}:3:" in refused(capsys, str(model), "--no-browser")


def test_a_model_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no such file" in refused(capsys, "nowhere.pml", "--no-browser")


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"port {port} cannot be used" in refused(capsys, MUTEX, "--no-browser", "--port", str(port))


@pytest.mark.parametrize("port", ["0", "65536", "x"])
def test_a_port_that_is_none(capsys: pytest.CaptureFixture[str], port: str) -> None:
    assert "expected a port" in refused(capsys, MUTEX, "--port", port)


def test_no_browser(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise webbrowser.Error

    monkeypatch.setattr(webbrowser, "get", none)
    assert "--no-browser" in refused(capsys, MUTEX)


def test_the_packages_are_missing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explore_command, "find_spec", lambda name: None)
    assert "pip install 'quorbit[explore]'" in refused(capsys, MUTEX, "--no-browser")


def test_it_serves_on_loopback_until_it_is_interrupted() -> None:
    command = [sys.executable, "-m", "quorbit", "explore", MUTEX, "--no-browser", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        assert address.startswith("http://127.0.0.1:")
        assert b"Quorbit explorer" in urlopen(address, timeout=20).read()
        with pytest.raises(HTTPError) as error:
            urlopen(address[:-3] + "/", timeout=20)
        assert error.value.code == 403
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
