"""Expressions about an edge diagram that a user asks about."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.edges.cursor import Cursor
from quorbit.languages.edges.declare import declare
from quorbit.languages.edges.kinds import Kind, Typed
from quorbit.languages.edges.load import read_defines
from quorbit.languages.edges.lower_expressions import Scope, lower_node
from quorbit.languages.edges.names import Names
from quorbit.languages.edges.parse_diagram import parse
from quorbit.languages.edges.parse_expressions import parse_expression
from quorbit.languages.expression import Readable
from quorbit.languages.options import LoadOptions
from quorbit.model.system.types import NONE, Value
from quorbit.source.errors import UserError, raise_all
from quorbit.source.read import read_source
from quorbit.source.span import Span


def read_expression(path: Path, options: LoadOptions, text: Span) -> Readable:
    program, errors = parse(read_source(path))
    names = declare(program, read_defines(program, options), errors)
    raise_all(errors)
    cursor = Cursor(text.source, text.start, text.end)
    typed = lower_node(Scope(names), parse_expression(cursor))
    if text.source.text[cursor.at : text.end].strip():
        raise UserError(cursor.peek().span, "the expression should end here")
    if typed.kind is Kind.SYMBOL:
        raise UserError(typed.span, f"{typed.text} is a name without a variable that could have this value")
    return Readable(typed.expr, lambda value: show(names, typed, value))


def show(names: Names, typed: Typed, value: Value) -> str:
    match typed.kind:
        case Kind.TRUTH:
            return "true" if value else "false"
        case Kind.PROCESS | Kind.NOTHING:
            return "none" if value == NONE else str(names.processes.index(value) + 1)
        case Kind.VALUE:
            return typed.names[value]  # type: ignore[index]
        case _:
            return str(value)
