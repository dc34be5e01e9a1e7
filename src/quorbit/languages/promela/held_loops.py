"""A model with some of its loops inside ``atomic``: what `why` proposes is tried before it is told."""

from __future__ import annotations

from collections.abc import Sequence as Listed

from quorbit.languages.promela.parse.program import (
    Assignment,
    Binary,
    Constant,
    Labelled,
    Program,
    Selection,
    Sequence,
    Statement,
    Unless,
)
from quorbit.source.frozen import replace
from quorbit.source.span import Span

__all__ = ["hold_loops"]

Place = tuple[str, int]  # file and line


def hold_loops(program: Program, counted: Listed[Span]) -> tuple[Program, tuple[Span, ...]]:
    """The program with the innermost loops that count at these places inside ``atomic``, and where these loops are."""
    holder = Holder(frozenset((span.file, span.line) for span in counted))
    proctypes = tuple(
        replace(p, body=holder.in_order(p.body)) if p.role in {"proctype", "init"} else p for p in program.proctypes
    )
    return replace(program, proctypes=proctypes), tuple(holder.loops)


class Holder:
    """Statements written again; ``loops`` are those that are held together now."""

    def __init__(self, counted: frozenset[Place]) -> None:
        self.counted = counted
        self.loops: list[Span] = []

    def in_order(self, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
        """The statements of a sequence; the assignment right before a loop, its first number, goes with it."""
        found: list[Statement] = []
        for statement in body:
            written = self.held(statement)
            if written is not statement and isinstance(written, Sequence) and isinstance(statement, Selection):
                first = (found.pop(),) if found and isinstance(found[-1], Assignment) else ()
                written = replace(written, body=(*first, *written.body))
            found.append(written)
        return tuple(found)

    def held(self, statement: Statement) -> Statement:
        match statement:
            case Selection(options, loop):
                if loop is not None and any(self.counts(part) for option in options for part in option):
                    self.loops.append(statement.span)
                    return Sequence("atomic", (statement,), statement.span)
                return replace(statement, options=tuple(map(self.in_order, options)))
            case Sequence(""):
                return replace(statement, body=self.in_order(statement.body))
            case Labelled(body=body):
                return replace(statement, body=self.held(body))
            case Unless(body, escape):
                return replace(statement, body=self.held(body), escape=self.held(escape))
            case _:
                return statement

    def counts(self, statement: Statement) -> bool:
        """Whether it counts at one of the places, inner loops aside."""
        match statement:
            case Assignment(target, Binary("+" | "-", left, Constant())):
                return left == target and (statement.span.file, statement.span.line) in self.counted
            case Selection(options, None):
                return any(self.counts(part) for option in options for part in option)
            case Sequence(body=body):
                return any(map(self.counts, body))
            case Labelled(body=inner):
                return self.counts(inner)
            case _:
                return False
