"""Breadth-first search with the compiled engine: the same answers as the reference engine, at native speed.

The engine runs in slices of 50 ms; between two slices Python looks at limits and interrupts and reports progress.  What
the engine finds is a state; what is wrong with it is said by the System's meaning, and the trace is lifted and replayed
on it.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from quorbit.canon.layout import Layout
from quorbit.canon.plan import Plan
from quorbit.engines.explicit import library
from quorbit.engines.explicit.checkpoint import (
    Checkpoint,
    digest_of,
    open_checkpoint,
    resume,
    save,
    save_now_and_then,
)
from quorbit.engines.explicit.instructions import Program
from quorbit.engines.explicit.layout import StateLayout, lay_out, pack_state, unpack_state
from quorbit.engines.explicit.library import OptionsRecord, ReportRecord, program_record
from quorbit.engines.explicit.lower_system import lower
from quorbit.engines.explicit.native import NativeCode
from quorbit.engines.explicit.shapes import Unshaped
from quorbit.engines.explicit.spill import opened_spill, path_on_disk
from quorbit.engines.explicit.tables import plan_record, reducer
from quorbit.engines.options import SearchOptions
from quorbit.engines.replay import Reduce, lift
from quorbit.model.evaluate import FAULTS, BoundExceeded, Fault, Meaning, Violation
from quorbit.model.expression import FALSE
from quorbit.model.system import Assertions, Invariant, NoDeadlock, Property, State, System, Temporal
from quorbit.result.outcome import Outcome, Statistics, Verdict
from quorbit.source.errors import UserError

Progress = Callable[[Statistics], bool]  # told what is known so far; answers whether to stop
SLICE = 0.05  # seconds
MOST_THREADS = 16


@dataclass
class Run:
    """One search: the engine and what Python knows about it."""

    system: System
    properties: tuple[Property, ...]
    layout: StateLayout
    engine: Any
    program: Program
    options: SearchOptions
    reduce: Reduce | None = None
    spill: Any = None  # the search on disk, if it is one

    def step(self) -> int:
        runtime = library.runtime()
        status = runtime.qb_step(self.engine, SLICE) if self.spill is None else runtime.qb_spill_step(self.spill, SLICE)
        return int(status)


def explore(
    system: System,
    properties: tuple[Property, ...],
    plan: Plan | None = None,
    layout: Layout | None = None,
    options: SearchOptions | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Check the safety properties on all reachable states, one per orbit if a plan is given."""
    options = options or SearchOptions()
    with opened(system, properties, options, plan) as run:
        words = initial_words(run)
        if options.spill is not None:
            return explore_on_disk(run, options.spill, words, progress)
        checkpoint = checkpoint_of(run, plan, words)
        if checkpoint is None or options.resume is None or not resume(checkpoint, run.engine):
            start(run, words)
        message = drive(run, progress, checkpoint)
        return answer(run, message)


def explore_on_disk(run: Run, directory: str, words: list[int], progress: Progress | None) -> Outcome:
    with opened_spill(run.engine, directory, run.options.memory) as spill:
        run.spill = spill
        start(run, words)
        return answer(run, drive(run, progress))


@contextmanager
def opened(
    system: System, properties: tuple[Property, ...], options: SearchOptions, plan: Plan | None = None
) -> Iterator[Run]:
    """An engine for a System, closed at the end."""
    runtime = library.runtime()
    if reason := refusal(system, properties, options):
        raise UserError(None, f"the explicit engine {reason}")
    layout = lay_out(system)
    program = lowered(system, layout, properties)
    record = options_record(system, program, properties, options)
    plan_tables = None if plan is None else plan_record(system, layout, plan)
    if plan_tables is not None:
        record.plan = ctypes.pointer(plan_tables)
    engine = runtime.qb_open(ctypes.byref(record))
    if not engine:
        raise UserError(None, "the explicit engine cannot start: not enough memory")
    reduce, close = (None, None) if plan_tables is None else reducer(system, layout, plan_tables)
    try:
        yield Run(system, properties, layout, engine, program, options, reduce)
    finally:
        runtime.qb_close(engine)
        if close is not None:
            close()


