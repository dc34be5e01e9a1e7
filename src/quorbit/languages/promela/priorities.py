"""Process priorities, where every proctype has one for good: of the processes that can move the highest one does."""

from __future__ import annotations

from quorbit.languages.promela.layout import runs_of
from quorbit.languages.promela.program import Program
from quorbit.source.errors import UserError
from quorbit.source.span import Span

ORDINARY = 1


def priorities_of(program: Program) -> dict[str, int]:
    """The priority of every proctype; refuses a proctype whose processes have different ones."""
    found: dict[str, int] = {}
    for proctype in program.proctypes:
        if proctype.active:
            note(found, proctype.name, proctype.priority or ORDINARY, proctype.span)
    for run in runs_of(program):
        note(found, run.proctype, run.priority or ORDINARY, run.span)
    return found


def note(found: dict[str, int], name: str, priority: int, span: Span) -> None:
    if not 1 <= priority <= 255:
        raise UserError(span, "a priority is between 1 and 255")
    if found.setdefault(name, priority) != priority:
        raise UserError(span, f"processes of one proctype with different priorities ('{name}') are not supported")
