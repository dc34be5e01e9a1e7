"""Properties in the words of B: predicates as invariants, and temporal formulas as ProB writes them.

A temporal formula has predicates in braces, ``e(op)`` or ``e(op(1, 2))`` for "op can run" (with these arguments) and
``deadlock``: ``G ({x = 1} => F {x = 2})``.
``[op]``, which speaks of the next step instead of a state, is refused.
"""

from __future__ import annotations

import re

from quorbit.languages.b.lower.formulas import lower
from quorbit.languages.b.lower.scope import Scope
from quorbit.languages.b.meaning.query import type_formula
from quorbit.languages.b.syntax.cursor import describe, list_of, open_cursor
from quorbit.languages.b.syntax.formulas import Formula as BFormula
from quorbit.languages.b.syntax.formulas import Name, Text
from quorbit.languages.b.syntax.lex import END
from quorbit.languages.b.syntax.machine import Definition
from quorbit.languages.b.syntax.parse_formulas import parse_expression, parse_in_brackets
from quorbit.languages.b.types.types import PREDICATE
from quorbit.logic.formulas.parse import parse_formula
from quorbit.logic.formulas.spellings import NUSMV
from quorbit.model.system.command import Command
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Bound,
    Expr,
    Operator,
    Quantifier,
    Quantify,
    conjunction,
    disjunction,
    negation,
)
from quorbit.model.system.formula import AllPaths, Formula, Next
from quorbit.model.system.formula_kinds import is_ltl
from quorbit.model.system.system import Invariant, Property, Temporal
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Source, Span

TEMPORAL = re.compile(r"ASSERT_(LTL|CTL)\w*")
SPELLINGS = {"not": "!  ", "or": "| "}  # words ProB uses, in the parser's spelling and of the same length


@frozen
class Reading:
    """What a property may mention; ``ready``: the variables have values; ``parameters`` of every operation."""

    scope: Scope
    definitions: dict[str, Definition]
    commands: tuple[Command, ...]
    ready: Expr
    parameters: dict[str, tuple[Name, ...]]


def read_property(reading: Reading, span: Span, name: str) -> Property:
    """A predicate is an invariant, anything else a temporal formula; of two complaints the one that came further."""
    if (inside := temporal_definitions(reading).get(span.text.strip())) is not None:
        return Temporal(name, read_temporal(reading, inside), span)
    try:
        holds = read_predicate(reading, span)
        condition = disjunction([negation(reading.ready), holds], span)
        return Invariant(name, condition, f"{name} does not hold", span=span)
    except UserError as error:
        if not re.search(r"[{[]|\bdeadlock\b|\be\s*\(", span.text):
            raise
        try:
            return Temporal(name, read_temporal(reading, span), span)
        except UserError as other:
            raise max(error, other, key=lambda e: e.span.start) from None


def temporal_properties(reading: Reading) -> tuple[tuple[Temporal, ...], tuple[str, ...]]:
    """The ASSERT_LTL and ASSERT_CTL definitions; and those that need what we do not have, with the reason."""
    found: list[Temporal] = []
    unread: list[str] = []
    for name, span in temporal_definitions(reading).items():
        try:
            found.append(Temporal(name, read_temporal(reading, span), span))
        except UserError as error:
            unread.append(f"not checked: {name}, which cannot be read ({error.span}: {error.message})")
    return tuple(found), tuple(unread)


def temporal_definitions(reading: Reading) -> dict[str, Span]:
    """Where the texts of the temporal definitions are, without their quotes."""
    found: dict[str, Span] = {}
    for definition in reading.definitions.values():
        if TEMPORAL.fullmatch(definition.name) and isinstance(definition.body, Text):
            span = definition.body.span
            found[definition.name] = Span(span.source, span.start + 1, span.end - 1)
    return found


def read_predicate(reading: Reading, span: Span) -> Expr:
    cursor = open_cursor(only(span))
    formula: BFormula = parse_in_brackets(cursor)
    if cursor.token.kind != END:
        cursor.fail(f"the predicate should end here, found {describe(cursor.token)}")
    typed = type_formula(formula, reading.scope.universe.types, reading.definitions)
    if typed.type != PREDICATE:
        raise UserError(span, f"a predicate expected, found an expression of type {typed.type}")
    return lower(reading.scope, typed)


