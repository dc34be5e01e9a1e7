"""What a search of the machine has found: the limit that ended it, the states on the way, what is violated."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.machine import library
from quorbit.machine.compile.packing import unpack_state
from quorbit.machine.library import ReportRecord
from quorbit.machine.run import Run, numbers_to, state_at
from quorbit.machine.spill import path_on_disk
from quorbit.model.meaning.evaluate import FAULTS, BoundExceeded, Fault, Meaning, Violation
from quorbit.model.system.system import Assertions, Invariant, NoDeadlock, Property, State

__all__ = ["broken_invariants", "find_violation", "limit_message", "path_to"]


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
    """The states from an initial one to that of the failure."""
    if run.spill is not None:
        return [unpack_state(run.layout, words) for words in path_on_disk(run.spill, report, run.layout.words)]
    return [state_at(run, number) for number in numbers_to(run, report.failure_state)]
