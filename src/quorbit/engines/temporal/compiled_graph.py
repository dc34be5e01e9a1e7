"""The graph of the states in the compiled engine, expanded as far as it is asked for (runtime/graph.h)."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

from quorbit.engines.temporal.space import Broken, Progress, Stopped
from quorbit.machine import library
from quorbit.machine.findings import broken_invariants, find_violation, limit_message, path_to
from quorbit.machine.interned import TooLarge
from quorbit.machine.library import ProgramRecord, ReportRecord, program_record, u32, u64
from quorbit.machine.native.swap import NativeCode
from quorbit.machine.run import SLICE, Run, ask, lowered, summarise
from quorbit.machine.shared_records import check_records
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.partial import may_fail
from quorbit.model.system.expression import Enabled, Expr, Literal, negation
from quorbit.model.system.formula import Proposition
from quorbit.model.system.system import Invariant, System
from quorbit.model.system.walk import walk
from quorbit.source.errors import UserError
from quorbit.source.frozen import mutable, replace
from quorbit.source.limits import time_reached

i32 = ctypes.c_int32


class CastRecord(ctypes.Structure):
    _fields_ = [
        ("actors", ctypes.POINTER(i32)),
        ("processes", ctypes.POINTER(i32)),
        *((name, u32) for name in ("process_count", "atoms", "follow", "unused")),
    ]


class GraphView(ctypes.Structure):
    _fields_ = [
        *((name, u64) for name in ("states", "edges", "expanded")),
        *((name, ctypes.POINTER(u32)) for name in ("set_keys", "permutation_keys")),
    ]


@mutable
class Graph:
    """A run's graph; the processes are the atoms that move somewhere."""

    run: Run
    handle: Any
    processes: tuple[int, ...]
    follows: bool
    progress: Progress | None
    native: NativeCode | None
    began: float

    def view(self) -> GraphView:
        view = GraphView()
        library.runtime().qb_graph_view_of(self.handle, ctypes.byref(view))
        return view

    def target(self, source: int, edge: int) -> int:
        return int(library.runtime().qb_graph_target(self.handle, source, edge))

    def names(self, edge: int) -> tuple[int, tuple[int, ...]] | None:
        """Who moves, and what every process becomes, where edges tell; processes are numbered among themselves."""
        if not self.follows:
            return None
        runtime, view, count = library.runtime(), self.view(), len(self.processes)
        words, renaming = count // 32 + 1, runtime.qb_graph_renaming(self.handle, edge) * max(1, count)
        first = runtime.qb_graph_movers(self.handle, edge) * words
        movers = sum(view.set_keys[first + k] << 32 * k for k in range(words))
        return movers, tuple(view.permutation_keys[renaming : renaming + count])

    def widen(self, most: int) -> bool:
        """Expand states in breadth-first order, so many at most; whether all are."""
        while (status := library.runtime().qb_graph_widen(self.handle, most, SLICE)) == library.RUNNING:
            self.between_slices()
        self.refuse(status)
        view = self.view()
        return bool(view.expanded == view.states)

    def between_slices(self) -> None:
        """Limits and interrupts; native code is swapped in when it is there."""
        self.settle(library.RUNNING)
        seconds, timeout = time.monotonic() - self.began, self.run.options.timeout
        if self.native is not None:
            self.native.advance(seconds)
        if timeout is not None and seconds > timeout:
            raise self.stopped(time_reached(timeout))
        if self.progress is not None and self.progress(summarise(self.run)):
            raise self.stopped("interrupted")

    def refuse(self, status: int) -> None:
        """Whatever ended the work before it was done."""
        status = self.settle(status)
        if status == library.FAILED:
            path = path_to(self.run, ask(self.run))
            raise Broken(path, find_violation(self.run, path[-1], library.BY_MOVE), True, summarise(self.run))
        if message := limit_message(self.run, status):
            raise self.stopped(message)

    def settle(self, status: int) -> int:
        """What went wrong in functions of the model (memo.py) is raised here."""
        try:
            settled = self.run.settle(status)
        except TooLarge:
            settled = library.TOO_LARGE
        if settled != status:
            raise self.stopped(limit_message(self.run, settled))
        return settled

    def stopped(self, message: str) -> Stopped:
        return Stopped(message, summarise(self.run))

    def initial(self) -> tuple[int, ...]:
        """Initial states are stored first."""
        states = range(ask(self.run).states)
        return tuple(takewhile(lambda s: library.runtime().qb_parent(self.run.engine, s) == library.NO_PARENT, states))


