"""Substitutions: ``;`` binds loosest, then ``||``, then the statements themselves."""

from __future__ import annotations

from quorbit.languages.b.syntax.cursor import Cursor, describe, list_of
from quorbit.languages.b.syntax.formulas import Apply, Formula, Name
from quorbit.languages.b.syntax.lex import END, NAME
from quorbit.languages.b.syntax.parse_formulas import (
    declared,
    parse_expression,
    parse_formula,
    parse_in_brackets,
    parse_name,
    parse_names,
    parse_postfix,
)
from quorbit.languages.b.syntax.spelling import CLAUSES
from quorbit.languages.b.syntax.substitutions import (
    Any,
    Assert,
    Assign,
    BecomesIn,
    BecomesSuch,
    Call,
    Case,
    Choice,
    If,
    Let,
    Parallel,
    Pre,
    Select,
    Sequence,
    Skip,
    Substitution,
    Var,
    While,
)
from quorbit.source.errors import UserError


def parse_sequence_of(cursor: Cursor) -> Substitution:
    """S || T ; U, as inside a block; a ``;`` before the block's end is forgiven."""
    start = cursor.token.span
    parts = [parse_parallel(cursor)]
    while cursor.accept(";"):
        if ends_block(cursor):
            break
        parts.append(parse_parallel(cursor))
    return parts[0] if len(parts) == 1 else Sequence(cursor.span_from(start), tuple(parts))


def ends_block(cursor: Cursor) -> bool:
    token = cursor.token
    return (
        token.kind == END
        or token.text in CLAUSES
        or token.is_sign("END", "ELSE", "ELSIF", "WHEN", "OR", "INVARIANT", "VARIANT")
    )


def parse_parallel(cursor: Cursor) -> Substitution:
    start = cursor.token.span
    parts = list_of(cursor, parse_statement, "||")
    return parts[0] if len(parts) == 1 else Parallel(cursor.span_from(start), parts)


def parse_statement(cursor: Cursor) -> Substitution:
    with cursor.nested():
        token = cursor.token
        if token.kind == NAME:
            return parse_simple(cursor)
        if token.is_sign("("):
            raise UserError(token.span, "a substitution is grouped by BEGIN ... END, not by brackets")
        parse = STATEMENTS.get(token.text)
        if parse is None or not token.is_sign(token.text):
            cursor.fail(f"a substitution expected, found {describe(token)}")
        cursor.advance()
        return parse(cursor)


def parse_simple(cursor: Cursor) -> Substitution:
    """Assignments and operation calls: everything that starts with an identifier."""
    start = cursor.token.span
    targets = list_of(cursor, parse_target)
    if cursor.accept(":="):
        values = list_of(cursor, parse_expression)
        if len(values) != len(targets):
            raise UserError(cursor.span_from(start), f"{len(targets)} targets, but {len(values)} values")
        return Assign(cursor.span_from(start), targets, values)
    if cursor.accept("::"):
        return BecomesIn(cursor.span_from(start), targets, parse_expression(cursor))
    if cursor.accept(":"):
        cursor.expect("(", " after : in a substitution")
        predicate = parse_formula(cursor)
        cursor.expect(")")
        return BecomesSuch(cursor.span_from(start), tuple(name for t in targets for name in declared(t)), predicate)
    if cursor.accept("<--"):
        name = parse_name(cursor)
        return Call(cursor.span_from(start), targets, name.name, parse_arguments(cursor))
    return call_of(cursor, targets)


def parse_target(cursor: Cursor) -> Formula:
    return parse_postfix(cursor, parse_name(cursor))


def call_of(cursor: Cursor, targets: tuple[Formula, ...]) -> Substitution:
    if cursor.at("="):
        cursor.fail(":= expected, found =")
    match targets:
        case (Name(name=name) as only,):
            return Call(only.span, (), name, ())
        case (Apply(function=Name(name=name), arguments=arguments) as only,):
            return Call(only.span, (), name, arguments)
    cursor.fail(f":= expected, found {describe(cursor.token)}")


def parse_arguments(cursor: Cursor) -> tuple[Formula, ...]:
    if not cursor.accept("("):
        return ()
    arguments = list_of(cursor, parse_in_brackets)
    cursor.expect(")", " to close the arguments")
    return arguments


def parse_branch(cursor: Cursor) -> tuple[Formula, Substitution]:
    condition = parse_formula(cursor)
    cursor.expect("THEN")
    return condition, parse_sequence_of(cursor)


def parse_else(cursor: Cursor) -> Substitution | None:
    return parse_sequence_of(cursor) if cursor.accept("ELSE") else None


