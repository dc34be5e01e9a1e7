"""Build the runtimes of the engines: plain C, loaded with ctypes; the package also installs where they cannot be built.

Everything else about the package is in pyproject.toml.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

ENGINES = Path("src/quorbit/engines")
WARNINGS = ["-Wall", "-Wextra", "-Werror"]


class BuildRuntime(build_ext):
    """With the system's compiler; if there is none, with the one in the ziglang wheel."""

    def build_extension(self, ext: Extension) -> None:
        if os.environ.get("QUORBIT_WARNINGS"):
            ext.extra_compile_args = [*ext.extra_compile_args, *WARNINGS]
        try:
            super().build_extension(ext)
        except Exception:
            if importlib.util.find_spec("ziglang") is None:
                raise
            command = [sys.executable, "-m", "ziglang", "cc"]
            self.compiler.set_executables(
                compiler=command,
                compiler_so=[*command, "-fPIC"],
                linker_so=[*command, "-shared"],
                linker_exe=command,
            )
            super().build_extension(ext)


class Abi3Wheel(bdist_wheel):
    """The runtime knows nothing of Python: one wheel serves every version."""

    def get_tag(self) -> tuple[str, str, str]:
        python, abi, platform = super().get_tag()
        return ("cp310", "abi3", platform) if python.startswith("cp") else (python, abi, platform)


def runtime(engine: str) -> Extension:
    folder = ENGINES / engine / "runtime"
    return Extension(
        f"quorbit.engines.{engine}._runtime",
        sources=sorted(str(f) for f in folder.glob("*.c")),
        depends=sorted(str(f) for f in folder.glob("*.h")),
        extra_compile_args=["-O2", "-std=gnu11", "-fvisibility=hidden", "-pthread"],
        extra_link_args=["-pthread"],
        py_limited_api=True,
        optional=True,
    )


setup(
    ext_modules=[runtime("explicit"), runtime("adaptive")],
    cmdclass={"build_ext": BuildRuntime, "bdist_wheel": Abi3Wheel},
)
