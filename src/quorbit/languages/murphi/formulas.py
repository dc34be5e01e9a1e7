"""Temporal formulas about a Murphi model: the operators are those of quorbit.logic, the propositions are expressions.

``forall p in P: []<> state[p] = Idle`` quantifies over a type, with temporal operators inside; Murphi's own
``forall p : P do ... end`` is a proposition.
"""

from __future__ import annotations

import re

from quorbit.languages.murphi.lower.expressions import lower, lower_condition
from quorbit.languages.murphi.lower.frame import Context, Frame
from quorbit.languages.murphi.lower.store import Store
from quorbit.languages.murphi.lower.system import Lowered
from quorbit.languages.murphi.lower.typed import Typed, limits_of
from quorbit.languages.murphi.parse.cursor import Cursor, read_tokens
from quorbit.languages.murphi.parse.expressions import parse_expression, parse_negation
from quorbit.languages.murphi.types import Simple, bounds, is_simple, union_numbers
from quorbit.languages.murphi.types import Union as UnionType
from quorbit.logic.formulas.parse import parse_formula
from quorbit.logic.formulas.spellings import NUSMV
from quorbit.model.system.expression import Bound, Expr
from quorbit.model.system.formula import (
    AllPaths,
    Always,
    Formula,
    Proposition,
    expand_quantifiers,
)
from quorbit.model.system.system import Invariant, Property, Temporal
from quorbit.model.system.walk import substitute
from quorbit.source.errors import UserError
from quorbit.source.span import Span

QUANTIFIED = re.compile(r"\b(?:forall|exists)\s+(\w+(?:\s*,\s*\w+)*)\s+in\s+(\w+)\s*:")


def read_formula(lowered: Lowered, span: Span, name: str) -> Property:
    """A formula of LTL, CTL or CTL*; one that only says what holds in every state is an invariant."""
    context = lowered.context
    quantified = quantified_names(context, span)
    names = {v: Typed(Bound(v, span), type, span, True, limits_of(type)) for v, type in quantified.items()}
    frame = frame_of(context).bind(dict(names))

    def read_proposition(rest: Span) -> tuple[Expr, int]:
        cursor = cursor_at(rest)
        e = lower_condition(frame, parse_negation(cursor))
        return e, cursor.tokens[cursor.at - 1].span.end

    own_words = ("forall", "exists") if not quantified else ()
    formula = parse_formula(span, read_proposition, NUSMV, lambda word: word in own_words or word in frame.names)
    written = write_out(context, formula, span)
    match written:
        case Always(Proposition(e)) | AllPaths(Always(Proposition(e))):
            return Invariant(name, e, f"{name} does not hold", span=span)  # type: ignore[arg-type]
    return Temporal(name, written, span)


def read_value(lowered: Lowered, span: Span) -> Typed:
    """An expression that a user asks about."""
    cursor = cursor_at(span)
    found = lower(frame_of(lowered.context), parse_expression(cursor))
    if cursor.peek().kind != "end":
        raise cursor.unexpected("the end of the expression")
    return found


def frame_of(context: Context) -> Frame:
    return Frame(context, context.scope, dict(context.globals))


def cursor_at(span: Span) -> Cursor:
    """The tokens from here on; what cannot be read ends them, for a formula has signs of its own."""
    end = span.end
    while True:
        try:
            return Cursor(span.source, read_tokens(span.source, span.start, end))
        except UserError as error:
            if error.span.start <= span.start or error.span.source is not span.source:
                raise
            end = error.span.start


def quantified_names(context: Context, span: Span) -> dict[str, Simple]:
    found: dict[str, Simple] = {}
    for names, sort in QUANTIFIED.findall(span.text):
        type = context.scope.named.get(sort)
        if type is None or not is_simple(type):
            raise UserError(span, f"there is no type {sort} to quantify over")
        found.update({name.strip(): type for name in names.split(",")})
    return found


def write_out(context: Context, formula: Formula, span: Span) -> Formula:
    """Quantifiers over types as conjunctions and disjunctions."""
    return expand_quantifiers(
        formula,
        lambda variable, sort, body: members(context.store, context.scope.named[sort], span),  # type: ignore[arg-type]
        lambda e, variable, value: substitute(e, {variable: value}),  # type: ignore[arg-type]
    )


def members(store: Store, type: Simple, span: Span) -> tuple[Expr, ...]:
    low, high = bounds(type)
    numbers = union_numbers(type) if isinstance(type, UnionType) else range(low, high + 1)
    return tuple(store.literal(type, n, span) for n in numbers)
