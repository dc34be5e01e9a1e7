"""The runtime runs clean under the address and undefined-behaviour sanitizers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from quorbit.machine import library

RUNTIME = Path(library.__file__).parent / "runtime"
COMPILER = shutil.which("gcc") or shutil.which("cc")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")


def compile_runtime(target: Path, *flags: str) -> None:
    sources = sorted(map(str, RUNTIME.rglob("*.c")))
    folders = sorted({f"-I{header.parent}" for header in RUNTIME.rglob("*.h")})
    warnings = ["-Wall", "-Wextra", "-Werror"]
    assert COMPILER is not None
    command = [
        COMPILER,
        "-std=gnu11",
        "-shared",
        "-fPIC",
        "-pthread",
        *folders,
        *warnings,
        *flags,
        "-o",
        str(target),
        *sources,
    ]
    subprocess.run(command, check=True, capture_output=True)


@needs_compiler
def test_the_runtime_runs_clean_under_sanitizers(tmp_path: Path) -> None:
    target = tmp_path / "runtime.so"
    small = (
        "-DQB_BLOCK=2u",
        "-DQB_FEW=16u",
        "-DQB_MANY=200u",
        "-DQB_SPARE_WORK=2000u",
        "-DQB_SLOW_BITS",
        "-DQB_SLOT_BY_SLOT",
    )
    small += (
        "-DQB_DEEPEST=2u",
        "-DQB_ASK_FIRST=20u",
        "-DQB_ASK_LAST=60u",
        "-DQB_PAYS(numbers,bits,words,states)=((bits)>4)",
        "-DQB_STILL_PAYS(numbers,bits,states)=((states)<400)",
    )
    compile_runtime(target, "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", *small)
    assert COMPILER is not None
    preload = subprocess.run([COMPILER, "-print-file-name=libasan.so"], check=True, capture_output=True, text=True)
    script = Path(__file__).parent / "sanitised_run.py"
    done = subprocess.run(
        [sys.executable, str(script), str(target)],
        env={"LD_PRELOAD": preload.stdout.strip(), "ASAN_OPTIONS": "detect_leaks=0", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip() == "clean"
