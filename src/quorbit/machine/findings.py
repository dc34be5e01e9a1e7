"""What a search of the machine has found: the limit that ended it, the states on the way, what is violated."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from quorbit.machine import library
from quorbit.machine.library import ReportRecord
from quorbit.machine.path import Path, path_in_memory
from quorbit.machine.run import Run
from quorbit.machine.spill import path_on_disk, refusal_of_disk
from quorbit.model.meaning.evaluate import FAULTS, BoundExceeded, Fault, Meaning, Move, Violation
from quorbit.model.system.system import Assertions, Invariant, NoDeadlock, Property, State
from quorbit.source.limits import depth_reached, memory_reached, states_reached

__all__ = ["broken_invariants", "find_violation", "limit_message", "path_to", "violating_moves", "words_to"]


def limit_message(run: Run, status: int) -> str:
    match status:
        case library.MEMORY:
            return memory_reached(run.options.memory)
        case library.DISK:
            return refusal_of_disk(run.spill, run.options.spill)
        case library.DEPTH:
            return depth_reached(run.options.max_depth)
        case library.STATES:
            return states_reached(run.options.max_states)
        case library.TOO_FEW_ATOMS:
            raise BoundExceeded(run.system.name)
        case library.TOO_LARGE:
            return "a number does not fit into 64 bits"
        case _:
            return ""


def find_violation(run: Run, s: State, kind: int) -> Violation:
    """What is wrong in a state or with a move from it, by the System's meaning."""
    meaning = Meaning(run.system)
    match kind:
        case library.BY_MOVE:
            return next(m.violation for m in violating_moves(run, s) if m.violation)
        case library.STUCK:
            return next(broken_ends(meaning, run.properties, s))
        case _:
            return next(broken_invariants(meaning, run.properties, s))


def violating_moves(run: Run, s: State) -> Iterator[Move]:
    asked = {FAULTS, *(p.name for p in run.properties if isinstance(p, Assertions))}
    return (m for m in Meaning(run.system).moves(s) if m.violation and m.violation.property in asked)


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
    """The states from an initial one to that of the failure."""
    return words_to(run, report).states(run.layout)


def words_to(run: Run, report: ReportRecord) -> Path:
    """The same, as they are stored."""
    if run.spill is not None:
        rows = path_on_disk(run.spill, report, run.layout.words)
        return Path(array("Q", (word for row in rows for word in row)), run.layout.words)
    return path_in_memory(run, report.failure_state)
