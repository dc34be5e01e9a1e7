"""What ``quorbit check`` writes besides its answer: trails, waves, certificates, pages; and the ranges of variables."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from quorbit.cli.answer import write_file
from quorbit.cli.commands.certificate_command import write_certificate
from quorbit.cli.commands.graph_command import small_space
from quorbit.cli.options import check_options, load_options
from quorbit.cli.trace_file import with_trace
from quorbit.cli.trail_file import refuse_trail, save_trail
from quorbit.cli.wave_file import refuse_waves, with_waves
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.explanations import find_missing_soon
from quorbit.pipeline.load import Model
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.page.check_data import Beside, check_data
from quorbit.report.page.write import html_page
from quorbit.report.record import CheckResult, CheckResults, Found
from quorbit.report.state_space import ranges
from quorbit.report.text import Paint, show_checks
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.interrupted import Interrupted
from quorbit.source.isolate import CAN_FORK, Limits, Send, run_isolated

__all__ = ["refuse", "write"]

BESIDE_SECONDS = 5.0  # for each thing that a page shows beside the answers
MOST_UNREDUCED = 300_000  # states that are counted for a chart
PLAIN_COLUMNS = 100  # of the text for who reads a page without scripts
MOST_LOOKED_AT = 20_000  # states, for the ranges of variables
Ranges = dict[str, list[int]]  # the least and the greatest value of variables


def refuse(options: Namespace) -> None:
    """Before the search, what could not be written after it."""
    if options.trail:
        refuse_trail(options.model, options.language)
    if options.vcd:
        refuse_waves(options.model, options.language)


def write(options: Namespace, results: CheckResults, model: Model) -> tuple[CheckResults, Ranges | None]:
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
        write_page(options, results, model)
    return results, find_ranges(options) if options.coverage else None


def write_page(options: Namespace, results: CheckResults, model: Model) -> None:
    """The report: the answers, and what is found out beside them while there is time."""
    plain = show_checks(results, Paint(), PLAIN_COLUMNS)
    write_file(options.html, html_page(check_data(results, look_beside(options, results, model)), plain))


def look_beside(options: Namespace, results: CheckResults, model: Model) -> Beside:
    """How many states there are at each depth without symmetry, and what tells atoms apart that look alike: each in a
    process of its own that is ended when it takes long."""
    counted = results.counted
    if not CAN_FORK or not isinstance(counted.symmetry, Found):
        return Beside()
    asked = check_options(options)
    levels = find_levels(counted, asked, model) if options.symmetry != "off" else ()
    return Beside(levels, find_missing_soon(model, asked, BESIDE_SECONDS))


def find_levels(counted: CheckResult, asked: CheckOptions, model: Model) -> tuple[int, ...]:
    """Only of a search that saw everything, and where few states are expected."""
    effect = counted.effect
    expected = None if effect is None else effect.represented
    if counted.verdict != "holds" or counted.symmetry.order == 1 or expected is None or expected > MOST_UNREDUCED:
        return ()
    if counted.outcome.por.used:  # then depths are others
        return ()
    search = SearchOptions(max_states=MOST_UNREDUCED)
    plain = replace(asked, symmetry="off", strategy="auto", quotient="auto", search=search)

    def count(send: Send) -> None:
        found = check(model, plain).counted
        send(found.outcome.statistics.levels if found.verdict == "holds" else ())

    told = run_isolated(count, Limits(BESIDE_SECONDS)).told
    return told[0] if told else ()


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
