"""Several threads give the answer of one, whole: states, levels, counts of commands, verdict and trace.

The runtime is built once more with blocks of a single state, so that rounds are made even of small levels, and most of
them are undone: every error, limit and new value spoils one.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from test_sanitised import COMPILER, compile_runtime, needs_compiler

SCRIPT = Path(__file__).parent / "threads_run.py"
SMALL = ("-DQB_BLOCK=1u", "-DQB_MOST_SENT=64u", "-DQB_RECENT_BITS=6u")


def run(target: Path, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(target), *arguments],
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.strip()


@needs_compiler
def test_small_levels_are_divided(tmp_path: Path) -> None:
    target = tmp_path / "runtime.so"
    compile_runtime(target, "-O0", *SMALL)
    assert run(target, "8", "few").startswith("compared")


@needs_compiler
@pytest.mark.soak
def test_many_models(tmp_path: Path) -> None:
    target = tmp_path / "runtime.so"
    compile_runtime(target, "-O1", *SMALL)
    assert run(target, "1000", "all").startswith("compared")


@needs_compiler
@pytest.mark.soak
def test_threads_do_not_meet_in_memory(tmp_path: Path) -> None:
    """Under the sanitizer that watches what threads write."""
    target = tmp_path / "runtime.so"
    compile_runtime(target, "-O1", "-g", "-fsanitize=thread", *SMALL)
    assert COMPILER is not None
    found = subprocess.run([COMPILER, "-print-file-name=libtsan.so"], check=True, capture_output=True, text=True)
    options = {"LD_PRELOAD": found.stdout.strip(), "TSAN_OPTIONS": "exitcode=66 halt_on_error=1"}
    assert run(target, "60", "all", **options).startswith("compared")
