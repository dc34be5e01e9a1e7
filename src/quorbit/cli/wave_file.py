"""Traces of circuits as files for waveform viewers: one file for each answer that has a trace."""

from __future__ import annotations

import re
from pathlib import Path

from quorbit.cli.answer import write_file
from quorbit.languages.registry import language_of
from quorbit.report.record import CheckResult, CheckResults
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace


def refuse_waves(model: str, language: str | None = None) -> None:
    if language_of(Path(model), language).write_waves is None:
        raise UserError(None, "--vcd is for circuits")


def with_waves(file: str, results: CheckResults) -> CheckResults:
    """Write the traces; a note of every result says where its trace is."""
    several = sum(result.outcome.trace is not None for result in results.results) > 1
    return CheckResults(tuple(with_wave(file, result, several) for result in results.results))


def with_wave(file: str, result: CheckResult, several: bool) -> CheckResult:
    if result.outcome.trace is None:
        return replace(result, notes=(*result.notes, "no waves were written: no single run shows this answer"))
    write_waves = language_of(Path(result.path), result.options.language).write_waves
    assert write_waves is not None  # refused before the search
    path = named_by_property(file, result.outcome.property or result.asked) if several else file
    write_file(path, write_waves(result.system, result.outcome.trace))
    return replace(result, notes=(*result.notes, f"the waves of this answer were written to {path}"))


def named_by_property(file: str, name: str) -> str:
    """The file name with the name of the property before its suffix."""
    path = Path(file)
    return str(path.with_name(f"{path.stem}-{re.sub(r'[^A-Za-z0-9_.-]', '_', name)[:80]}{path.suffix}"))
