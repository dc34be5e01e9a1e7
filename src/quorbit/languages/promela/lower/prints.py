"""What printf and printm show, and which statements a command performs: for simulation and coverage."""

from __future__ import annotations

import re

from quorbit.languages.promela.lower.control_flow import Edge
from quorbit.languages.promela.lower.expressions import value
from quorbit.languages.promela.lower.values import View
from quorbit.languages.promela.parse.program import (
    Break,
    Constant,
    Expression,
    Goto,
    Guard,
    Nothing,
    Print,
    Program,
    Reference,
    Statement,
)
from quorbit.languages.promela.parse.show import show_statement
from quorbit.languages.promela.parse.walk import walk
from quorbit.model.system.command import Performed, Shown
from quorbit.model.system.command import Print as Printing
from quorbit.source.span import NOWHERE, Span

MARK = re.compile(r"\\(?P<escaped>.)|%(?P<letter>.)", re.DOTALL)
ESCAPES = {"n": "\n", "t": "\t"}
LETTERS = "duoxce"


def lower_print(view: View, statement: Print, after: int) -> Printing:
    """The text of a printf with its values; printm shows a name."""
    arguments = list(statement.arguments)
    if not statement.format:
        return Printing((shown(view, arguments[0], "e"),), after)
    text = statement.format[1:-1]
    pieces: list[str | Shown] = []
    at = 0
    for mark in MARK.finditer(text):
        pieces.append(text[at : mark.start()])
        pieces.append(marked(view, mark, arguments))
        at = mark.end()
    return Printing(tuple(piece for piece in (*pieces, text[at:]) if piece != ""), after)


def marked(view: View, mark: re.Match[str], arguments: list[Expression]) -> str | Shown:
    if mark["escaped"]:
        return ESCAPES.get(mark["escaped"], mark["escaped"])
    if mark["letter"] not in LETTERS or not arguments:  # SPIN complains about these when it comes to them
        return "%" if mark["letter"] == "%" else mark[0]
    return shown(view, arguments.pop(0), mark["letter"])


def shown(view: View, argument: Expression, letter: str) -> str | Shown:
    if any(isinstance(e, Reference) and view.placement.is_hidden(e.variable) for e in walk(argument)):
        return "?"  # a variable that nothing else reads is stored only in a simulation
    names = member_names(view.placement.program, argument) if letter == "e" else ()
    return Shown(value(view, argument), letter, names)


def member_names(program: Program, argument: Expression) -> tuple[str, ...]:
    """The names of the mtype an expression is of; the first mtype if it does not say."""
    sets = dict(program.mtypes)
    if isinstance(argument, Reference) and argument.last.type.name in sets:
        return sets[argument.last.type.name]
    if isinstance(argument, Constant):
        return next((members for members in sets.values() if argument.mtype in members), ())
    return next(iter(sets.values()), ())


def performed(proctype: str, edge: Edge, actor: int = 0, number: int | None = 0) -> tuple[Performed, ...]:
    """The statements of an edge.  Only the first has a number, the others were merged to it; it is another one, or
    none, inside a d_step, which has one number for all of it."""
    first = "" if number is None else f"{proctype}:{number or edge.number}"
    numbers = [first, *("" for _ in edge.steps[1:])]
    return tuple(
        Performed(actor, n, written(step.statement), said(step.statement))
        for n, step in zip(numbers, edge.steps, strict=True)
    )


def said(statement: Statement) -> str:
    """What a trace says of it; nothing of what leaves no trace in the text."""
    return "" if isinstance(statement, Nothing | Goto | Break) else show_statement(statement)


def written(statement: Statement) -> Span:
    """Where a statement stands that can be reached or not; a constant as a condition is none."""
    constant = isinstance(statement, Guard) and isinstance(statement.condition, Constant)
    return NOWHERE if constant else statement.span
