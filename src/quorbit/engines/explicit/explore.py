"""Search with the compiled engine: the same answers as the reference engine, at native speed.

The engine runs in slices of 50 ms; between two slices Python looks at limits and interrupts and reports progress.  What
the engine finds is a state; what is wrong with it is said by the System's meaning, and the trace is lifted and replayed
on it.
"""

from __future__ import annotations

import ctypes
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from quorbit.canon.layout import Layout
from quorbit.canon.plan import Plan
from quorbit.engines import partial_order
from quorbit.engines.engine import moves_left_out
from quorbit.engines.failure import failing
from quorbit.engines.partial_order import PROBED, STAGES, enough_states
from quorbit.machine import library
from quorbit.machine.findings import limit_message, words_to
from quorbit.machine.interned import TooLarge
from quorbit.machine.options import SearchOptions
from quorbit.machine.path import Path
from quorbit.machine.run import (
    Run,
    ask,
    forgets,
    idle,
    initial_words,
    left_out,
    numbers_to,
    opened,
    refusal,
    represented,
    start,
    summarise,
)
from quorbit.model.system.system import Property, System
from quorbit.result.outcome import Outcome, Statistics, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace
from quorbit.source.limits import time_reached

if TYPE_CHECKING:
    from quorbit.machine.checkpoint import Checkpoint
    from quorbit.machine.native.swap import NativeCode
    from quorbit.model.dependence.facts import Facts

__all__ = ["refusal"]
MOST_TIMES = 10  # as many states as the reduced search had may be looked at to find a shortest trace
Progress = Callable[[Statistics], bool]  # told what is known so far; answers whether to stop


@frozen
class Forgotten:
    """A failure at the end of a path of states of which only the hashes are left."""

    numbers: list[int]
    kind: int
    statistics: Statistics
    limit: str


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
    if options.por == "off":
        return explore_with(None, system, properties, plan, options, progress)
    reason = partial_order.refusal(system, properties, plan, options)
    if not reason and options.por == "auto":
        return explore_and_decide(system, properties, plan, options, progress)
    if reason and options.por == "on":
        raise UserError(None, f"--por on cannot be used here: {reason}")
    facts = None if reason else partial_order.find_facts(system, properties, plan)
    outcome = explore_with(facts, system, properties, plan, options, progress)
    return replace(outcome, por=partial_order.unused(reason)) if reason else outcome


def explore_with(
    facts: Facts | None,
    system: System,
    properties: tuple[Property, ...],
    plan: Plan | None,
    options: SearchOptions,
    progress: Progress | None,
    like: Run | None = None,
) -> Outcome:
    """Search; in part where there are facts about the commands."""
    with opened(system, properties, options, plan, facts, like, own_store=True) as run:
        words = initial_words(run)
        if options.spill is not None:
            return explore_on_disk(run, options.spill, words, progress)
        began = time.monotonic()
        with opened_checkpoint(run, plan, words) as checkpoint:
            if checkpoint is None or options.resume is None or not resumes(checkpoint, run):
                start(run, words)
            message = drive(run, progress, checkpoint)
        found = conclude(run, message, progress)
        if checkpoint is not None and checkpoint.problem and isinstance(found, Outcome):
            found = replace(found, message="; ".join(filter(None, (found.message, checkpoint.problem))))
    if not isinstance(found, Outcome):
        return find_again(run, found, time.monotonic() - began, progress)
    return found if facts is None else shortest(found, system, properties, plan, options, progress)


def conclude(run: Run, message: str, progress: Progress | None) -> Outcome | Forgotten:
    if progress is not None:
        progress(summarise(run))  # who stops the run while it finds the trace has the figures
    found = answer(run, message)
    if run.tables is None or not isinstance(found, Outcome):
        return found
    return replace(found, por=partial_order.used(found.statistics.states, library.runtime().qb_partly(run.engine)))


