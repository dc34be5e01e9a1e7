"""A file of formulas as VIS writes them: each ends with `;`, and `\\define name formula` names a part for later use.

A formula that is wrong ends at its `;` too, so that those after it are read."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.logic.formulas.parse import Parser, Reader, as_span, read_runs
from quorbit.logic.formulas.spellings import VIS, Dialect
from quorbit.model.system.formula import Formula
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

__all__ = ["Stated", "Unreadable", "parse_each"]

DEFINE = "\\define"


@frozen
class Stated:
    """A formula and where it stands."""

    span: Span
    formula: Formula


@frozen
class Unreadable:
    """A formula or a definition that is wrong, and where it stands."""

    span: Span
    error: UserError


def parse_each(
    text: str | Span,
    reader: Reader | None = None,
    dialect: Dialect = VIS,
    is_name: Callable[[str], bool] = lambda word: False,
) -> tuple[Stated | Unreadable, ...]:
    """All formulas of a text, macros written out, with what is wrong among them; a `;` after a definition or at the end
    may be left out."""
    span = as_span(text)
    parser = Parser(span, reader or read_runs(dialect=dialect), dialect, is_name, {})
    found: list[Stated | Unreadable] = []
    while parser.at < span.end:
        start = parser.at
        try:
            if parser.text(";"):
                parser.take(";")
            elif parser.text(DEFINE):
                define(parser)
            else:
                found.append(state(parser))
        except UserError as error:
            pass_over(parser, start)
            found.append(Unreadable(Span(span.source, start, start + len(trimmed(parser, start))), error))
    return tuple(found)


def pass_over(parser: Parser, start: int) -> None:
    """Go on behind the `;` that ends what begins here, or where a definition begins after it."""
    parser.at = start + 1
    parser.skip()
    while parser.at < parser.span.end and not parser.text(DEFINE):
        is_end = parser.text(";")
        parser.take(parser.char())
        if is_end:
            break


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
