"""Traces for SPIN: a trail that ``spin -t -p`` replays."""

from __future__ import annotations

from pathlib import Path
from shutil import which

from quorbit.cli.answer import write_file
from quorbit.languages.options import LoadOptions
from quorbit.languages.registry import language_of
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import System
from quorbit.pipeline.load import Model, load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult
from quorbit.result.outcome import Trace
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

__all__ = ["refuse_trail", "save_trail"]


def refuse_trail(path: str, name: str | None = None) -> None:
    """Only models that SPIN reads have trails, and only SPIN can tell what it calls their statements."""
    language = language_of(Path(path), name)
    if language.write_trail is None:
        raise UserError(None, f"--trail is for SPIN, which does not read {language.title}")
    if which("spin") is None:
        raise UserError(None, "--trail needs spin, which is not installed")


def save_trail(
    file: str,
    path: Path,
    options: LoadOptions,
    system: System,
    trace: Trace,
    property: str,
    timeout: float | None = None,
) -> None:
    """Write a trace as a trail.  One of steps that were joined is looked for again, statement by statement."""
    write_trail = language_of(path, options.language).write_trail
    assert write_trail is not None  # refused before the search
    if not options.stepwise:
        found = find_stepwise(load(path, replace(options, stepwise=True)), property, timeout)
        assert found.outcome.trace is not None
        options, system, trace = found.options, found.system, found.outcome.trace
    if trace.loop is not None:
        raise UserError(None, "an infinite run cannot be written as a trail")
    write_file(file, write_trail(path, options, system, trace))


def find_stepwise(model: Model, property: str, timeout: float | None) -> CheckResult:
    """A violation of the same property in the model without joined steps."""
    known = any(p.name == property for p in model.system.properties)
    asked = CheckOptions(properties=(property if known else "safety",), search=SearchOptions(timeout=timeout))
    result = check(model, asked).worst
    if result.outcome.trace is None:
        reason = result.outcome.message or f"{property} is not violated when every statement is a step"
        raise UserError(None, f"no trail was found: {reason}")
    return result