def explore_and_decide(
    system: System,
    properties: tuple[Property, ...],
    plan: Plan | None,
    options: SearchOptions,
    progress: Progress | None,
) -> Outcome:
    """Look at the first states in full; if there are more, in part as well; then go on with what pays."""
    if options.checkpoint or options.resume:
        outcome = explore_with(None, system, properties, plan, options, progress)
        return replace(outcome, por=partial_order.unused("a search with checkpoints uses it only with --por on"))
    began = time.monotonic()

    def search(run: Run, most: int | None) -> str:
        """Go on up to so many states; the limit that was hit, or ''."""
        run.options = replace(remaining(options, time.monotonic() - began), max_states=most)
        library.runtime().qb_limit_states(run.engine, most or 0)
        return drive(run, progress)

    first = replace(options, search="bfs", alpha=None, seed=None, max_states=PROBED)  # for levels are compared
    with ExitStack() as runs:
        chosen = run = runs.enter_context(opened(system, properties, first, plan, own_store=True))
        start(run, initial_words(run))
        message = search(run, most := within(PROBED, options))
        if ask(run).status == library.STATES and (later := within(enough_states(run.system), options)) > most:
            message = search(run, most := later)
        is_small = ask(run).status != library.STATES or most == options.max_states
        reason = partial_order.too_small(most) if is_small else partial_order.not_tried(run.system)
        if not reason:
            facts = partial_order.find_facts(run.system, run.properties, run.plan)
            part = runs.enter_context(opened(system, properties, first, plan, facts, run, own_store=True))
            start(part, initial_words(part))
            reason = why_in_full(run, part, options.max_states, search)
            if not reason and options.search == "bfs":
                reason = ends_in_full(run, part, options.max_states, search)
            chosen = run if reason else part
        if options.search != "bfs":
            left = remaining(options, time.monotonic() - began)
            found = explore_with(chosen.facts, system, properties, plan, left, progress, like=chosen)
            return replace(found, por=partial_order.unused(reason)) if reason else found
        answered = conclude(chosen, message if is_small else search(chosen, options.max_states), progress)
    assert isinstance(answered, Outcome)
    return replace(answered, por=partial_order.unused(reason)) if reason else told_longer(answered)


def within(states: int, options: SearchOptions) -> int:
    """So many states, or as many as there may be in all."""
    return states if options.max_states is None else min(states, options.max_states)


def why_in_full(run: Run, part: Run, most: int | None, search: Callable[[Run, int | None], str]) -> str:
    """Why a search in full is to go on rather than one in part; "" if that pays.  ``most``: states in all."""
    for limit, times in STAGES:
        if most is not None and limit > most:
            break
        search(part, limit)
        if ask(part).status in (library.DONE, library.FAILED):
            break
        if ask(run).states <= limit:
            search(run, limit)
        if ask(run).status in (library.DONE, library.FAILED):
            return partial_order.too_small(limit)
        if ask(part).status != library.STATES or ask(run).status != library.STATES:
            return "the search was stopped before it was decided"
        if not partial_order.pays(summarise(run), summarise(part), times):
            return partial_order.TOO_FEW
    return ""


def ends_in_full(run: Run, part: Run, most: int | None, search: Callable[[Run, int | None], str]) -> str:
    """Search in part to the end.  If that finds an error, a search in full looks for it among a few more states, since
    it gives the shortest trace; then that is told."""
    search(part, most)
    if ask(part).status != library.FAILED:
        return ""
    search(run, states_in_full(ask(part).states))
    return "a search in full finds the error, too" if ask(run).status == library.FAILED else ""


def shortest(
    found: Outcome,
    system: System,
    properties: tuple[Property, ...],
    plan: Plan | None,
    options: SearchOptions,
    progress: Progress | None,
) -> Outcome:
    """An error with the shortest trace that shows one, if a search in full finds it among a few more states; what was
    kept of the search in part is not for it."""
    if found.verdict is not Verdict.FAILS or found.trace is None or options.search != "bfs" or options.all_errors:
        return found
    most = states_in_full(found.statistics.states)
    alone = replace(options, por="off", threads=1, checkpoint=None, resume=None)
    limited = replace(alone, max_states=most, max_depth=len(found.trace.steps) + 1)
    again = explore_with(None, system, properties, plan, limited, progress)
    if again.verdict is Verdict.FAILS:
        return replace(again, statistics=found.statistics, por=found.por)
    return told_longer(found)


def states_in_full(states: int) -> int:
    """How many states may be looked at in full to find a shortest trace where so many were in part."""
    return max(STAGES[1][0], MOST_TIMES * states)


def told_longer(found: Outcome) -> Outcome:
    if found.verdict is not Verdict.FAILS:
        return found
    return replace(found, message=f"{found.message}; {partial_order.LONGER}")


def remaining(options: SearchOptions, spent: float) -> SearchOptions:
    return options if options.timeout is None else replace(options, timeout=max(0.0, options.timeout - spent))


def explore_on_disk(run: Run, directory: str, words: list[int], progress: Progress | None) -> Outcome:
    from quorbit.machine.spill import opened_spill

    with opened_spill(run.engine, directory, run.options.memory) as run.spill:
        try:
            start(run, words)
            found = answer(run, drive(run, progress))
        finally:
            run.leave()
        assert isinstance(found, Outcome)
        return found


