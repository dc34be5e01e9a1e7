"""What commands that run a model leave behind: the text of its steps, traces and charts in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from quorbit.cli.answer import write_file
from quorbit.engines.simulate.rerun import DoesNotFit, rerun
from quorbit.model.meaning.evaluate import Violation
from quorbit.model.system.system import System
from quorbit.pipeline.load import Model, load
from quorbit.report.pictures.chart import draw_chart, only_messages, show_chart
from quorbit.report.pictures.chart_svg import chart_svg
from quorbit.report.saved_trace import NotATrace, SavedTrace, digest_of, read_trace
from quorbit.result.outcome import Trace
from quorbit.source.errors import UserError
from quorbit.source.read import read_source

__all__ = ["rerun_file", "write_chart"]


def write_chart(path: str, system: System, trace: Trace, whole: bool) -> None:
    """As SVG if the file's suffix says so, else as text; - shows the text.  ``whole``: not only the messages."""
    chart = draw_chart(system, trace)
    chart = chart if whole else only_messages(chart)
    if path == "-":
        print(show_chart(chart), end="")
    else:
        write_file(path, chart_svg(chart) if Path(path).suffix.lower() == ".svg" else show_chart(chart))


def read_trace_file(path: str) -> SavedTrace:
    source = read_source(Path(path))
    try:
        found: Any = json.loads(source.text)
    except (ValueError, RecursionError) as error:
        raise UserError(None, f"{path}: not JSON: {error}") from None
    try:
        return read_trace(found)
    except NotATrace as problem:
        raise UserError(None, f"{path}: {problem}") from None


def rerun_file(model_path: str, trace_path: str) -> tuple[Model, SavedTrace, Trace, Violation | None]:
    """The model as the trace was made with it, and the trace with its states; a UserError if it does not fit."""
    saved = read_trace_file(trace_path)
    model = load(model_path, saved.options)
    try:
        trace, violation = rerun(model.system, saved.start, saved.steps, saved.loop, saved.property)
    except DoesNotFit as problem:
        changed = saved.digest and saved.digest != digest_of(model_path)
        why = "; the model has changed since the trace was written" if changed else ""
        raise UserError(None, f"{trace_path} is not a run of {model_path}: {problem}{why}") from None
    return model, saved, trace, violation
