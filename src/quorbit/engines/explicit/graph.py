"""State graphs from the compiled engine: it searches, then expands every stored state once more (runtime/graph.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile
from typing import Any

from quorbit.canon.layout import Layout
from quorbit.canon.plan import Plan
from quorbit.engines.explicit import library
from quorbit.engines.explicit.explore import broken_invariants, drive, find_violation, limit_message, path_to
from quorbit.engines.explicit.library import ProgramRecord, ReportRecord, program_record, u32, u64
from quorbit.engines.explicit.run import SLICE, Run, ask, initial_words, lowered, opened, start, state_at, summarise
from quorbit.engines.options import SearchOptions
from quorbit.engines.state_graph import Broken, Built, Progress, Question, StateGraph, Stopped
from quorbit.model.evaluate import Meaning
from quorbit.model.expression import Enabled, Expr, Literal, negation
from quorbit.model.formula import Proposition
from quorbit.model.partial import may_fail
from quorbit.model.system import Invariant, System
from quorbit.model.walk import walk
from quorbit.source.errors import UserError


class ViewRecord(ctypes.Structure):
    _fields_ = [
        *((name, u64) for name in ("states", "edges", "sets", "permutations", "cursor")),
        ("offsets", ctypes.POINTER(u64)),
        *((name, ctypes.POINTER(u32)) for name in ("targets", "movers", "renamings", "enabled")),
        *((name, ctypes.POINTER(u32)) for name in ("set_keys", "permutation_keys")),
    ]


@contextmanager
def built_graph(
    system: System,
    question: Question,
    plan: Plan | None,
    layout: Layout | None,
    options: SearchOptions,
    progress: Progress | None,
) -> Iterator[Built]:
    """All reachable states, one per orbit if a plan is given; the states are unpacked when they are looked at."""
    actors = actors_of(system)
    with opened(system, (), options, plan) as run:
        declare(library.runtime())
        start(run, initial_words(run))
        message = drive(run, progress)
        if message:
            raise Stopped(message, summarise(run))
        refuse_failure(run)
        graph = read_graph(run, actors, question.all_edges, progress)
        labels = {p: label(run, p) for p in question.propositions}
        yield Built(graph, labels, run.reduce, summarise(run))


def declare(runtime: Any) -> None:
    if not hasattr(runtime, "qb_graph_open"):
        raise UserError(None, "the compiled runtime belongs to another version of this package: install it again")
    pointer = ctypes.c_void_p
    types: dict[str, tuple[Any, list[Any]]] = {
        "qb_graph_open": (pointer, [pointer, ctypes.POINTER(ctypes.c_int32), u32, u32]),
        "qb_graph_close": (None, [pointer]),
        "qb_graph_step": (ctypes.c_int, [pointer, ctypes.c_double]),
        "qb_graph_view_of": (None, [pointer, ctypes.POINTER(ViewRecord)]),
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


def refuse_failure(run: Run) -> None:
    """A run-time error that the search has met."""
    report: ReportRecord = ask(run)
    if report.failure_kind != library.NOTHING:
        path = path_to(run, report)
        raise Broken(path, find_violation(run, path[-1], report.failure_kind), by_move=True, statistics=summarise(run))


def read_graph(run: Run, actors: list[int], all_edges: bool, progress: Progress | None) -> StateGraph:
    runtime, atoms = library.runtime(), len(run.system.atoms)
    array = (ctypes.c_int32 * max(1, len(actors)))(*actors)
    graph = runtime.qb_graph_open(run.engine, array, atoms, all_edges)
    if not graph:
        raise Stopped("there is not enough memory for the edges", summarise(run))
    try:
        fill(run, graph, progress)
        return copied(run, graph, atoms)
    finally:
        runtime.qb_graph_close(graph)


def fill(run: Run, graph: Any, progress: Progress | None) -> None:
    while (status := library.runtime().qb_graph_step(graph, SLICE)) == library.RUNNING:
        if progress is not None and progress(summarise(run)):
            raise Stopped("interrupted", summarise(run))
    if status == library.FAILED:
        raise AssertionError("a state was found only once")
    if status != library.DONE:
        raise Stopped(limit_message(run, status), summarise(run))


def copied(run: Run, graph: Any, atoms: int) -> StateGraph:
    """The tables as Python sees them; sets and permutations that are equal are one object."""
    view = ViewRecord()
    library.runtime().qb_graph_view_of(graph, ctypes.byref(view))
    words = max(1, (atoms + 31) // 32)
    keys = view.set_keys[: view.sets * words]
    sets = [sum(keys[k * words + i] << 32 * i for i in range(words)) for k in range(view.sets)]
    images = view.permutation_keys[: view.permutations * max(1, atoms)]
    permutations = [tuple(images[k * atoms : (k + 1) * atoms]) for k in range(view.permutations)]
    return StateGraph(
        lambda s: state_at(run, s),
        tuple(takewhile(lambda s: is_initial(run, s), range(view.states))),
        view.offsets[: view.states + 1],
        view.targets[: view.edges],
        [sets[k] for k in view.movers[: view.edges]],
        [permutations[k] for k in view.renamings[: view.edges]],
        [sets[k] for k in view.enabled[: view.states]],
    )


def is_initial(run: Run, s: int) -> bool:
    """Initial states are stored first."""
    parent: int = library.runtime().qb_parent(run.engine, s)
    return parent == library.NO_PARENT


def label(run: Run, p: Proposition) -> bytes:
    """The states with a proposition: those in which its negation is broken, as an invariant, and it is not."""
    e: Expr = p.expression  # type: ignore[assignment]
    found = broken_states(run, negation(e))
    if 2 not in found and not may_fail(run.system, e, {}):
        return found
    opposite = broken_states(run, e)
    for s, (yes, no) in enumerate(zip(found, opposite, strict=True)):
        if yes == no or yes == 2:
            raise fault_at(run, Invariant("proposition", e), s)
    return found


def broken_states(run: Run, condition: Expr) -> bytes:
    """For every state 0 if the condition holds, 1 if not or if it has no value there, 2 if that cannot be told."""
    needs_commands = any(isinstance(part, Enabled) for part in walk(condition))
    system = run.system if needs_commands else replace(run.system, commands=())
    lowered_check = lowered(system, run.layout, (Invariant("proposition", condition),))
    program = program_record(lowered_check, len(system.commands))
    states = ask(run).states
    found = ctypes.create_string_buffer(max(1, states))
    if not library.runtime().qb_graph_label(run.engine, ctypes.byref(program), found):
        raise Stopped("there is not enough memory for the propositions", summarise(run))
    return found.raw[:states]


def fault_at(run: Run, asked: Invariant, state: int) -> Broken:
    """A proposition without a value."""
    report = ask(run)
    report.failure_state = state
    path = path_to(run, report)
    violation = next(broken_invariants(Meaning(run.system), (asked,), path[-1]))
    return Broken(path, violation, by_move=False, statistics=summarise(run))
