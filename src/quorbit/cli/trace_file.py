"""``--trace FILE``: a trace in a file, in the format that the suffix of its name says."""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from quorbit.cli.answer import write_file
from quorbit.report.as_json import check_object
from quorbit.report.itf import itf_object
from quorbit.report.record import CheckResult, CheckResults
from quorbit.report.text import COLUMNS, Paint, show_check
from quorbit.source.errors import UserError

__all__ = ["by_suffix"]

FORMATS = (".txt", ".json", ".itf.json", ".trail", ".vcd", ".html")


def format_of(file: str) -> str:
    """The longest suffix that is known; a UserError if none is."""
    name = Path(file).name.lower()
    found = [suffix for suffix in FORMATS if name.endswith(suffix)]
    if not found:
        raise UserError(None, f"--trace {file}: the suffix is not that of a format: {', '.join(FORMATS)}")
    return max(found, key=len)


def by_suffix(options: Namespace) -> Namespace:
    """The options with the ones that ``--trace`` stands for: trails, waves and pages have their own."""
    if not options.trace:
        return options
    own = {".trail": "trail", ".vcd": "vcd", ".html": "html"}.get(format_of(options.trace))
    if own is None:
        return options
    if getattr(options, own):
        raise UserError(None, f"--trace {options.trace} and --{own} {getattr(options, own)} both name a file")
    return Namespace(**{**vars(options), own: options.trace, "trace": None})


def with_trace(file: str, results: CheckResults) -> CheckResults:
    """Write the trace of the worst answer; a note says what became of it."""
    result = results.worst
    if result.outcome.trace is None:
        return results.noted(f"{file} is not written: there is no run to show")
    write_file(file, WRITERS[format_of(file)](result))
    return results.noted(f"the trace was written to {file}")


def as_text(result: CheckResult) -> str:
    return show_check(result, Paint(), COLUMNS) + "\n"


def as_json(result: CheckResult) -> str:
    return json.dumps(check_object(result)) + "\n"


def as_itf(result: CheckResult) -> str:
    trace = result.outcome.trace
    assert trace is not None
    return json.dumps(itf_object(result.system, trace, result.path, result.outcome.message)) + "\n"


WRITERS: dict[str, Callable[[CheckResult], str]] = {
    ".txt": as_text,
    ".json": as_json,
    ".itf.json": as_itf,
}
