"""Compile the C of the package with two compilers and let no warning pass: each sees what the other does not.

The compilers are gcc and clang; where there is no clang, the one in the ziglang wheel, which is a clang.  A compiler
that is missing is named, and fails the check only where none is left.
Run as ``python tools/c_warnings.py src/quorbit``.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

FLAGS = ["-std=gnu11", "-O2", "-fPIC", "-pthread", "-Wall", "-Wextra", "-Werror", "-c"]


def compilers() -> Iterator[tuple[str, list[str]]]:
    """Name and command of each compiler of the two that is there."""
    if found := shutil.which("gcc"):
        yield "gcc", [found]
    if found := shutil.which("clang"):
        yield "clang", [found]
    elif importlib.util.find_spec("ziglang") is not None:
        yield "zig cc", [sys.executable, "-m", "ziglang", "cc"]


def runtimes(package: Path) -> Iterator[Path]:
    """The folders of C; the headers of one are found by their names alone."""
    return (folder for folder in sorted(package.rglob("runtime")) if folder.is_dir())


def complaints(command: list[str], package: Path) -> list[str]:
    """What a compiler says about each file that it does not compile in silence."""
    jobs = []
    for folder in runtimes(package.resolve()):
        headers = sorted({f"-I{header.parent}" for header in folder.rglob("*.h")})
        jobs += [[*command, *headers, *FLAGS, str(file)] for file in sorted(folder.rglob("*.c"))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(compile_aside, jobs))
    return [run.stderr for run in done if run.returncode or run.stderr]


def compile_aside(job: list[str]) -> subprocess.CompletedProcess[str]:
    """What a compiler writes goes with the folder it works in."""
    with TemporaryDirectory() as folder:
        return subprocess.run(job, cwd=folder, capture_output=True, text=True, check=False)


def main(package: Path) -> int:
    found = list(compilers())
    if len(found) < 2:
        print(f"C warnings: two compilers are wanted (gcc, and clang or the ziglang wheel), {len(found)} is there")
    failed = not found
    for name, command in found:
        said = complaints(command, package)
        print(f"C warnings: {name}: {f'{len(said)} files' if said else 'none'}")
        print(*said, sep="\n", end="")
        failed = failed or bool(said)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
