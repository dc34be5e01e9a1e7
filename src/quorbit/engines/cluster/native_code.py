"""The model's own machine code: compiled once, by the driver, while the workers search; then sent to all of them."""

from __future__ import annotations

from quorbit.machine.compile.instructions import Program
from quorbit.machine.native import build as native_build
from quorbit.machine.native.source import native_source
from quorbit.machine.native.swap import LARGEST_COMPILED, WORTH_COMPILING


class Compiling:
    def __init__(self, program: Program, wanted: bool) -> None:
        self.program = program
        self.given_up = not wanted or len(program.code) > LARGEST_COMPILED or program.gates is not None
        self.build: native_build.Build | None = None
        self.made: tuple[str, bytes] | None = None  # the name of the library and what is in it

    def advance(self, seconds: float) -> bool:
        """Do what can be done without waiting; whether the library is there since now."""
        if self.given_up or self.made is not None or seconds < WORTH_COMPILING:
            return False
        if self.build is None:
            self.build = native_build.begin(native_source(self.program))
            self.given_up = self.build is None
        elif native_build.is_finished(self.build):
            self.read(self.build)
        return self.made is not None

    def read(self, build: native_build.Build) -> None:
        if native_build.is_sound(build.target):
            self.made = build.target.name, build.target.read_bytes()
        self.given_up = self.made is None

    def stop(self) -> None:
        if self.build is not None:
            native_build.leave(self.build)