def parse_branches(cursor: Cursor, word: str) -> tuple[tuple[Formula, Substitution], ...]:
    branches = [parse_branch(cursor)]
    while cursor.accept(word):
        branches.append(parse_branch(cursor))
    return tuple(branches)


def parse_begin(cursor: Cursor) -> Substitution:
    body = parse_sequence_of(cursor)
    cursor.expect("END", " to close BEGIN")
    return body


def parse_skip(cursor: Cursor) -> Substitution:
    return Skip(cursor.previous.span)


def parse_pre(cursor: Cursor) -> Substitution:
    span = cursor.previous.span
    predicate, body = parse_branch(cursor)
    cursor.expect("END", " to close PRE")
    return Pre(cursor.span_from(span), predicate, body)


def parse_assert(cursor: Cursor) -> Substitution:
    span = cursor.previous.span
    predicate, body = parse_branch(cursor)
    cursor.expect("END", " to close ASSERT")
    return Assert(cursor.span_from(span), predicate, body)


def parse_choice(cursor: Cursor) -> Substitution:
    span = cursor.previous.span
    options = list_of(cursor, parse_sequence_of, "OR")
    cursor.expect("END", " to close CHOICE")
    return Choice(cursor.span_from(span), options)


def parse_if(cursor: Cursor) -> Substitution:
    span = cursor.previous.span
    branches = parse_branches(cursor, "ELSIF")
    otherwise = parse_else(cursor)
    cursor.expect("END", " to close IF")
    return If(cursor.span_from(span), branches, otherwise)


def parse_select(cursor: Cursor) -> Substitution:
    span = cursor.previous.span
    branches = parse_branches(cursor, "WHEN")
    otherwise = parse_else(cursor)
    cursor.expect("END", " to close SELECT")
    return Select(cursor.span_from(span), branches, otherwise)


def parse_case(cursor: Cursor) -> Substitution:
    span = cursor.previous.span
    subject = parse_in_brackets(cursor)
    cursor.expect("OF")
    cursor.expect("EITHER")
    branches = list_of(cursor, parse_case_branch, "OR")
    otherwise = parse_else(cursor)
    cursor.expect("END", " to close EITHER")
    cursor.expect("END", " to close CASE")
    return Case(cursor.span_from(span), subject, branches, otherwise)


def parse_case_branch(cursor: Cursor) -> tuple[tuple[Formula, ...], Substitution]:
    labels = list_of(cursor, parse_expression)
    cursor.expect("THEN")
    return labels, parse_sequence_of(cursor)


def parse_any(cursor: Cursor) -> Substitution:
    span = cursor.previous.span
    names = parse_names(cursor)
    cursor.expect("WHERE")
    predicate, body = parse_branch(cursor)
    cursor.expect("END", " to close ANY")
    return Any(cursor.span_from(span), names, predicate, body)


def parse_let_substitution(cursor: Cursor) -> Substitution:
    span = cursor.previous.span
    names = parse_names(cursor)
    cursor.expect("BE")
    definition = parse_formula(cursor)
    cursor.expect("IN")
    body = parse_sequence_of(cursor)
    cursor.expect("END", " to close LET")
    return Let(cursor.span_from(span), names, definition, body)


def parse_var(cursor: Cursor) -> Substitution:
    span = cursor.previous.span
    names = parse_names(cursor)
    cursor.expect("IN")
    body = parse_sequence_of(cursor)
    cursor.expect("END", " to close VAR")
    return Var(cursor.span_from(span), names, body)


def parse_while(cursor: Cursor) -> Substitution:
    span = cursor.previous.span
    condition = parse_formula(cursor)
    cursor.expect("DO")
    body = parse_sequence_of(cursor)
    variant = parse_in_brackets(cursor) if cursor.accept("VARIANT") else None
    cursor.expect("INVARIANT", " in a WHILE")
    invariant = parse_formula(cursor)
    if variant is None:
        cursor.expect("VARIANT", " in a WHILE")
        variant = parse_in_brackets(cursor)
    cursor.expect("END", " to close WHILE")
    return While(cursor.span_from(span), condition, body, invariant, variant)


STATEMENTS = {
    "BEGIN": parse_begin,
    "skip": parse_skip,
    "PRE": parse_pre,
    "ASSERT": parse_assert,
    "CHOICE": parse_choice,
    "IF": parse_if,
    "SELECT": parse_select,
    "CASE": parse_case,
    "ANY": parse_any,
    "LET": parse_let_substitution,
    "VAR": parse_var,
    "WHILE": parse_while,
}
