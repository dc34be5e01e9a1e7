"""One search of the compiled engine: how it is opened for a System, started, stepped, asked and closed."""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from quorbit.canon.minimise import Reduce
from quorbit.canon.plan import Plan
from quorbit.groups.group import Group
from quorbit.machine import library
from quorbit.machine import represented as orbit_sizes
from quorbit.machine.compile.gate_tables import GateTables
from quorbit.machine.compile.instructions import Program
from quorbit.machine.compile.lower.system import lower
from quorbit.machine.compile.packing import StateLayout, lay_out, pack_states, pack_ways, unpack_state
from quorbit.machine.compile.shapes import Unshaped, has_ids
from quorbit.machine.effect import MOST_LOOKED_AT, is_idle
from quorbit.machine.kernels.plan_tables import plan_record, reducer
from quorbit.machine.library import OptionsRecord, ReportRecord, program_record
from quorbit.machine.options import MOST_THREADS, SearchOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.command import parameters_of
from quorbit.model.system.expression import FALSE, Fresh
from quorbit.model.system.system import Invariant, NoDeadlock, Property, State, System, Temporal
from quorbit.result.outcome import Statistics
from quorbit.source.errors import UserError
from quorbit.source.frozen import mutable, replace

if TYPE_CHECKING:
    from quorbit.model.dependence.facts import Facts

__all__ = [
    "SLICE",
    "Run",
    "ask",
    "forgets",
    "idle",
    "initial_words",
    "left_out",
    "lowered",
    "numbers_to",
    "opened",
    "refusal",
    "represented",
    "start",
    "state_at",
    "summarise",
]

SLICE = 0.05  # seconds
FIRST_SLICE = 0.01  # of a search that is driven: after it native code is looked for
POLL = 0.1  # seconds between two looks at limits while a slice runs in a thread of its own
SHARE = 4  # of the memory, for remembered calls; as much for the values that Python keeps at hand
ALPHA, SEED = 0.5, 1  # of mixed searches, if nothing else is asked for


@mutable
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
    plan: Plan | None = None
    tables: Any = None  # partial order: what the engine reads while it runs
    facts: Facts | None = None  # from which they were made
    compile_seconds: float = 0.0
    apart: Any = None  # where a thread of the runtime makes steps

    def step(self) -> int:
        runtime = library.runtime()
        status = runtime.qb_step(self.engine, SLICE) if self.spill is None else runtime.qb_spill_step(self.spill, SLICE)
        return int(status)

    def settle(self, status: int) -> int:
        """What a step has come to, after what went wrong in functions of the model was raised."""
        self.layout.memo.raise_pending()
        is_full = status == library.RUNNING and self.spill is None and exceeds_memory(self)
        return library.MEMORY if is_full or self.layout.table.has_failed() else status

    def step_apart(self, is_over: Callable[[], bool]) -> int:
        """A step in a thread of the runtime, for one state can take long: it ends early once ``is_over`` holds."""
        runtime, seconds = library.runtime(), SLICE
        if self.apart is None:
            self.apart = runtime.qb_apart_open(self.engine, self.spill)
            seconds = min(FIRST_SLICE, SLICE)
        if not self.apart:
            return self.step()
        runtime.qb_apart_begin(self.apart, seconds)
        while (status := runtime.qb_apart_await(self.apart, POLL)) == library.BUSY:
            if is_over():
                runtime.qb_stop(self.engine)
        return int(status)

    def leave(self) -> None:
        """Wait until no thread is in the engine, whatever has ended the search."""
        apart, self.apart = self.apart, None
        library.runtime().qb_apart_close(apart)


