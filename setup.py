"""Build the explicit engine's runtime: plain C, loaded with ctypes; the package also installs where it cannot be built.

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

RUNTIME = Path("src/quorbit/engines/explicit/runtime")
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


setup(
    ext_modules=[
        Extension(
            "quorbit.engines.explicit._runtime",
            sources=sorted(str(f) for f in RUNTIME.glob("*.c")),
            depends=sorted(str(f) for f in RUNTIME.glob("*.h")),
            extra_compile_args=["-O2", "-std=gnu11", "-fvisibility=hidden", "-pthread"],
            extra_link_args=["-pthread"],
            py_limited_api=True,
            optional=True,
        )
    ],
    cmdclass={"build_ext": BuildRuntime, "bdist_wheel": Abi3Wheel},
)
