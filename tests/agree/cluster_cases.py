"""Models as the pipeline hands them to an engine, and what must be the same with any number of workers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from quorbit.canon.plan import Plan
from quorbit.engines.cluster.driver import Settings
from quorbit.engines.cluster.explore import explore
from quorbit.engines.cluster.transport import Transport
from quorbit.engines.explicit.explore import explore as explore_in_one
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.model.system.system import System, Temporal
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import ask_together
from quorbit.pipeline.run import prepare
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError

ROOT = Path(__file__).parents[2]
SUFFIXES = (".pml", ".mch", ".edges", ".mv", ".m", ".blif")
FILES = sorted(f for top in ("tests/models", "examples") for f in (ROOT / top).rglob("*") if f.suffix in SUFFIXES)
LIMIT = 5_000
PLAIN = SearchOptions(native=False, max_states=LIMIT)
AT_ONCE = Settings(alone=0)  # all workers take part from the first level on
MUTEX = "processes {n}\nstates N, T, C\nN -> T\nT -> C when #C = 0\nC -> N\ninvariant mutex: #C <= 1\n"


def mutex_states(n: int) -> int:
    """Of the mutex of n processes, without reduction: nobody is critical, or one is."""
    return 2**n + n * 2 ** (n - 1)


def prepared(file: Path, symmetry: str) -> tuple[System, Plan | None] | None:
    """None for what is not a model by itself, or has nothing that this engine checks."""
    for bounds in (1, 2, 4, 8):
        try:
            options = CheckOptions(symmetry=symmetry)
            system, properties = ask_together(load(file, LoadOptions(bounds=bounds)), options)
            safety = tuple(p for p in properties if not isinstance(p, Temporal))
            case = prepare(system, safety, options)
            explore_in_one(case.system, case.system.properties, options=replace(PLAIN, max_states=1))
            return case.system, case.plan if symmetry == "auto" else None
        except BoundExceeded:
            continue
        except UserError:
            return None
    return None


def told(outcome: Outcome) -> tuple[object, ...]:
    """What must be equal whatever is asked for."""
    trace = outcome.trace
    length = None if trace is None else len(trace.steps)
    return outcome.verdict, outcome.statistics.depth, outcome.statistics.levels, length


def check_file(file: Path, transport: Transport, workers: tuple[int, ...]) -> None:
    """One machine's answer, by any of these numbers of workers, reduced and not, for the first error and for all."""
    for symmetry in ("auto", "off"):
        found = prepared(file, symmetry)
        if found is None:
            return
        system, plan = found
        for all_errors in (True, False):
            options = replace(PLAIN, all_errors=all_errors)
            try:
                alone = explore_in_one(system, system.properties, plan, options=options)
            except (BoundExceeded, UserError):
                continue
            if alone.statistics.states > LIMIT:
                continue
            check_outcomes(system, plan, alone, replace(options, max_states=None), transport, workers)


def check_outcomes(
    system: System,
    plan: Plan | None,
    alone: Outcome,
    options: SearchOptions,
    transport: Transport,
    workers: tuple[int, ...],
) -> None:
    traces = []
    for count in workers:
        transport.workers = count
        shared = explore(system, system.properties, plan, options, transport=transport, settings=AT_ONCE)
        assert told(shared) == told(alone), count
        if options.all_errors or alone.verdict is Verdict.HOLDS:  # else one machine stops within the level
            assert counts_of(shared) == counts_of(alone), count
        traces.append(shared.trace)
    assert all(trace == traces[0] for trace in traces)


def counts_of(outcome: Outcome) -> tuple[object, ...]:
    s = outcome.statistics
    return s.states, s.transitions, s.errors, s.fired
