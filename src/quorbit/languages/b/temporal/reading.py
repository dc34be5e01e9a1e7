"""What a property of a machine may mention, and its predicates and expressions read there."""

from __future__ import annotations

import re

from quorbit.languages.b.lower.formulas import lower
from quorbit.languages.b.lower.scope import Scope
from quorbit.languages.b.meaning.query import type_formula
from quorbit.languages.b.syntax.cursor import describe, open_cursor
from quorbit.languages.b.syntax.formulas import Formula, Name
from quorbit.languages.b.syntax.lex import END
from quorbit.languages.b.syntax.machine import Definition
from quorbit.languages.b.syntax.parse_formulas import parse_in_brackets
from quorbit.languages.b.types.types import PREDICATE
from quorbit.model.system.expression import Expr
from quorbit.model.system.system import System
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Source, Span

__all__ = ["Reading", "only", "read_predicate"]


@frozen
class Reading:
    """What a property may mention; ``ready``: the variables have values; ``parameters`` of every operation."""

    scope: Scope
    definitions: dict[str, Definition]
    system: System
    ready: Expr
    parameters: dict[str, tuple[Name, ...]]


def read_predicate(reading: Reading, span: Span) -> Expr:
    """A predicate that is the whole text of the span."""
    typed = read_typed(reading, span)
    if typed.type != PREDICATE:
        raise UserError(span, f"a predicate expected, found an expression of type {typed.type}")
    return lower(reading.scope, typed)


def read_typed(reading: Reading, span: Span) -> Formula:
    """A formula that is the whole text of the span, with its types."""
    cursor = open_cursor(only(span))
    formula: Formula = parse_in_brackets(cursor)
    if cursor.token.kind != END:
        cursor.fail(f"the predicate should end here, found {describe(cursor.token)}")
    return type_formula(formula, reading.scope.universe.types, reading.definitions)


def only(span: Span) -> Source:
    """The source with everything outside the span blank, so that places in it stay what they are."""
    before = re.sub(r"[^\n]", " ", span.source.text[: span.start])
    return Source(span.source.name, before + span.text)
