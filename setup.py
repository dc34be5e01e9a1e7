"""Build the runtimes of the engines: plain C, loaded with ctypes; the package also installs where they cannot be built.

``QUORBIT_TARGET`` (e.g. aarch64-linux-gnu.2.28) builds for another machine with the ziglang wheel, and then nothing is
left out: tools/wheels.py makes what is published that way.  Everything else about the package is in pyproject.toml.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

SOURCES = Path("src")
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
TARGET = os.environ.get("QUORBIT_TARGET", "")
SANITIZERS = os.environ.get("QUORBIT_SANITIZE", "")  # e.g. address,undefined: see make sanitize
COVERAGE = ["-O1", "--coverage", "-fprofile-update=atomic"]  # many processes and threads count together


class BuildRuntime(build_ext):
    """With the system's compiler; if there is none, with the one in the ziglang wheel, which is fetched if need be."""

    def build_extensions(self) -> None:
        with TemporaryDirectory() as self.fetched:
            super().build_extensions()

    def build_extension(self, ext: Extension) -> None:
        if os.environ.get("QUORBIT_WARNINGS"):
            ext.extra_compile_args = [*ext.extra_compile_args, *WARNINGS]
        if os.environ.get("QUORBIT_COVERAGE"):
            ext.extra_compile_args = [*ext.extra_compile_args, *COVERAGE]
            ext.extra_link_args = [*ext.extra_link_args, "--coverage"]
        if SANITIZERS:
            flag = f"-fsanitize={SANITIZERS}"
            ext.extra_compile_args = [*ext.extra_compile_args, "-O1", "-g", flag, "-fno-sanitize-recover=all"]
            ext.extra_link_args = [*ext.extra_link_args, flag]
        if TARGET:
            self.use_zig(self.fetched if fetch_zig(self.fetched) else "")
            super().build_extension(ext)
            return
        try:
            super().build_extension(ext)
        except Exception:
            if not fetch_zig(self.fetched):
                raise
            self.use_zig(self.fetched)
            super().build_extension(ext)

    def use_zig(self, folder: str) -> None:
        """A wheel in the folder is found by the compiler's own process alone."""
        start = "import sys; sys.path.append(sys.argv.pop(1)); import ziglang.__main__"
        command = [sys.executable, "-c", start, folder, "cc", *(["-target", TARGET, "-s"] if TARGET else [])]
        self.compiler.set_executables(
            compiler=command,
            compiler_so=[*command, "-fPIC"],
            linker_so=[*command, "-shared"],
            linker_exe=command,
        )


def fetch_zig(folder: str) -> bool:
    """Whether the ziglang wheel is there, in this environment or, fetched by pip, in the folder."""
    if importlib.util.find_spec("ziglang") is not None:
        return True
    # pip hides itself from the environments it builds in by this variable
    outside = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder, "ziglang"]
    return subprocess.run(command, env=outside, check=False).returncode == 0


class Abi3Wheel(bdist_wheel):
    """The runtime knows nothing of Python: one wheel serves every version."""

    def get_tag(self) -> tuple[str, str, str]:
        python, abi, platform = super().get_tag()
        return ("cp310", "abi3", platform) if python.startswith("cp") else (python, abi, platform)


def runtime(package: str) -> Extension:
    """The C below the package's folder ``runtime``; headers are found by their names alone."""
    folder = SOURCES.joinpath(*package.split("."), "runtime")
    return Extension(
        f"{package}._runtime",
        sources=sorted(str(f) for f in folder.rglob("*.c")),
        depends=sorted(str(f) for f in folder.rglob("*.h")),
        include_dirs=sorted({str(f.parent) for f in folder.rglob("*.h")}),
        extra_compile_args=["-O2", "-std=gnu11", "-fvisibility=hidden", "-pthread"],
        extra_link_args=["-pthread"],
        py_limited_api=True,
        optional=not TARGET,
    )


setup(
    ext_modules=[runtime("quorbit.machine"), runtime("quorbit.engines.adaptive")],
    cmdclass={"build_ext": BuildRuntime, "bdist_wheel": Abi3Wheel},
)