@contextmanager
def opened(
    system: System,
    properties: tuple[Property, ...],
    options: SearchOptions,
    plan: Plan | None = None,
    facts: Facts | None = None,
    like: Run | None = None,
    invisible: bool = False,
    squeezed: bool = False,
    own_store: bool = False,
) -> Iterator[Run]:
    """An engine for a System, closed at the end.

    ``facts``: states are expanded in part [``invisible``: as LTL needs it]; ``like``: a run whose program serves, and
    whose tables do if they were made from the same facts;
    ``squeezed``: whoever else adds states takes them in a shorter form; ``own_store``: nobody else does, so that
    parents, too, may be kept in one."""
    runtime = library.runtime()
    if reason := refusal(system, properties, options) or refusal_of_plan(system, plan, options):
        raise UserError(None, f"the explicit engine {reason}")
    began = time.monotonic()
    layout = lay_out(system, moving=plan is not None) if like is None else like.layout
    group = None if plan is None else plan.group
    program = lowered(system, layout, properties, group) if like is None else like.program
    record = options_record(system, program, layout, properties, options)
    if options.memory is not None:
        layout.memo.limit(options.memory // SHARE)
        layout.table.limit(options.memory // SHARE)
    plan_tables = None if plan is None else plan_record(system, layout, plan)
    if plan_tables is not None:
        record.plan = ctypes.pointer(plan_tables)
    if options.represented and plan is not None and not orbit_sizes.group_of(plan).is_trivial:
        counting, record.limbs = orbit_sizes.counting_plan(plan)
        record.counting = ctypes.pointer(plan_record(system, layout, counting, counting=True))
    order_tables = None
    if facts is not None:
        is_known = like is not None and like.facts is facts
        order_tables = like.tables if like and is_known else tables_of_facts(facts, layout, invisible)
        record.partial_order = ctypes.addressof(order_tables)
    record.squeezed = (squeezed or own_store) and facts is None and layout.words > 1 and can_squeeze(options)
    record.parents = parents_kept(options, facts is not None) if own_store else library.PARENTS_PLAIN
    engine = runtime.qb_open(ctypes.byref(record))
    if not engine:
        raise UserError(None, "the explicit engine cannot start: not enough memory")
    reduce, close = (None, None) if plan_tables is None else reducer(system, layout, plan_tables)
    seconds = time.monotonic() - began
    run = Run(system, properties, layout, engine, program, options, reduce, plan=plan, compile_seconds=seconds)
    run.tables, run.facts = order_tables, facts
    try:
        yield run
    finally:
        run.leave()
        runtime.qb_close(engine)
        if close is not None:
            close()


def can_squeeze(options: SearchOptions) -> bool:
    """Whether nobody but the workers reads the stored states, in the order in which they were found."""
    elsewhere = options.checkpoint or options.resume or options.spill is not None or forgets(options)
    return options.search == "bfs" and not elsewhere


def parents_kept(options: SearchOptions, in_part: bool) -> int:
    """In which form it is kept from which state each state was found.  ``in_part``: by partial order."""
    if options.spill is not None or options.checkpoint or options.resume or options.search != "bfs":
        return library.PARENTS_PLAIN
    if options.no_parents:
        return library.PARENTS_NONE
    return library.PARENTS_PLAIN if in_part else library.PARENTS_ORDERED


def forgets(options: SearchOptions) -> bool:
    """Whether states are remembered by hashes alone once they are expanded."""
    return options.hash_compact or options.bitstate is not None


def refusal(system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    """Why this engine cannot serve these, "" if it can; models it cannot lay out are refused when it runs."""
    if not library.is_available():
        return "was not built when this package was installed (no C compiler was found)"
    if any(isinstance(p, Temporal) for p in properties):
        return "checks invariants, assertions and deadlocks, not temporal formulas"
    return refusal_of_options(options)


def refusal_of_options(options: SearchOptions) -> str:
    keeps = options.checkpoint or options.resume
    if not 1 <= options.threads <= MOST_THREADS:
        return f"runs on 1 to {MOST_THREADS} threads, not {options.threads}"
    if options.spill is not None and options.threads > 1:
        return "searches on disk (spill) with one thread only"
    if options.spill is not None and keeps:
        return "cannot combine a search on disk (spill) with checkpoints"
    if options.hash_compact and (options.spill is not None or keeps):
        return "keeps no states with hash compaction, so it can neither spill nor write checkpoints"
    if reason := refusal_of_bits(options) or refusal_without_parents(options):
        return reason
    if options.search not in library.ORDERS:
        return f"knows the searches {', '.join(library.ORDERS)}, not {options.search}"
    if options.search != "mixed" and (options.alpha is not None or options.seed is not None):
        return "uses alpha and seed in a mixed search only"
    if options.search == "bfs":
        return ""
    if options.alpha is not None and not 0 <= options.alpha <= 1:
        return f"needs a probability alpha from 0 to 1, not {options.alpha:g}"
    if options.threads > 1 or options.spill is not None or keeps or options.hash_compact:
        return f"searches breadth-first, not {options.search}, on threads, on disk, with checkpoints or hash compaction"
    return ""


def refusal_of_bits(options: SearchOptions) -> str:
    """Why states cannot be remembered by bits together with what else is asked for."""
    if options.bitstate is None:
        return ""
    others = {
        "--hash-compact": options.hash_compact,
        "--threads": options.threads > 1,
        "--spill": options.spill is not None,
        "--checkpoint": options.checkpoint is not None,
        "--resume": options.resume is not None,
        "--represented": options.represented,
        f"--search {options.search}": options.search != "bfs",
    }
    if asked := [name for name, is_asked in others.items() if is_asked]:
        return f"cannot combine --bitstate with {' or '.join(asked)}"
    if options.memory is not None and options.bitstate >= options.memory:
        return "needs more --memory than the array of --bitstate takes: states wait to be expanded beside it"
    return ""


def refusal_without_parents(options: SearchOptions) -> str:
    """Why traces cannot be found by expanding levels again together with what else is asked for."""
    if not options.no_parents:
        return ""
    others = {
        "--hash-compact": options.hash_compact,
        "--bitstate": options.bitstate is not None,
        "--checkpoint": options.checkpoint is not None,
        "--resume": options.resume is not None,
        f"--search {options.search}": options.search != "bfs",
    }
    asked = [name for name, is_asked in others.items() if is_asked]
    return f"cannot combine --no-parents with {' or '.join(asked)}" if asked else ""


def refusal_of_plan(system: System, plan: Plan | None, options: SearchOptions) -> str:
    if not options.represented or plan is None:
        return ""
    if not plan.exact:
        return f"counts the states represented under exact strategies only, and {plan.name} is approximate here"
    moved = frozenset(orbit_sizes.group_of(plan).moved)
    if any(not moved.isdisjoint(atoms) for atoms in created(system)):
        return (
            "cannot count the states represented: a created process takes the first free place, never all of an orbit"
        )
    return ""


def created(system: System) -> Iterator[tuple[int, ...]]:
    """The atoms that each creation chooses from."""
    for command in (*system.commands, *system.start):
        for parameter in parameters_of(command):
            if isinstance(parameter.domain, Fresh):
                yield parameter.domain.atoms


def lowered(
    system: System, layout: StateLayout, properties: tuple[Property, ...], group: Group | None = None
) -> Program:
    """``group``: symmetries under which one state of each orbit is wanted."""
    try:
        gates = circuit_gates(system, layout, properties, group) if system.synchronous else None
        if gates is None:
            return lower(system, layout, properties)
        ends = tuple(p for p in properties if isinstance(p, NoDeadlock))
        program = lower(replace(system, commands=()), layout, ends)
        return replace(program, gates=gates, registers=max(program.registers, gates.numbers))
    except Unshaped as why:
        raise UserError(None, f"the explicit engine cannot run this model: {why}") from None
    except RecursionError:
        raise UserError(
            None, "the explicit engine cannot run this model: its expressions are nested too deeply"
        ) from None


def circuit_gates(
    system: System, layout: StateLayout, properties: tuple[Property, ...], group: Group | None
) -> GateTables | None:
    from quorbit.machine.compile.gates import gate_tables

    return gate_tables(system, layout, properties, group)


def tables_of_facts(facts: Facts, layout: StateLayout, invisible: bool) -> Any:
    from quorbit.machine.partial_order import order_record

    return order_record(facts, layout, invisible)


def options_record(
    system: System, program: Program, layout: StateLayout, properties: tuple[Property, ...], options: SearchOptions
) -> OptionsRecord:
    table = layout.table
    values = table.handle if any(map(has_ids, layout.shapes)) else table.handle_if_open
    return OptionsRecord(
        program_record(program, len(system.commands), layout.memo.handle_if_open, values),
        options.memory or 0,
        options.max_states or 0,
        2**64 - 1 if options.max_depth is None else options.max_depth,
        options.all_errors,
        system.transient != FALSE,
        any(isinstance(p, Invariant) for p in properties),
        max((1 + p.stuttering for p in properties if isinstance(p, NoDeadlock)), default=0),
        options.threads,
        library.ORDERS[options.search],
        forgets(options),
        0,
        False,
        min(system.most_moves or 0, 2**32 - 1),
        library.PARENTS_PLAIN,
        False,
        options.bitstate or 0,
        ALPHA if options.alpha is None else options.alpha,
        (SEED if options.seed is None else options.seed) % 2**64,
    )


def left_out(run: Run) -> str:
    """The label of moves that were not all followed, since from some state they are too many; "": all were."""
    k = ask(run).left_out
    return list(dict.fromkeys(c.label for c in run.system.commands))[k - 1] if k else ""


def initial_words(run: Run) -> list[int]:
    """The packed initial states, one after the other; where equal moves count once, one of each orbit."""
    meaning = Meaning(run.system)
    once = run.system.count_once and run.reduce is not None
    if not once and (found := meaning.starting_ways()) is not None:
        return pack_ways(run.layout, *found)
    states = meaning.initial_states()
    if once and run.reduce is not None:
        states = list(dict.fromkeys(run.reduce(s)[0] for s in states))
    return pack_states(run.layout, states)


def start(run: Run, words: list[int]) -> None:
    array, count = (ctypes.c_uint64 * max(1, len(words)))(*words), len(words) // run.layout.words
    runtime = library.runtime()
    to_disk = run.spill is not None
    started = runtime.qb_spill_start(run.spill, array, count) if to_disk else runtime.qb_start(run.engine, array, count)
    if not started and to_disk and (number := runtime.qb_spill_error(run.spill)):
        raise UserError(None, f"the explicit engine cannot start: {os.strerror(number)}")
    if not started:
        raise UserError(None, "the explicit engine cannot start: not enough memory")


def state_at(run: Run, state: int) -> State:
    words = (ctypes.c_uint64 * run.layout.words)()
    library.runtime().qb_state(run.engine, state, words)
    return unpack_state(run.layout, words)


def numbers_to(run: Run, state: int) -> list[int]:
    """The states from an initial one to this one, by their numbers in the engine."""
    runtime = library.runtime()
    path = []
    while state != library.NO_PARENT:
        path.append(state)
        state = runtime.qb_parent(run.engine, state)
    return path[::-1]


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
        depth=report.deepest,
        memory_bytes=bytes_used(run, report),
        explore_seconds=report.cpu_seconds,
        compile_seconds=run.compile_seconds,
        levels=tuple(runtime.qb_levels(run.engine)[: report.levels]),
        fired=tuple(runtime.qb_fired(run.engine)[: len(run.system.commands)]),
        errors=report.errors,
        loss_probability=loss_probability(report.states, run.layout.words) if run.options.hash_compact else None,
        bitstate_coverage=report.states / (report.states + report.lost)
        if run.options.bitstate and report.states
        else None,
    )


def bytes_used(run: Run, report: ReportRecord) -> int:
    """States, values, and what is remembered about them."""
    return int(report.bytes) + run.layout.table.byte_count() + run.layout.memo.byte_count()


def exceeds_memory(run: Run) -> bool:
    return run.options.memory is not None and bytes_used(run, ask(run)) > run.options.memory


def represented(run: Run) -> int | None:
    """How many states of the unreduced model the stored ones stand for, if that was asked for."""
    if not run.options.represented:
        return None
    return orbit_sizes.count_represented(run.engine, run.plan, ask(run).states)


def idle(run: Run) -> bool | None:
    """Whether the symmetries move none of the stored states; None where these are not at hand or too many."""
    if run.plan is None:
        return True
    if run.plan.group is None or run.spill is not None or forgets(run.options):
        return None
    states = ask(run).states
    looked_at = min(states, MOST_LOOKED_AT)
    return is_idle(run.system, run.plan.group, (state_at(run, k) for k in range(looked_at)), looked_at == states)


def loss_probability(states: int, words: int) -> float:
    """A bound for the probability that two of so many states have one hash of 64 bits; states of one word are hashed
    one to one (runtime/store.h)."""
    return 0.0 if words == 1 else min(1.0, states * (states - 1) / 2**65)
