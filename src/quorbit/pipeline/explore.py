"""Plan -> Outcomes: run an engine."""

from __future__ import annotations

from quorbit.engines.engine import Engine, Work
from quorbit.engines.memory import MemoryGuard, peak_memory
from quorbit.engines.replay import ReplayError
from quorbit.pipeline.case import Case
from quorbit.result.outcome import Outcome, PartialOrder, Verdict
from quorbit.source.frozen import replace
from quorbit.source.limits import memory_reached


def explore(engine: Engine, case: Case) -> list[Outcome]:
    """What the engine answers: to each property if it answers them together, else one answer to all.

    The memory limit is watched here for the engines that do not do so themselves."""
    options = case.steps.remaining(case.options.search)
    guard = MemoryGuard(None if engine.watches_memory else options.memory, case.steps.is_stopped)
    work = Work(
        case.system,
        case.system.properties,
        options,
        guard,
        case.plan,
        case.layout,
        case.partitions,
        case.generators,
        case.options.witnesses,
        case.groups,
        case.options.quotient,
        case.stage,
    )
    try:
        outcomes = engine.explore(work)
    except ReplayError as error:
        wrong = f"internal error, please report it: {error}"
        return [Outcome(Verdict.UNKNOWN, message=wrong, engine=engine.name)]
    if guard.exceeded:
        reached = memory_reached(options.memory)
        outcomes = [replace(o, message=reached) if o.verdict is Verdict.UNKNOWN else o for o in outcomes]
    if options.por == "auto" and "por" not in engine.extras:
        outcomes = [replace(o, por=PartialOrder(reason=why_unreduced(engine, case))) for o in outcomes]
    return [with_memory(outcome) for outcome in outcomes]


def why_unreduced(engine: Engine, case: Case) -> str:
    """Why an engine that expands states in full was not asked for less."""
    if len(case.system.commands) == 1:
        return "the model has one command, so there is no order of commands to leave out"
    return f"the {engine.name} engine expands every state fully"


def with_memory(outcome: Outcome) -> Outcome:
    statistics = outcome.statistics
    if statistics.memory_bytes:
        return outcome
    return replace(outcome, statistics=replace(statistics, memory_bytes=peak_memory()))