def only(span: Span) -> Source:
    """The source with everything outside the span blank, so that places in it stay what they are."""
    before = re.sub(r"[^\n]", " ", span.source.text[: span.start])
    return Source(span.source.name, before + span.text)


def read_temporal(reading: Reading, span: Span) -> Formula:
    source = Source(span.source.name, span.source.text[: span.start] + respell(span.text))

    def read(rest: Span) -> tuple[Expr, int]:
        return read_atom(reading, rest)

    formula = parse_formula(Span(source, span.start, span.end), read, NUSMV)
    if reading.ready == TRUE:
        return formula
    # ProB looks at runs from the initialised states, one step after the valuation of the constants.
    return Next(formula) if is_ltl(formula) else AllPaths(Next(formula))


def respell(text: str) -> str:
    """not and or in the parser's spelling, outside the predicates."""
    parts = re.split(r"(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})", text)
    words = re.compile(r"\b(not|or)\b")
    return "".join(p if p.startswith("{") else words.sub(lambda m: SPELLINGS[m.group()], p) for p in parts)


def read_atom(reading: Reading, span: Span) -> tuple[Expr, int]:
    """{P}, e(op) or deadlock at the start of the span."""
    if span.text.startswith("{"):
        end = closing(span)
        holds = read_predicate(reading, Span(span.source, span.start + 1, end - 1))
        return conjunction([reading.ready, holds]), end
    if found := re.match(r"e\s*\(\s*([\w.]+)\s*\)", span.text):
        return can_run(reading, found.group(1), span), span.start + found.end()
    if found := re.match(r"e\s*\(\s*([\w.]+)\s*\(", span.text):
        end = span.start + found.end() - 1
        inside = Span(span.source, end, closing(Span(span.source, end, span.end)))
        if last := re.match(r"\s*\)", span.source.text[inside.end : span.end]):
            return can_run_with(reading, found.group(1), inside, span), inside.end + last.end()
    if found := re.match(r"deadlock\b", span.text):
        every = dict.fromkeys(c.label for c in reading.commands)
        return negation(disjunction([can_run(reading, label, span) for label in every])), span.start + found.end()
    first = Span(span.source, span.start, span.start + 1)
    if span.text.startswith("["):
        raise UserError(first, "[operation] speaks of a step, not of a state; this is not supported")
    raise UserError(first, "expected {predicate}, e(operation) or deadlock")


def closing(span: Span) -> int:
    """Where the bracket closes that the span begins with."""
    depth = 0
    opens = span.text[0]
    closes = {"{": "}", "(": ")"}[opens]
    for i, c in enumerate(span.text):
        depth += (c == opens) - (c == closes)
        if depth == 0:
            return span.start + i + 1
    raise UserError(Span(span.source, span.start, span.start + 1), f"this {opens} is not closed")


def can_run_with(reading: Reading, label: str, inside: Span, span: Span) -> Expr:
    """As ``can_run``, with the arguments in brackets."""
    parameters = reading.parameters.get(label, ())
    arguments = read_arguments(reading, inside)
    if len(arguments) != len(parameters):
        raise UserError(inside, f"{label} has {len(parameters)} parameters, not {len(arguments)}")
    tests: list[Expr] = [
        Apply(Operator.EQUAL, (Bound(p.name), lower(reading.scope, argument)), inside)
        for p, argument in zip(parameters, arguments, strict=True)
    ]
    return can_run(reading, label, span, tests)


def read_arguments(reading: Reading, inside: Span) -> tuple[BFormula, ...]:
    """The formulas between commas, with their types."""
    cursor = open_cursor(only(inside))
    cursor.expect("(")
    found = list_of(cursor, parse_expression)
    cursor.expect(")")
    return tuple(type_formula(f, reading.scope.universe.types, reading.definitions) for f in found)


def can_run(reading: Reading, label: str, span: Span, tests: list[Expr] | None = None) -> Expr:
    """Some way through the operation has a true guard for some values of its parameters that pass the tests."""
    commands = [c for c in reading.commands if c.label == label]
    if not commands:
        raise UserError(span, f"there is no operation {label}")
    ways: list[Expr] = []
    for command in commands:
        found: Expr = conjunction([*(tests or ()), command.guard])
        for parameter in reversed(command.parameters):
            found = Quantify(Quantifier.SOME, parameter, found, span=span)
        ways.append(found)
    return disjunction(ways)
