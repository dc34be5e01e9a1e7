"""What build servers read: ``--junit FILE``, ``--sarif FILE`` and ``--github``, also where the model cannot be read."""

from __future__ import annotations

import sys
from argparse import Namespace

from quorbit.cli.answer import write_file
from quorbit.groups.permutation import show
from quorbit.pipeline.explanations import first_breaches, revealed
from quorbit.pipeline.load import Model
from quorbit.pipeline.options import CheckOptions
from quorbit.report.findings.finding import (
    Finding,
    Place,
    Status,
    findings_of_answers,
    findings_of_error,
    place_of,
)
from quorbit.report.findings.github import github_lines
from quorbit.report.findings.junit import junit_text
from quorbit.report.findings.sarif import sarif_text
from quorbit.report.record import CheckResults
from quorbit.source.errors import UserError
from quorbit.source.interrupted import Interrupted
from quorbit.source.time_limit import TimeIsUp, time_limit

__all__ = ["write"]

MOST_BREACHES = 20
SEARCH_SECONDS = 10.0  # for the lines that break a symmetry: they are extra


def write(options: Namespace, found: CheckResults | UserError | str, model: Model | None = None) -> None:
    """Answers with the lines that break a symmetry of the model, a mistake in it, or why nothing was decided."""
    match found:
        case CheckResults():
            findings = findings_of_answers(found)
            looks = options.symmetry != "off" and bool(options.sarif or options.github)
            broken = broken_symmetry(model) if looks and model is not None else ()
        case UserError():
            findings, broken = findings_of_error(found, options.model), ()
        case reason:
            findings, broken = (Finding("all properties", Status.UNKNOWN, reason, Place(options.model, 1, 1)),), ()
    if options.junit:
        write_file(options.junit, junit_text([(options.model, findings)]))
    if options.sarif:
        write_file(options.sarif, sarif_text((*findings, *broken)))
    if options.github:  # on standard error: the answer on standard output may be JSON
        print("\n".join(github_lines((*findings, *broken))), file=sys.stderr)


def broken_symmetry(model: Model) -> tuple[Finding, ...]:
    """The lines that keep alike atoms apart, once each; none where that takes long."""
    try:
        with time_limit(SEARCH_SECONDS):
            return tuple(find_broken(model))
    except (UserError, Interrupted, TimeIsUp):
        return ()


def find_broken(model: Model) -> list[Finding]:
    system, found = revealed(model, CheckOptions())
    names = tuple(atom.name for atom in system.atoms)
    by_line: dict[tuple[str, int], Finding] = {}
    for _, g, breach in first_breaches(system, found):
        if (place := place_of(breach.span)) is not None:
            finding = Finding(show(g, names), Status.BREAKS, f"is not a symmetry: {breach.message}", place)
            by_line.setdefault((place.file, place.line), finding)
        if len(by_line) >= MOST_BREACHES:
            break
    return list(by_line.values())
