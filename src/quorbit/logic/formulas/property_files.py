"""A file of formulas as VIS writes them: each ends with `;`, and `\\define name formula` names a part for later use."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.logic.formulas.parse import Parser, Reader, as_span, read_runs
from quorbit.logic.formulas.spellings import VIS, Dialect
from quorbit.model.system.formula import Formula
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

__all__ = ["parse_properties"]

DEFINE = "\\define"


@frozen
class Stated:
    """A formula and where it stands."""

    span: Span
    formula: Formula


def parse_properties(
    text: str | Span,
    reader: Reader | None = None,
    dialect: Dialect = VIS,
    is_name: Callable[[str], bool] = lambda word: False,
) -> tuple[Stated, ...]:
    """All formulas of a text, macros written out; a `;` after a definition or at the end may be left out."""
    span = as_span(text)
    parser = Parser(span, reader or read_runs(dialect=dialect), dialect, is_name, {})
    found = []
    while parser.at < span.end:
        if parser.text(";"):
            parser.take(";")
        elif parser.text(DEFINE):
            define(parser)
        else:
            found.append(state(parser))
    return tuple(found)


def define(parser: Parser) -> None:
    start = parser.at
    parser.take(DEFINE)
    name = parser.identifier("the name of a macro")
    if name in parser.macros:
        raise parser.error(f"\\{name} is defined twice", start, parser.at)
    parser.macros[name] = parser.formula()
    if parser.text(";"):
        parser.take(";")


def state(parser: Parser) -> Stated:
    start = parser.at
    formula = parser.formula()
    stated = Stated(Span(parser.span.source, start, start + len(trimmed(parser, start))), formula)
    if parser.text(";"):
        parser.take(";")
    elif parser.at < parser.span.end:
        raise parser.error("expected an operator or ; after the formula", parser.at)
    return stated


def trimmed(parser: Parser, start: int) -> str:
    return parser.span.source.text[start : parser.at].rstrip()