def find_again(first: Run, found: Forgotten, spent: float, progress: Progress | None) -> Outcome:
    """Search once more: an equal search gives the states on the path the same numbers, and keeps them on the way."""
    timeout = first.options.timeout
    options = replace(first.options, represented=False, timeout=None if timeout is None else max(0.0, timeout - spent))
    with opened(first.system, first.properties, options, first.plan, own_store=True) as run:
        width, count = run.layout.words, len(found.numbers)
        numbers, words = (ctypes.c_uint64 * count)(*found.numbers), (ctypes.c_uint64 * (width * count))()
        library.runtime().qb_watch(run.engine, numbers, count, words)
        start(run, initial_words(run))
        message = drive(run, progress)
        if library.runtime().qb_watched(run.engine) < count:
            message = f"something is violated, but the search for its trace did not end: {message}"
            return Outcome(Verdict.UNKNOWN, message=message, statistics=found.statistics, engine="explicit")
        return failing(run, Path(array("Q", words), width), found.kind, found.statistics, found.limit)


@contextmanager
def opened_checkpoint(run: Run, plan: Plan | None, words: list[int]) -> Iterator[Checkpoint | None]:
    """Where this run keeps its checkpoints, if it does."""
    directory = run.options.resume or run.options.checkpoint
    if directory is None:
        yield None
    else:
        with checkpoint_in(directory, run, plan, words) as checkpoint:
            yield checkpoint


@contextmanager
def checkpoint_in(directory: str, run: Run, plan: Plan | None, words: list[int]) -> Iterator[Checkpoint]:
    from quorbit.machine.checkpoint import close_checkpoint, digest_of, open_checkpoint

    partly = () if run.tables is None else ("partial order",)
    digest, commands = digest_of(run.program, plan, words, run.options.all_errors, *partly), len(run.system.commands)
    checkpoint = open_checkpoint(directory, digest, run.layout.words, commands, run.layout.table)
    try:
        yield checkpoint
    finally:
        close_checkpoint(checkpoint)


def resumes(checkpoint: Checkpoint, run: Run) -> bool:
    """Whether the search goes on from a checkpoint."""
    from quorbit.machine.resume import resume

    return resume(checkpoint, run.engine)


def save_levels(checkpoint: Checkpoint, run: Run, at_once: bool) -> None:
    """Write the complete levels, at once or when the last time was a while ago."""
    from quorbit.machine.checkpoint import save, save_now_and_then

    (save if at_once else save_now_and_then)(checkpoint, run.engine)


def native_code(run: Run) -> NativeCode:
    """The model's own machine code; it is looked for when the search has not ended within the first slice."""
    from quorbit.machine.native.swap import NativeCode

    return NativeCode(run.engine, run.program, run.system.name)


def drive(run: Run, progress: Progress | None = None, checkpoint: Checkpoint | None = None) -> str:
    """Slice after slice until the search ends; the limit that was hit, or ''."""
    began, timeout = time.monotonic(), run.options.timeout
    known = summarise(run)

    def over() -> str:
        if timeout is not None and time.monotonic() - began > timeout:
            return time_reached(timeout)
        return "interrupted" if progress is not None and progress(known) else ""

    def step() -> int:
        return run.settle(run.step_apart(lambda: bool(over())))

    code: NativeCode | None = None
    if run.options.compile_first:
        code = native_code(run)
        code.wait()
    try:
        while (status := step()) == library.RUNNING:
            if run.options.native:
                code = code or native_code(run)
                code.advance(time.monotonic() - began)
            if checkpoint is not None:
                save_levels(checkpoint, run, at_once=False)
            known = summarise(run)
            if reason := over():
                return reason
        if status == library.STOPPED:
            return over() or "interrupted"
    except KeyboardInterrupt:
        return "interrupted"
    except TooLarge:
        return limit_message(run, library.TOO_LARGE)
    finally:
        if code is not None:
            code.stop()
        if checkpoint is not None:
            save_levels(checkpoint, run, at_once=True)
    return limit_message(run, status)


def answer(run: Run, message: str) -> Outcome | Forgotten:
    statistics = replace(summarise(run), represented=represented(run), idle=idle(run))
    report = ask(run)
    if report.failure_kind == library.NOTHING:
        if not message and (label := left_out(run)):
            message = moves_left_out(run.system, label)
        verdict = Verdict.UNKNOWN if message or run.options.bitstate is not None else Verdict.HOLDS
        text = message or honest(statistics)
        return Outcome(verdict, message=text, statistics=statistics, engine="explicit")
    if forgets(run.options):
        return Forgotten(numbers_to(run, report.failure_state), report.failure_kind, statistics, message)
    return failing(run, words_to(run, report), report.failure_kind, statistics, message)


def honest(statistics: Statistics) -> str:
    """What the answer means when states were told apart by their hashes alone."""
    if statistics.bitstate_coverage is not None:
        return "no violation was found, but a bitstate search may miss states"
    match statistics.loss_probability:
        case None:
            return ""
        case 0.0:
            return "hash compaction without loss: a state has at most 64 bits"
        case p:
            return f"no violation was found; hash compaction lost a state with probability at most {p:.1e}"
