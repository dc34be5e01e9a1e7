"""Text -> statements."""

from __future__ import annotations

from quorbit.languages.murphi.parse.cursor import Cursor
from quorbit.languages.murphi.parse.expressions import parse_designator, parse_element_condition, parse_expression
from quorbit.languages.murphi.parse.types import parse_quantifiers
from quorbit.languages.murphi.syntax.program import (
    Alias,
    AliasStatement,
    Assignment,
    Claim,
    Clear,
    ErrorStatement,
    For,
    If,
    MultisetAdd,
    MultisetRemove,
    MultisetRemoveIf,
    ProcedureCall,
    Put,
    Return,
    Statement,
    Switch,
    Undefine,
    While,
)
from quorbit.languages.murphi.syntax.terms import Call, Expression, Name


def parse_statements(cursor: Cursor, *ends: str) -> tuple[Statement, ...]:
    """Statements up to one of these keywords, which stays."""
    found: list[Statement] = []
    cursor.skip_semicolons()
    while not cursor.is_next(*ends):
        found.append(parse_statement(cursor))
        if not cursor.is_next(*ends) and not begins_line(cursor):
            cursor.expect(";", where="after a statement")
        cursor.skip_semicolons()
    return tuple(found)


def begins_line(cursor: Cursor) -> bool:
    """Whether the next token is the first of its line; there a semicolon may be missing, as for Rumur."""
    return "\n" in cursor.source.text[cursor.last.end : cursor.peek().span.start]


def parse_block(cursor: Cursor, *ends: str) -> tuple[Statement, ...]:
    """Statements with the keyword that ends them."""
    cursor.deeper()
    found = parse_statements(cursor, *ends)
    cursor.take()
    cursor.depth -= 1
    return found


def parse_statement(cursor: Cursor) -> Statement:
    token = cursor.peek()
    match token.text if token.kind == "keyword" else "":
        case "if":
            return parse_if(cursor)
        case "switch":
            return parse_switch(cursor)
        case "for":
            cursor.take()
            quantifiers = parse_quantifiers(cursor, parse_expression)
            return For(quantifiers, parse_block(cursor, "end", "endfor"), token.span)
        case "while":
            cursor.take()
            test = parse_expression(cursor)
            cursor.expect("do", ":")
            return While(test, parse_block(cursor, "end", "endwhile"), token.span)
        case "alias":
            cursor.take()
            aliases = parse_aliases(cursor)
            return AliasStatement(aliases, parse_block(cursor, "end", "endalias"), token.span)
        case "clear" | "undefine":
            cursor.take()
            target = parse_designator(cursor)
            kind = Clear if token.text == "clear" else Undefine
            return kind(target, token.span.to(target.span))
        case "error":
            cursor.take()
            return ErrorStatement(cursor.text(), token.span.to(cursor.last))
        case "put":
            return parse_put(cursor)
        case "return":
            cursor.take()
            value = None if cursor.is_next(";", "end") else parse_expression(cursor)
            return Return(value, token.span.to(cursor.last))
        case "assert" | "invariant":
            return parse_claim(cursor)
        case "multisetadd" | "multisetremove" | "multisetremovepred":
            return parse_multiset_statement(cursor)
    if cursor.is_word("assume", "cover"):
        return parse_claim(cursor)
    if token.kind not in ("word", "symbol"):
        raise cursor.unexpected("a statement")
    return parse_assignment(cursor)


def parse_assignment(cursor: Cursor) -> Statement:
    target = parse_designator(cursor)
    if isinstance(target, Call) and not cursor.is_next(":="):
        return ProcedureCall(target)
    cursor.expect(":=", where="after what is assigned")
    value = parse_expression(cursor)
    return Assignment(target, value, target.span.to(value.span))


def parse_if(cursor: Cursor) -> If:
    start = cursor.take().span
    cursor.deeper()
    arms: list[tuple[Expression, tuple[Statement, ...]]] = []
    other: tuple[Statement, ...] = ()
    while True:
        test = parse_expression(cursor)
        cursor.expect("then")
        arms.append((test, parse_statements(cursor, "elsif", "else", "end", "endif")))
        if cursor.accept("elsif"):
            continue
        if cursor.accept("else"):
            other = parse_statements(cursor, "end", "endif")
        cursor.expect("end", "endif")
        cursor.depth -= 1
        return If(tuple(arms), other, start)


def parse_switch(cursor: Cursor) -> Switch:
    start = cursor.take().span
    cursor.deeper()
    subject = parse_expression(cursor)
    cases: list[tuple[tuple[Expression, ...], tuple[Statement, ...]]] = []
    other: tuple[Statement, ...] = ()
    cursor.skip_semicolons()
    while cursor.accept("case"):
        values = [parse_expression(cursor)]
        while cursor.accept(","):
            values.append(parse_expression(cursor))
        cursor.expect(":", where="after the values of a case")
        cases.append((tuple(values), parse_statements(cursor, "case", "else", "end", "endswitch")))
    if cursor.accept("else"):
        cursor.accept(":")
        other = parse_statements(cursor, "end", "endswitch")
    cursor.expect("end", "endswitch")
    cursor.depth -= 1
    return Switch(subject, tuple(cases), other, start)


def parse_aliases(cursor: Cursor) -> tuple[Alias, ...]:
    found = []
    while not cursor.accept("do"):
        token = cursor.name("the name of an alias")
        cursor.expect(":", where="and what the alias stands for")
        found.append(Alias(Name(token.text, token.span), parse_expression(cursor)))
        if found and cursor.accept(":"):  # a colon may stand for ``do``
            break
        if not cursor.is_next("do") and not begins_line(cursor):
            cursor.expect(";", ",", where="or 'do' after an alias")
        cursor.skip_semicolons()
    return tuple(found)


def parse_put(cursor: Cursor) -> Put:
    start = cursor.take().span
    if cursor.peek().kind == "text":
        return Put(cursor.text(), start.to(cursor.last))
    value = parse_expression(cursor)
    return Put(value, start.to(value.span))


def parse_claim(cursor: Cursor) -> Claim:
    """CMurphi writes the message behind the condition, Rumur in front of it."""
    word = cursor.take()
    before = cursor.text()
    condition = parse_expression(cursor)
    return Claim(word.text.lower(), condition, cursor.text() or before, word.span.to(cursor.last))


def parse_multiset_statement(cursor: Cursor) -> Statement:
    word = cursor.take()
    if word.text == "multisetremovepred":
        name, set, condition = parse_element_condition(cursor)
        return MultisetRemoveIf(name, set, condition, word.span.to(cursor.last))
    cursor.expect("(")
    first = parse_expression(cursor)
    cursor.expect(",")
    set = parse_designator(cursor)
    end = cursor.expect(")").span
    kind = MultisetAdd if word.text == "multisetadd" else MultisetRemove
    return kind(first, set, word.span.to(end))
