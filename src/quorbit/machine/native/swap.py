"""Native code for a run that lasts: looked for, compiled in the background, swapped in between two slices."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from quorbit.machine import library
from quorbit.machine.compile.instructions import Program
from quorbit.machine.native import build as native_build
from quorbit.machine.native.source import native_source

__all__ = ["LARGEST_COMPILED", "WORTH_COMPILING", "NativeCode"]

WORTH_COMPILING = 0.3  # seconds a run has lasted
LARGEST_COMPILED = 40_000  # instructions
POLL = 0.02  # seconds


class NativeCode:
    """How far the native code of one run has come."""

    def __init__(self, engine: Any, program: Program, model: str) -> None:
        self.engine = engine
        self.model = model  # its name
        self.program = program
        self.source: str | None = None
        self.build: native_build.Build | None = None
        self.loaded: Any = None  # the library stays loaded as long as this lives
        self.given_up = len(program.code) > LARGEST_COMPILED or program.gates is not None

    def advance(self, seconds: float) -> None:
        """Do what can be done now, without waiting; ``seconds`` is how long the run has lasted."""
        if self.loaded is not None or self.given_up:
            return
        if self.source is None:
            self.source = native_source(self.program)
            if (file := native_build.find_cached(self.source)) is not None:
                self.swap(file)
        elif self.build is None:
            if seconds >= WORTH_COMPILING:
                self.build = native_build.begin(self.source, self.model)
                self.given_up = self.build is None
        elif native_build.is_finished(self.build):
            self.swap(self.build.target)

    def wait(self) -> None:
        """Compile now, however long it takes; a library that is there is kept."""
        if self.given_up:
            return
        self.source = native_source(self.program)
        self.build = native_build.begin(self.source, self.model)
        while self.build is not None and not native_build.is_finished(self.build):
            time.sleep(POLL)
        if self.build is not None:
            self.swap(self.build.target)

    def swap(self, file: Path) -> None:
        found = native_build.load(file)
        if found is None:
            self.given_up = True
            return
        self.loaded, addresses = found
        library.runtime().qb_set_native(self.engine, *addresses)

    def stop(self) -> None:
        if self.build is not None:
            native_build.leave(self.build)
