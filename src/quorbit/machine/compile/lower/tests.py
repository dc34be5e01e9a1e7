"""Conditions to a program with one entry for each: 1 where it holds, 0 where not, FAULT where it has no value."""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.machine.compile.instructions import OVERFLOW, Label, Program
from quorbit.machine.compile.lower.system import SystemLowering
from quorbit.machine.compile.packing import StateLayout
from quorbit.model.system.expression import Enabled, Expr
from quorbit.model.system.system import System
from quorbit.model.system.walk import walk
from quorbit.source.frozen import replace

__all__ = ["lower_tests"]


def lower_tests(system: System, layout: StateLayout, tests: Sequence[Expr]) -> tuple[Program, list[int]]:
    """The program, and the entry of each condition."""
    asks_commands = any(isinstance(part, Enabled) for e in tests for part in walk(e))
    lowering = TestLowering(system if asks_commands else replace(system, commands=()), layout, ())
    return lowering.tests(tests)


class TestLowering(SystemLowering):
    __test__ = False  # what is tested here is a state

    def tests(self, conditions: Sequence[Expr]) -> tuple[Program, list[int]]:
        self.instances = [i for n, c in enumerate(self.system.commands) for i in self.specialise(n, c)]
        self.call_words = 0
        entries = {str(k): Label() for k in range(len(conditions))}
        for entry, e in zip(entries.values(), conditions, strict=True):
            self.write_entry(entry, lambda e=e: self.write_test(e))  # type: ignore[misc]
        idle = Label()
        self.write_entry(idle, lambda: self.e.end(0))
        self.e.place(self.e.never)
        self.e.end(OVERFLOW)
        program = self.assemble({**entries, "next": idle, "check": idle, "stuck": idle})
        return program, [program.entries[name] for name in entries]

    def write_test(self, e: Expr) -> None:
        broken = Label()
        self.scoped(lambda: self.branch(e, {}, broken, False))
        self.e.end(1)
        self.e.place(broken)
        self.e.end(0)
