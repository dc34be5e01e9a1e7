"""Expressions and predicates of B that a user asks about."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.b.load import load_reading
from quorbit.languages.b.lower.formulas import lower
from quorbit.languages.b.meaning.query import type_formula
from quorbit.languages.b.syntax.cursor import describe, open_cursor
from quorbit.languages.b.syntax.lex import END
from quorbit.languages.b.syntax.parse_formulas import parse_in_brackets
from quorbit.languages.b.syntax.show import show_value
from quorbit.languages.b.temporal.reading import only
from quorbit.languages.b.types.types import PREDICATE
from quorbit.languages.expression import Readable
from quorbit.languages.options import LoadOptions
from quorbit.model.system.types import Value
from quorbit.source.span import Span


def read_expression(path: Path, options: LoadOptions, text: Span) -> Readable:
    reading, *_ = load_reading(path, options)
    cursor = open_cursor(only(text))
    formula = parse_in_brackets(cursor)
    if cursor.token.kind != END:
        cursor.fail(f"the expression should end here, found {describe(cursor.token)}")
    universe = reading.scope.universe
    typed = type_formula(formula, universe.types, reading.definitions)

    def show(value: Value) -> str:
        if typed.type == PREDICATE:
            return "true" if value else "false"
        return show_value(universe, typed.type, value)

    return Readable(lower(reading.scope, typed), show, reading.ready)