def refusal(system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    """Why this engine cannot serve these, "" if it can; models it cannot lay out are refused when it runs."""
    if not library.is_available():
        return "was not built when this package was installed (no C compiler was found)"
    if any(isinstance(p, Temporal) for p in properties):
        return "checks invariants, assertions and deadlocks, not temporal formulas"
    if not 1 <= options.threads <= MOST_THREADS:
        return f"runs on 1 to {MOST_THREADS} threads, not {options.threads}"
    if options.spill is not None and options.threads > 1:
        return "searches on disk (spill) with one thread only"
    if options.spill is not None and (options.checkpoint or options.resume):
        return "cannot combine a search on disk (spill) with checkpoints"
    return ""


def lowered(system: System, layout: StateLayout, properties: tuple[Property, ...]) -> Program:
    try:
        return lower(system, layout, properties)
    except Unshaped as why:
        raise UserError(None, f"the explicit engine cannot run this model: {why}") from None
    except RecursionError:
        raise UserError(
            None, "the explicit engine cannot run this model: its expressions are nested too deeply"
        ) from None


def options_record(
    system: System, program: Program, properties: tuple[Property, ...], options: SearchOptions
) -> OptionsRecord:
    return OptionsRecord(
        program_record(program, len(system.commands)),
        options.memory or 0,
        options.max_states or 0,
        2**64 - 1 if options.max_depth is None else options.max_depth,
        options.all_errors,
        system.transient != FALSE,
        any(isinstance(p, Invariant) for p in properties),
        any(isinstance(p, NoDeadlock) for p in properties),
        options.threads,
    )


def initial_words(run: Run) -> list[int]:
    """The packed initial states, one after the other; where equal moves count once, one of each orbit."""
    states = Meaning(run.system).initial_states()
    if run.system.count_once and run.reduce is not None:
        states = list(dict.fromkeys(run.reduce(s)[0] for s in states))
    return [word for s in states for word in pack_state(run.layout, s)]


def start(run: Run, words: list[int]) -> None:
    array, count = (ctypes.c_uint64 * max(1, len(words)))(*words), len(words) // run.layout.words
    runtime = library.runtime()
    to_disk = run.spill is not None
    started = runtime.qb_spill_start(run.spill, array, count) if to_disk else runtime.qb_start(run.engine, array, count)
    if not started:
        raise UserError(None, "the explicit engine cannot start: not enough memory")


def checkpoint_of(run: Run, plan: Plan | None, words: list[int]) -> Checkpoint | None:
    """Where this run keeps its checkpoints, if it does."""
    directory = run.options.resume or run.options.checkpoint
    if directory is None:
        return None
    digest = digest_of(run.program, plan, words, run.options.all_errors)
    return open_checkpoint(directory, digest, run.layout.words, len(run.system.commands))


def drive(run: Run, progress: Progress | None = None, checkpoint: Checkpoint | None = None) -> str:
    """Slice after slice until the search ends; the limit that was hit, or ''."""
    began, timeout = time.monotonic(), run.options.timeout
    native = NativeCode(run.engine, run.program) if run.options.native else None
    try:
        while (status := run.step()) == library.RUNNING:
            if native is not None:
                native.advance(time.monotonic() - began)
            if checkpoint is not None:
                save_now_and_then(checkpoint, run.engine)
            if timeout is not None and time.monotonic() - began > timeout:
                return f"the time limit of {timeout:g} s was reached"
            if progress is not None and progress(summarise(run)):
                return "interrupted"
    except KeyboardInterrupt:
        return "interrupted"
    finally:
        if native is not None:
            native.stop()
        if checkpoint is not None:
            save(checkpoint, run.engine)
    return limit_message(run, status)


def limit_message(run: Run, status: int) -> str:
    match status:
        case library.MEMORY:
            limit = "" if run.options.memory is None else f" of {run.options.memory} bytes"
            return f"the memory limit{limit} was reached"
        case library.DEPTH:
            return f"the depth limit of {run.options.max_depth} was reached"
        case library.STATES:
            return f"the limit of {run.options.max_states} states was reached"
        case library.TOO_FEW_ATOMS:
            raise BoundExceeded(run.system.name)
        case library.TOO_LARGE:
            return "a number beyond 64 bits came up"
        case _:
            return ""


def answer(run: Run, message: str) -> Outcome:
    statistics = summarise(run)
    report = ask(run)
    if report.failure_kind == library.NOTHING:
        verdict = Verdict.UNKNOWN if message else Verdict.HOLDS
        return Outcome(verdict, message=message, statistics=statistics, engine="explicit")
    path = path_to(run, report)
    violation = find_violation(run, path[-1], report.failure_kind)
    by_move = violation if report.failure_kind == library.BY_MOVE else None
    trace = lift(run.system, path, run.reduce, by_move)
    return Outcome(Verdict.FAILS, violation.property, violation.message, trace, statistics, "explicit")


def find_violation(run: Run, s: State, kind: int) -> Violation:
    """What is wrong in a state or with a move from it, by the System's meaning."""
    meaning = Meaning(run.system)
    match kind:
        case library.BY_MOVE:
            asked = {FAULTS, *(p.name for p in run.properties if isinstance(p, Assertions))}
            found = (m.violation for m in meaning.moves(s) if m.violation and m.violation.property in asked)
            return next(found)
        case library.STUCK:
            return next(broken_ends(meaning, run.properties, s))
        case _:
            return next(broken_invariants(meaning, run.properties, s))


def broken_invariants(meaning: Meaning, properties: tuple[Property, ...], s: State) -> Iterator[Violation]:
    for p in properties:
        if isinstance(p, Invariant):
            try:
                if not meaning.holds(p.condition, s):
                    yield Violation(p.name, p.message or f"{p.name} does not hold", p.span)
            except Fault as fault:
                yield Violation(FAULTS, fault.message, fault.span)


def broken_ends(meaning: Meaning, properties: tuple[Property, ...], s: State) -> Iterator[Violation]:
    for p in properties:
        if isinstance(p, NoDeadlock):
            try:
                if not meaning.holds(p.allowed, s):
                    yield Violation(p.name, p.message, p.span)
            except Fault as fault:
                yield Violation(FAULTS, fault.message, fault.span)


def path_to(run: Run, report: ReportRecord) -> list[State]:
    """The states from an initial one to that of the failure, by their numbers in the engine."""
    if run.spill is not None:
        return [unpack_state(run.layout, words) for words in path_on_disk(run.spill, report, run.layout.words)]
    runtime, state = library.runtime(), report.failure_state
    path = []
    while state != library.NO_PARENT:
        path.append(state_at(run, state))
        state = runtime.qb_parent(run.engine, state)
    return path[::-1]


def state_at(run: Run, state: int) -> State:
    words = (ctypes.c_uint64 * run.layout.words)()
    library.runtime().qb_state(run.engine, state, words)
    return unpack_state(run.layout, words)


def ask(run: Run) -> ReportRecord:
    report = ReportRecord()
    runtime = library.runtime()
    if run.spill is None:
        runtime.qb_ask(run.engine, ctypes.byref(report))
    else:
        runtime.qb_spill_ask(run.spill, ctypes.byref(report))
    return report


def summarise(run: Run) -> Statistics:
    runtime, report = library.runtime(), ask(run)
    return Statistics(
        states=report.states,
        transitions=report.transitions,
        depth=max(0, report.levels - 1),
        memory_bytes=report.bytes,
        explore_seconds=report.cpu_seconds,
        levels=tuple(runtime.qb_levels(run.engine)[: report.levels]),
        fired=tuple(runtime.qb_fired(run.engine)[: len(run.system.commands)]),
        errors=report.errors,
    )
