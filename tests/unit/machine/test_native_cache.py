"""The cache of native code: filled on purpose, listed, cleared, bounded in number and size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quorbit.cli.main import main
from quorbit.machine.native import build, finish

MODEL = "byte x; active proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- od }"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.skipif(build.find_compiler() is None, reason="there is no C compiler")
def test_a_model_is_compiled_once_listed_and_cleared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "count.pml"
    model.write_text(MODEL, encoding="utf-8")

    def asked(*words: str) -> dict[str, object]:
        assert main([*words, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert isinstance(found, dict)
        return found

    first, second = asked("compile", str(model)), asked("compile", str(model))
    assert (first["new"], second["new"]) == (1, 0)
    assert first["libraries"] == second["libraries"]
    listed = asked("cache", "list")["libraries"]
    assert isinstance(listed, list)
    assert [each["name"] for each in listed] == first["libraries"]
    assert [each["model"] for each in listed] == [str(model)]
    assert main(["cache", "list"]) == 0
    assert capsys.readouterr().out.startswith("count.pml ")
    asked("cache", "clear")
    assert asked("cache", "list")["libraries"] == []
    assert not list((tmp_path / "cache").rglob("*.txt"))


def test_compile_says_where_nothing_is_compiled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "count.pml"
    model.write_text(MODEL, encoding="utf-8")
    if build.find_compiler() is not None:
        assert main(["compile", str(model), "--engine", "reference"]) == 3
        assert "no native code" in capsys.readouterr().out


def test_compile_takes_no_options_that_make_no_difference_to_the_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "count.pml"
    model.write_text(MODEL, encoding="utf-8")
    for words in (["--threads", "2"], ["--no-native"], ["--max-states", "5"], ["--spill", str(tmp_path)]):
        assert main(["compile", str(model), *words]) == 2
        assert words[0] in capsys.readouterr().err


def test_what_was_not_used_for_the_longest_time_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "MOST_BYTES", 250)
    for k in range(4):
        (tmp_path / f"{k}.so").write_bytes(bytes(100))
        os.utime(tmp_path / f"{k}.so", (1000 + k, 1000 + k))
    build.used(tmp_path / "0.so")
    build.forget_old(tmp_path)
    assert sorted(file.name for file in tmp_path.glob("*.so")) == ["0.so", "3.so"]
    monkeypatch.setattr(build, "MOST_LIBRARIES", 1)
    build.forget_old(tmp_path)
    assert [file.name for file in tmp_path.glob("*.so")] == ["0.so"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell when a process was started")
def test_a_process_that_has_the_number_of_a_compiler_is_left_alone(tmp_path: Path) -> None:
    """The compiler has ended, and its number was given to another process: it is not waited for, nor stopped."""
    (tmp_path / "work").mkdir()
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
    try:
        assert not finish.is_running(stranger.pid, "1")
        assert finish.is_running(stranger.pid, build.birth(stranger.pid))
        command = [sys.executable, "-m", "quorbit.machine.native.finish", tmp_path / "x.so", tmp_path / "work"]
        subprocess.run([*command, str(stranger.pid), "1"], check=True, timeout=60)
        assert stranger.poll() is None
        assert os.getpriority(os.PRIO_PROCESS, stranger.pid) == os.getpriority(os.PRIO_PROCESS, 0)
    finally:
        stranger.kill()
        stranger.wait()
    assert not finish.is_running(stranger.pid, build.birth(stranger.pid) or "1")
