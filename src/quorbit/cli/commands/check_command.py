"""``quorbit check``: verify properties of a model."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quorbit.cli.answer import is_coloured, print_json, write_file
from quorbit.cli.interrupt import stoppable
from quorbit.cli.options import check_options, load_options
from quorbit.cli.progress import progress_line
from quorbit.pipeline import check
from quorbit.report.as_json import checks_object, unknown_object
from quorbit.report.coverage import coverage_table
from quorbit.report.record import CheckResult, CheckResults
from quorbit.report.reduction import reduction_lines
from quorbit.report.text import Paint, show_checks
from quorbit.result.outcome import Statistics, Verdict
from quorbit.source.errors import UserError
from quorbit.source.later import later
from quorbit.steps.model import load
from quorbit.steps.watch import Interrupted

if TYPE_CHECKING:
    from quorbit.cli import trail_file, wave_file
    from quorbit.cli.commands import certificate_command, graph_command
    from quorbit.report import html, state_space
else:
    certificate_command = later("quorbit.cli.commands.certificate_command")
    graph_command = later("quorbit.cli.commands.graph_command")
    trail_file = later("quorbit.cli.trail_file")
    wave_file = later("quorbit.cli.wave_file")
    html = later("quorbit.report.html")
    state_space = later("quorbit.report.state_space")

MOST_LOOKED_AT = 20_000  # states, for the ranges of variables
EXIT = {"holds": 0, "fails": 1, "unknown": 3}


def run(options: Namespace) -> int:
    if options.trail:
        trail_file.refuse_trail(options.model)
    if options.vcd:
        wave_file.refuse_waves(options.model)
    with stoppable(options.timeout) as stopper:
        with progress_line(stopper) as line:
            try:
                results = check(load(options.model, load_options(options)), check_options(options), line)
            except Interrupted as reason:
                return give_up(options, str(reason), line.last)
            except MemoryError:
                return give_up(options, "the memory is exhausted", line.last)
        if stopper.reason:
            results = with_reason(results, stopper.reason)
    if options.trail:
        results = with_trail(options, results)
    if options.vcd:
        results = wave_file.with_waves(options.vcd, results)
    if options.certificate:
        certificate_command.write_certificate(options.certificate, results)
    answer(options, results)
    return EXIT[results.verdict]


def answer(options: Namespace, results: CheckResults) -> None:
    if options.html:
        write_file(options.html, html.check_page(results))
    bounds = find_ranges(options) if options.coverage else None
    if options.json:
        told = {"reduction": reduction_lines(results.worst, options.search)} if options.explain_reduction else {}
        print_json({**checks_object(results), **({} if bounds is None else {"ranges": bounds}), **told})
    else:
        print(show_checks(results, Paint(is_coloured())))
        if options.explain_reduction:
            print("\n".join(line for result in results.results for line in reduction_lines(result, options.search)))
        if options.coverage:
            print("\n".join(line for result in results.results for line in coverage_table(result)))
            print("\n".join(f"  {variable}: {low} .. {high}" for variable, (low, high) in (bounds or {}).items()))


def find_ranges(options: Namespace) -> dict[str, list[int]] | None:
    """The least and the greatest value of every variable; None if there are too many states to look at each."""
    space = graph_command.small_space(options.model, load_options(options), options.symmetry, MOST_LOOKED_AT)
    return None if space is None else state_space.ranges(space)


def with_trail(options: Namespace, results: CheckResults) -> CheckResults:
    """Write a trace for SPIN if there is one; a note says what became of it."""
    worst = results.worst
    noted = replace(worst, notes=(*worst.notes, write_trail(options, worst)))
    return CheckResults(tuple(noted if result is worst else result for result in results.results))


def write_trail(options: Namespace, result: CheckResult) -> str:
    trace = result.outcome.trace
    if trace is None:
        return "no trail is written, nothing fails"
    path, asked = Path(result.path), result.outcome.property or result.asked
    try:
        trail_file.save_trail(options.trail, path, result.options, result.system, trace, asked, options.timeout)
    except (UserError, KeyboardInterrupt) as problem:
        return f"no trail is written: {str(problem) or 'interrupted'}"
    return f"{options.trail} is a trail for spin -t -p"


def give_up(options: Namespace, reason: str, known: Statistics) -> int:
    """The run was left in the middle of a step: say so, with the figures known so far."""
    if options.json:
        print_json(unknown_object(options.model, reason, known))
    else:
        print(f"UNKNOWN: {reason}")
        if known.states:
            print(f"  states      {known.states:,}\n  transitions {known.transitions:,}\n  depth       {known.depth:,}")
    return EXIT["unknown"]


def with_reason(results: CheckResults, reason: str) -> CheckResults:
    """The searches that were stopped say why."""
    return CheckResults(tuple(explain_stop(result, reason) for result in results.results))


def explain_stop(result: CheckResult, reason: str) -> CheckResult:
    if result.outcome.verdict is not Verdict.UNKNOWN:
        return result
    return replace(result, outcome=replace(result.outcome, message=reason))
