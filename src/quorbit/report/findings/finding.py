"""What a build server is told: one finding for each answer, mistake or line that breaks a symmetry.

Plain texts and places; the other files of this folder write them in the servers' formats.
"""

from __future__ import annotations

from enum import Enum

from quorbit.report.record import CheckResult, CheckResults
from quorbit.report.trace import Moved, moves_of_piece, shown_pieces
from quorbit.source.errors import Diagnostic, UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE, Span

__all__ = ["Finding", "Place", "Status", "findings_of_answers", "findings_of_error", "place_of"]

MOST_STEPS = 200  # of a trace that are told


class Status(Enum):
    HOLDS = "holds"
    FAILS = "fails"
    UNKNOWN = "unknown"
    MISTAKE = "error"
    BREAKS = "breaks a symmetry"


@frozen
class Place:
    """Where something is written, with what is said of it there."""

    file: str
    line: int
    column: int
    text: str = ""


@frozen
class Finding:
    """``steps`` are those of the counterexample."""

    subject: str
    status: Status
    message: str
    place: Place | None = None
    steps: tuple[Place, ...] = ()
    seconds: float = 0.0


def findings_of_answers(results: CheckResults) -> tuple[Finding, ...]:
    return tuple(finding_of_answer(result) for result in results.results)


def finding_of_answer(result: CheckResult) -> Finding:
    if result.refused is not None:
        return finding_of_mistake(result.refused.diagnostics[0], result.path, result.subject)
    steps = steps_of(result)
    status = Status(result.verdict)
    message = result.outcome.message or f"{result.subject}: {result.verdict}"
    place = steps[-1] if steps else Place(result.path, 1, 1)
    return Finding(result.subject, status, message, place, steps, result.seconds.total)


def steps_of(result: CheckResult) -> tuple[Place, ...]:
    """The steps of the counterexample that are written somewhere; of a long one its beginning and its end."""
    trace = result.outcome.trace
    if trace is None:
        return ()
    moves = (moved for piece in shown_pieces(trace, MOST_STEPS) for moved in moves_of_piece(result.system, piece))
    return tuple(place for moved in moves if (place := place_of(moved.span, told(moved))) is not None)


def told(moved: Moved) -> str:
    changes = ", ".join(change.said for change in moved.changes)
    who = ", ".join(moved.actors)
    return ": ".join(part for part in (who, moved.text, changes) if part)


def findings_of_error(error: UserError, path: str) -> tuple[Finding, ...]:
    return tuple(finding_of_mistake(diagnostic, path) for diagnostic in error.diagnostics)


def finding_of_mistake(diagnostic: Diagnostic, path: str, subject: str = "the model is read") -> Finding:
    place = place_of(diagnostic.span, diagnostic.message) or Place(path, 1, 1)
    return Finding(subject, Status.MISTAKE, diagnostic.message, place)


def place_of(span: Span, text: str = "") -> Place | None:
    return None if span.source is NOWHERE.source else Place(span.file, span.line, span.column, text)
