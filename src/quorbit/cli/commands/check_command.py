"""``quorbit check``: verify properties of a model."""

from __future__ import annotations

from argparse import Namespace

from quorbit.cli.answer import columns, fitted, is_coloured, json_text, print_error, print_json
from quorbit.cli.interrupt import Stopper, stoppable
from quorbit.cli.options import check_options, load_options_of_check, warn_of_unused
from quorbit.cli.progress import progress_line
from quorbit.cli.supervise import begin_answer, tell
from quorbit.cli.unknown import unknown_object
from quorbit.model.system.telling import RAW
from quorbit.pipeline.load import Model, load
from quorbit.pipeline.run import check
from quorbit.report.as_json import checks_object
from quorbit.report.coverage import coverage_table, goal_of, goal_table
from quorbit.report.record import CheckResult, CheckResults
from quorbit.report.reduction import reduction_lines
from quorbit.report.text import Paint, show_checks
from quorbit.result.outcome import Statistics, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.interrupted import Interrupted

__all__ = ["run"]

Ranges = dict[str, list[int]]  # the least and the greatest value of variables
IN_SHORT = 20  # steps of a trace that takes too long to tell
EXIT = {"holds": 0, "fails": 1, "unknown": 3}


def run(options: Namespace) -> int:
    try:
        return run_check(options)
    except UserError as error:
        tell_servers(options, error)
        raise


def tell_servers(options: Namespace, found: CheckResults | UserError | str, model: Model | None = None) -> None:
    """What build servers are told: the answers about the model, a mistake in it, or why there is no answer."""
    if options.junit or options.sarif or options.github:
        write_findings(options, found, model)


def write_findings(options: Namespace, found: CheckResults | UserError | str, model: Model | None) -> None:
    from quorbit.cli.server_files import write

    write(options, found, model)


def run_check(options: Namespace) -> int:
    if options.trace or options.trail or options.vcd:
        options = refuse_files(options)
    with stoppable(options.timeout) as stopper:
        with progress_line(stopper) as line:
            try:
                model = load(options.model, load_options_of_check(options))
                results = check(model, check_options(options), line)
            except Interrupted as reason:
                return give_up(options, str(reason), line.last)
            except MemoryError:
                return give_up(options, "out of memory", line.last)
        if stopper.reason:
            results = with_reason(results, stopper.reason)
        results = with_warnings(options, results)
        ranges = None
        if options.raw:
            results = as_searched(results)
        files = (options.trace, options.trail, options.vcd, options.certificate, options.html, options.coverage)
        if any(files):
            results, ranges = with_files(options, results, model)
    tell_servers(options, results, model)
    answer(options, results, ranges, stopper)
    return EXIT[results.verdict]


def refuse_files(options: Namespace) -> Namespace:
    """The options with the files that ``--trace`` stands for, unless one cannot be written."""
    from quorbit.cli.check_files import refuse
    from quorbit.cli.trace_file import by_suffix

    options = by_suffix(options)
    refuse(options)
    return options


def as_searched(results: CheckResults) -> CheckResults:
    """Traces that hide nothing."""
    raw = (replace(result, system=replace(result.system, telling=RAW)) for result in results.results)
    return CheckResults(tuple(raw))


def with_warnings(options: Namespace, results: CheckResults) -> CheckResults:
    for warning in warn_of_unused(options.model, tuple(name for name, _ in options.defines)):
        results = results.noted(warning)
    return results


def with_files(options: Namespace, results: CheckResults, model: Model) -> tuple[CheckResults, Ranges | None]:
    """What few runs are asked for besides the answer; what is left open of it does not change a verdict."""
    from quorbit.cli.check_files import write

    try:
        return write(options, results, model)
    except (Interrupted, MemoryError) as reason:
        why = str(reason) or "out of memory"
        return results.noted(f"some of the requested output could not be produced: {why}"), None


def answer(options: Namespace, results: CheckResults, ranges: Ranges | None, stopper: Stopper) -> None:
    """Print the answer.  It stands, however long it takes to put it into words: when the time is up, traces are told in
    short."""
    try:
        with stopper.wording():
            told = in_words(options, results, ranges)
    except (Interrupted, MemoryError):
        told = in_words(options, in_short(results), ranges)
    tell("writing")
    print(told)
    if not options.json:
        for error in results.refused:
            print_error(error, as_json=False)


def in_words(options: Namespace, results: CheckResults, ranges: Ranges | None) -> str:
    if options.json:
        told = {"reduction": reduction_lines(results.worst, options.search)} if options.explain_reduction else {}
        return json_text({**checks_object(results), **({} if ranges is None else {"ranges": ranges}), **told})
    lines = [fitted(show_checks(results, Paint(is_coloured()), columns()))]
    if options.explain_reduction:
        lines += [line for result in results.answered for line in reduction_lines(result, options.search)]
    if options.coverage:
        searches = [result for result in results.answered if goal_of(result) is None]
        lines += [line for result in searches for line in coverage_table(result)]
        lines += goal_table(results.results)
        lines += [f"  {variable}: {low} .. {high}" for variable, (low, high) in (ranges or {}).items()]
    return "\n".join(lines)


def in_short(results: CheckResults) -> CheckResults:
    return CheckResults(tuple(map(shortened, results.results)))


def shortened(result: CheckResult) -> CheckResult:
    """An answer of whose trace only the beginning and the end are told, and the number of its steps."""
    trace = result.outcome.trace
    if trace is None or len(trace.steps) <= IN_SHORT:
        return result
    note = f"the run has {len(trace.steps):,} steps; time ran out while it was written, so its middle is not shown"
    return replace(result, most_steps=IN_SHORT, notes=(*result.notes, note))


def give_up(options: Namespace, reason: str, known: Statistics) -> int:
    """The run was left in the middle of a step: say so, with the figures known so far."""
    begin_answer()
    tell_servers(options, reason)
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
    if result.outcome.verdict is not Verdict.UNKNOWN or result.refused is not None:
        return result
    return replace(result, outcome=replace(result.outcome, message=reason))
