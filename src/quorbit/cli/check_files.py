"""What ``quorbit check`` writes besides its answer: trails, waves, certificates, pages; and the ranges of variables."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from quorbit.cli.answer import write_file
from quorbit.cli.commands.certificate_command import write_certificate
from quorbit.cli.commands.graph_command import small_space
from quorbit.cli.options import load_options
from quorbit.cli.trace_file import with_trace
from quorbit.cli.trail_file import refuse_trail, save_trail
from quorbit.cli.wave_file import refuse_waves, with_waves
from quorbit.report.html import check_page
from quorbit.report.record import CheckResult, CheckResults
from quorbit.report.state_space import ranges
from quorbit.source.errors import UserError
from quorbit.source.interrupted import Interrupted

__all__ = ["refuse", "write"]

MOST_LOOKED_AT = 20_000  # states, for the ranges of variables
Ranges = dict[str, list[int]]  # the least and the greatest value of variables


def refuse(options: Namespace) -> None:
    """Before the search, what could not be written after it."""
    if options.trail:
        refuse_trail(options.model, options.language)
    if options.vcd:
        refuse_waves(options.model, options.language)


def write(options: Namespace, results: CheckResults) -> tuple[CheckResults, Ranges | None]:
    """The results with notes on what was written, and the ranges if they were asked for."""
    if options.trace:
        results = with_trace(options.trace, results)
    if options.trail:
        results = with_trail(options, results)
    if options.vcd:
        results = with_waves(options.vcd, results)
    if options.certificate:
        write_certificate(options.certificate, results)
    if options.html:
        write_file(options.html, check_page(results))
    return results, find_ranges(options) if options.coverage else None


def find_ranges(options: Namespace) -> Ranges | None:
    """The least and the greatest value of every variable; None if there are too many states to look at each."""
    space = small_space(options.model, load_options(options), options.symmetry, MOST_LOOKED_AT)
    return None if space is None else ranges(space)


def with_trail(options: Namespace, results: CheckResults) -> CheckResults:
    """Write a trace for SPIN if there is one; a note says what became of it."""
    return results.noted(write_trail(options, results.worst))


def write_trail(options: Namespace, result: CheckResult) -> str:
    trace = result.outcome.trace
    if trace is None:
        return "no trail was written: nothing fails"
    path, asked = Path(result.path), result.outcome.property or result.asked
    try:
        save_trail(options.trail, path, result.options, result.system, trace, asked, options.timeout)
    except (UserError, Interrupted) as problem:
        return f"no trail was written: {problem}"
    return f"the trail was written to {options.trail}, for spin -t -p"
