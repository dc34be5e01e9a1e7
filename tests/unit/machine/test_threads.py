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

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT)]

from benchmarks.models.systems import counters  # noqa: E402

from quorbit.engines.explicit.explore import explore  # noqa: E402
from quorbit.languages.options import LoadOptions  # noqa: E402
from quorbit.machine import run as one_run  # noqa: E402
from quorbit.machine.options import SearchOptions  # noqa: E402
from quorbit.pipeline.load import load  # noqa: E402

SCRIPT = Path(__file__).parent / "threads_run.py"
SMALL = ("-DQB_WEIGHS=0", "-DQB_BLOCK=1u", "-DQB_ROUND_BYTES=512u", "-DQB_RECENT_BITS=6u")


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


LONG = """byte x; active [2] proctype p() { short i;
  atomic { do :: i < 4500 -> i++ :: i == 4500 -> break od; x++; i = 0 } }
active proctype q() { byte k; do :: k < 3 -> k++ od }"""


@pytest.mark.parametrize("threads", [1, 2])
def test_slices_may_be_short(threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slice that has no time at all gets on, even where one state takes many slices."""
    (tmp_path / "long.pml").write_text(LONG, encoding="utf-8")
    for system in (counters(4, 6), load(tmp_path / "long.pml", LoadOptions()).system):
        options = SearchOptions(native=False, max_states=1500)
        plain = explore(system, (), options=options).statistics
        with monkeypatch.context() as patched:
            patched.setattr(one_run, "SLICE", 0.0)
            cut = explore(system, (), options=SearchOptions(native=False, max_states=1500, threads=threads)).statistics
        assert (cut.states, cut.transitions, cut.levels, cut.fired) == (
            plain.states,
            plain.transitions,
            plain.levels,
            plain.fired,
        )