@contextmanager
def opened_graph(run: Run, follows: bool, progress: Progress | None) -> Iterator[Graph]:
    """The graph of a run that has started; ``follows``: edges tell who moves and how processes are renamed."""
    declare(library.runtime())
    actors = actors_of(run.system)
    processes = tuple(sorted({a for a in actors if a >= 0}))
    numbers = {a: i for i, a in enumerate(processes)}
    moving = (i32 * max(1, len(actors)))(*(numbers.get(a, -1) for a in actors))
    atoms = (i32 * max(1, len(processes)))(*processes)
    cast = CastRecord(moving, atoms, len(processes), len(run.system.atoms), follows)
    handle = library.runtime().qb_graph_open(run.engine, ctypes.byref(cast))
    if not handle:
        raise Stopped("there is not enough memory for the edges", summarise(run))
    native = NativeCode(run.engine, run.program, run.system.name) if run.options.native else None
    if native is not None and run.options.compile_first:
        native.wait()
    try:
        yield Graph(run, handle, processes, follows, progress, native, time.monotonic())
    finally:
        if native is not None:
            native.stop()
        library.runtime().qb_graph_close(handle)


def declare(runtime: Any) -> None:
    check_records(runtime, {"qb_cast": CastRecord, "qb_graph_view": GraphView})
    pointer = ctypes.c_void_p
    types: dict[str, tuple[Any, list[Any]]] = {
        "qb_graph_open": (pointer, [pointer, ctypes.POINTER(CastRecord)]),
        "qb_graph_close": (None, [pointer]),
        "qb_graph_widen": (ctypes.c_int, [pointer, u64, ctypes.c_double]),
        "qb_graph_view_of": (None, [pointer, ctypes.POINTER(GraphView)]),
        "qb_graph_target": (u32, [pointer, u32, u64]),
        "qb_graph_movers": (u32, [pointer, u64]),
        "qb_graph_renaming": (u32, [pointer, u64]),
        "qb_graph_label": (ctypes.c_bool, [pointer, ctypes.POINTER(ProgramRecord), ctypes.c_char_p]),
    }
    for name, (result, arguments) in types.items():
        function = getattr(runtime, name)
        function.restype, function.argtypes = result, arguments


def actors_of(system: System) -> list[int]:
    """The process that every command moves first, -1 if none; refuses commands that find it out when they run."""
    found = []
    for command in system.commands:
        actor = command.actors[0] if command.actors else None
        if actor is not None and not isinstance(actor, Literal):
            raise UserError(None, "the explicit engine needs to know who moves in a command")
        found.append(actor.value if actor is not None and isinstance(actor.value, int) else -1)
    return found


# Propositions are asked as invariants: one holds where its negation is broken and it is not.


def label(run: Run, p: Proposition) -> bytes:
    """The states with a proposition, of all that are stored."""
    e: Expr = p.expression  # type: ignore[assignment]
    found = broken_states(run, negation(e))
    if 2 not in found and not may_fail(run.system, e, {}):
        return found
    opposite = broken_states(run, e)
    for s, (yes, no) in enumerate(zip(found, opposite, strict=True)):
        if yes == no or yes == 2:
            raise fault_at(run, p, s)
    return found


def broken_states(run: Run, condition: Expr) -> bytes:
    """For every state 0 if the condition holds, 1 if not or if it has no value there, 2 if that cannot be told."""
    states = ask(run).states
    found = ctypes.create_string_buffer(max(1, states))
    if not library.runtime().qb_graph_label(run.engine, ctypes.byref(test_of(run, condition)), found):
        raise Stopped("there is not enough memory for the propositions", summarise(run))
    run.settle(library.RUNNING)
    return found.raw[:states]


def test_of(run: Run, condition: Expr) -> ProgramRecord:
    """A program that finds the condition broken, as an invariant."""
    needs_commands = any(isinstance(part, Enabled) for part in walk(condition))
    system = run.system if needs_commands else replace(run.system, commands=())
    program = lowered(system, run.layout, (Invariant("proposition", condition),))
    return program_record(program, len(system.commands), run.layout.memo.handle_if_open)


def fault_at(run: Run, p: Proposition, state: int) -> Broken:
    """A proposition without a value."""
    report: ReportRecord = ask(run)
    report.failure_state = state
    path = path_to(run, report)
    asked = Invariant("proposition", p.expression)  # type: ignore[arg-type]
    violation = next(broken_invariants(Meaning(run.system), (asked,), path[-1]))
    return Broken(path, violation, by_move=False, statistics=summarise(run))
