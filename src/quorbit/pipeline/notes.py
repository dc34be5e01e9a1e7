"""What a user should know besides the answer: symmetry that a formula breaks, a slow engine, a missing checkpoint."""

from __future__ import annotations

from pathlib import Path

from quorbit.detection.together import touch_nobody
from quorbit.engines.engine import Engine, Guide, Kind, why_not
from quorbit.engines.explicit.engine import EXPLICIT
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.batches import Batch, Shared
from quorbit.pipeline.case import Case
from quorbit.pipeline.describe import describe_group

RUN_FILE = "run.json"  # what makes a folder a checkpoint


def notes_about(engine: Engine, batch: Batch, case: Case, shared: Shared) -> tuple[str, ...]:
    lost = lost_symmetry(batch, case, shared)
    return (*lost, *missing_engine(engine, batch), *missing_checkpoint(engine, batch.limits))


def lost_symmetry(batch: Batch, case: Case, shared: Shared) -> tuple[str, ...]:
    """A formula that names single processes may leave nothing of the model's symmetry; then the run says so."""
    is_looked_for = case.guide is Guide.PLAN and case.options.symmetry != "off"
    if not is_looked_for or case.plan is not None or batch.questions[0].kind is Kind.SAFETY:
        return ()
    if case.special is not None and touch_nobody(case.system, batch.properties, case.special.pins):
        return ()
    group = shared.group_of_model(batch.questions[0].system)
    if group.is_trivial:
        return ()
    return (f"the formula breaks the symmetry of the model ({describe_group(group)[1]}), so there is no reduction",)


def missing_engine(engine: Engine, batch: Batch) -> tuple[str, ...]:
    """Where nobody asked for a slow engine and the quick one is not there, the run says so."""
    if batch.options.engine != "auto" or not engine.slow:
        return ()
    reason = why_not_explicit(batch)
    return (f"the explicit engine {reason}: the search is slow",) if reason else ()


def why_not_explicit(batch: Batch) -> str:
    """For formulas the explicit engine finds the states, whatever is asked of them."""
    if batch.questions[0].kind is Kind.TEMPORAL:
        return why_not(EXPLICIT, batch.system, (), SearchOptions())
    return why_not(EXPLICIT, batch.system, batch.properties, batch.limits)


def missing_checkpoint(engine: Engine, limits: SearchOptions) -> tuple[str, ...]:
    """A run may have ended before its first checkpoint; to go on from it is to begin anew, and the run says so."""
    if limits.resume is None or Path(limits.resume, engine.checkpoints, RUN_FILE).exists():
        return ()
    return (f"there is no checkpoint in {limits.resume} yet, so the search started from the beginning",)
