"""Process priorities: of the processes that can move, only those of the highest priority do.

A command's rank says this where every process of a proctype has the same priority for good.  Else the priority of a
process is a place of its own, and there is one copy of the process's commands for every priority it may have.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.promela.lower.remote import all_expressions, expressions_of
from quorbit.languages.promela.parse.program import (
    Constant,
    Expression,
    OfProcess,
    Predefined,
    Proctype,
    Program,
    Run,
    SetPriority,
    Statement,
)
from quorbit.languages.promela.parse.walk import statements, walk
from quorbit.source.errors import UserError
from quorbit.source.span import Span

ORDINARY = 1
Levels = dict[str, tuple[int, ...]]


def levels_of(program: Program) -> Levels:
    """The priorities that the processes of every proctype may have."""
    found: dict[str, set[int]] = {p.name: set() for p in processes(program)}
    for proctype in processes(program):
        if proctype.active:
            found[proctype.name].add(checked(proctype.priority or ORDINARY, proctype.span))
        for statement in statements(proctype.body):
            for run in runs_in(statement):
                found[run.proctype].add(checked(run.priority or ORDINARY, run.span))
            if isinstance(statement, SetPriority):
                names = [proctype.name] if statement.own else list(found)
                for name in names:
                    found[name].update(values_of(statement.priority))
    return {name: tuple(sorted(levels)) or (ORDINARY,) for name, levels in found.items()}


def processes(program: Program) -> Iterator[Proctype]:
    return (p for p in program.proctypes if p.role in {"proctype", "init"})


def runs_in(statement: Statement) -> Iterator[Run]:
    for expression in expressions_of(statement):
        for inner in walk(expression):
            if isinstance(inner, Run):
                yield inner


def values_of(expression: Expression) -> list[int]:
    if not isinstance(expression, Constant):
        raise UserError(expression.span, "a priority that is not a constant is not supported")
    return [checked(expression.value, expression.span)]


def checked(priority: int, span: Span) -> int:
    if not 1 <= priority <= 255:
        raise UserError(span, "a priority is between 1 and 255")
    return priority


def keeps_priorities(program: Program, levels: Levels) -> bool:
    """Whether the priority of a process is something to remember."""
    if any(len(found) > 1 for found in levels.values()):
        return True
    asked = (inner for expression in all_expressions(program) for inner in walk(expression))
    return any(
        (isinstance(e, Predefined) and e.name == "_priority")
        or (isinstance(e, OfProcess) and e.operator == "get_priority")
        for e in asked
    )
