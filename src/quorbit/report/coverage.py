"""Which statements of a model were never performed, and how often the others were.

Engines count how often each command ran.  A statement of the text may stand behind several commands (one for every way
it can go on), and a command may perform several statements; an operation of a B machine counts as one statement.  With
symmetry the counts are those of the representatives; whether a statement is reached does not depend on that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from quorbit.model.system.command import Command
from quorbit.model.system.system import System, Temporal
from quorbit.report.text_tables import table
from quorbit.result.outcome import Verdict
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE, Span

__all__ = ["coverage_of", "coverage_table", "goal_of", "goal_table"]

if TYPE_CHECKING:
    from quorbit.report.record import CheckResult

MOST_LISTED = 8
WIDEST = 60


@frozen
class Covered:
    """A statement, and how often a command ran that performs it."""

    text: str
    span: Span
    count: int


def coverage_of(system: System, fired: tuple[int, ...]) -> tuple[Covered, ...]:
    """All statements in the order of the text; nothing where the engine did not count."""
    if len(fired) != len(system.commands):
        return ()
    found: dict[object, Covered] = {}
    for command, count in zip(system.commands, fired, strict=True):
        for text, span in statements_of(command, whole=not system.statements):
            key = (span.source, span.start, text) if command.actors else text
            earlier = found[key].count if key in found else 0
            found[key] = Covered(text, found[key].span if key in found else span, earlier + count)
    for statement in system.statements:
        text = words(statement.span)
        found.setdefault((statement.span.source, statement.span.start, text), Covered(text, statement.span, 0))
    return tuple(sorted(found.values(), key=lambda c: (c.span.file, c.span.start)))


def statements_of(command: Command, whole: bool) -> list[tuple[str, Span]]:
    """With the text the user wrote; a process's closing brace is its end.  ``whole``: a command is one statement."""
    performed = [(words(p.span), p.span) for p in command.performs if is_known(p.span)]
    if performed:
        return [(command.label if text == "}" else text, span) for text, span in performed]
    return [(command.label, command.span)] if whole and is_known(command.span) else []


def words(span: Span) -> str:
    return " ".join(span.text.split())


def is_known(span: Span) -> bool:
    return span.source is not NOWHERE.source


def unreached(covered: tuple[Covered, ...]) -> list[Covered]:
    return [c for c in covered if c.count == 0]


def coverage_lines(result: CheckResult) -> list[str]:
    """One line about what was not reached, if anything was not; a search that ended early tells nothing."""
    covered = coverage_of(result.system, result.outcome.statistics.fired)
    missing = unreached(covered)
    if not missing or not result.outcome.is_complete():
        return []
    listed = [f"{c.span.file}:{c.span.line} {cut(c.text)}" for c in missing[:MOST_LISTED]]
    more = [f"... and {len(missing) - MOST_LISTED} more"] if len(missing) > MOST_LISTED else []
    head, *rest = [f"{len(missing)} of {len(covered)} statements", *listed, *more]
    return [f"unreached   {head}", *(f"            {line}" for line in rest)]


def goal_of(result: CheckResult) -> Temporal | None:
    """What the model wants to be reached, if the answer is about that."""
    goals = (p for p in result.system.properties if isinstance(p, Temporal) and p.cover)
    return next((p for p in goals if p.name == result.asked), None)


def goal_table(results: Sequence[CheckResult]) -> list[str]:
    """What the model wants to be reached, with its line, and whether it is."""
    told = {Verdict.HOLDS: "yes", Verdict.FAILS: "never", Verdict.UNKNOWN: "unknown"}
    goals = [(goal, result) for result in results if (goal := goal_of(result)) is not None]
    rows = [[f"{g.span.file}:{g.span.line}", told[r.outcome.verdict], cut(g.name)] for g, r in goals]
    return table(["line", "reached", "cover"], rows) if rows else []


def coverage_table(result: CheckResult) -> list[str]:
    """Every statement with its line and count, and whether the search saw everything."""
    covered = coverage_of(result.system, result.outcome.statistics.fired)
    if not covered:
        return [f"the {result.outcome.engine} engine does not count statements"]
    rows = [[f"{c.span.file}:{c.span.line}", str(c.count) if c.count else "never", cut(c.text)] for c in covered]
    partial = [] if result.outcome.is_complete() else ["  (the search ended early: these are counts so far)"]
    return [*table(["line", "performed", "statement"], rows), *partial]


def coverage_object(result: CheckResult) -> dict[str, Any] | None:
    """For JSON: how many statements there are and those that were never performed; None where nobody counted."""
    covered = coverage_of(result.system, result.outcome.statistics.fired)
    if not covered:
        return None
    missing = unreached(covered)
    return {
        "complete": result.outcome.is_complete(),
        "statements": len(covered),
        "reached": len(covered) - len(missing),
        "unreached": [{"file": c.span.file, "line": c.span.line, "statement": c.text} for c in missing],
    }


def cut(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 4] + " ..."
