"""Text -> types and quantifiers.  Both hold expressions, so the parser of expressions is handed in."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.murphi.parse.cursor import Cursor
from quorbit.languages.murphi.syntax.terms import (
    ArrayType,
    BooleanType,
    EnumType,
    Expression,
    MultisetType,
    Name,
    NamedType,
    Quantifier,
    RangeType,
    RecordType,
    ScalarsetType,
    TypeExpression,
    UnionType,
    Word,
)

ParseExpression = Callable[[Cursor], Expression]


def parse_type(cursor: Cursor, parse_expression: ParseExpression) -> TypeExpression:
    cursor.deeper()
    found = parse_one_type(cursor, parse_expression)
    cursor.depth -= 1
    return found


def parse_one_type(cursor: Cursor, parse_expression: ParseExpression) -> TypeExpression:
    token = cursor.peek()
    match token.text if token.kind in ("keyword", "symbol") else "":
        case "boolean":
            return BooleanType(cursor.take().span)
        case "enum" | "{":
            return parse_enum(cursor)
        case "scalarset":
            return parse_scalarset(cursor, parse_expression)
        case "union":
            return parse_union(cursor, parse_expression)
        case "record":
            return parse_record(cursor, parse_expression)
        case "array":
            return parse_array(cursor, parse_expression)
        case "multiset":
            return parse_multiset(cursor, parse_expression)
    if token.kind == "word" and token.text.lower() == "real" and cursor.peek(1).text == "(":
        raise cursor.unexpected("a finite type: real numbers are not supported; use a range")
    low = parse_expression(cursor)
    if cursor.accept(".."):
        high = parse_expression(cursor)
        return RangeType(low, high, low.span.to(high.span))
    if isinstance(low, Word):
        return NamedType(Name(low.text, low.span))
    raise cursor.unexpected("'..' and the end of a range")


def parse_enum(cursor: Cursor) -> EnumType:
    start = cursor.peek().span
    cursor.accept("enum")
    cursor.expect("{")
    members = []
    while not cursor.is_next("}"):
        token = cursor.name("the name of a member")
        members.append(Name(token.text, token.span))
        cursor.accept(",")
    return EnumType(tuple(members), start.to(cursor.expect("}").span))


def parse_scalarset(cursor: Cursor, parse_expression: ParseExpression) -> ScalarsetType:
    start = cursor.take().span
    cursor.expect("(")
    size = parse_expression(cursor)
    return ScalarsetType(size, start.to(cursor.expect(")").span))


def parse_union(cursor: Cursor, parse_expression: ParseExpression) -> UnionType:
    start = cursor.take().span
    cursor.expect("{")
    members = []
    while not cursor.is_next("}"):
        members.append(parse_type(cursor, parse_expression))
        if not cursor.is_next("}"):
            cursor.expect(",", where="between the members of a union")
    return UnionType(tuple(members), start.to(cursor.expect("}").span))


def parse_record(cursor: Cursor, parse_expression: ParseExpression) -> RecordType:
    start = cursor.take().span
    fields: list[tuple[Name, TypeExpression]] = []
    cursor.skip_semicolons()
    while not cursor.is_next("end", "endrecord"):
        names = parse_names(cursor, "the name of a field")
        type = parse_type(cursor, parse_expression)
        fields += [(name, type) for name in names]
        cursor.skip_semicolons()
    return RecordType(tuple(fields), start.to(cursor.take().span))


def parse_names(cursor: Cursor, what: str) -> list[Name]:
    """Names separated by commas, with the colon behind them."""
    names = []
    while True:
        token = cursor.name(what)
        names.append(Name(token.text, token.span))
        if not cursor.accept(","):
            cursor.expect(":", where="and a type")
            return names


def parse_array(cursor: Cursor, parse_expression: ParseExpression) -> TypeExpression:
    start = cursor.take().span
    cursor.expect("[")
    indices = [parse_type(cursor, parse_expression)]
    while cursor.accept(","):
        indices.append(parse_type(cursor, parse_expression))
    cursor.expect("]")
    cursor.expect("of")
    element = parse_type(cursor, parse_expression)
    for index in reversed(indices):
        element = ArrayType(index, element, start.to(element.span))
    return element


def parse_multiset(cursor: Cursor, parse_expression: ParseExpression) -> MultisetType:
    start = cursor.take().span
    cursor.expect("[")
    size = parse_expression(cursor)
    cursor.expect("]")
    cursor.expect("of")
    element = parse_type(cursor, parse_expression)
    return MultisetType(size, element, start.to(element.span))


def parse_quantifiers(cursor: Cursor, parse_expression: ParseExpression) -> tuple[Quantifier, ...]:
    """Quantifiers separated by semicolons (or commas) with ``do`` (or a colon) behind them."""
    found = [parse_quantifier(cursor, parse_expression)]
    while not cursor.accept("do", ":"):
        cursor.expect(";", ",", where="or 'do' after a quantifier")
        if not cursor.is_next("do", ":"):
            found.append(parse_quantifier(cursor, parse_expression))
    return tuple(found)


def parse_quantifier(cursor: Cursor, parse_expression: ParseExpression) -> Quantifier:
    token = cursor.name("the name of a quantified variable")
    name = Name(token.text, token.span)
    if cursor.accept(":=") or is_from(cursor):
        low = parse_expression(cursor)
        cursor.expect("to")
        high = parse_expression(cursor)
        step = parse_expression(cursor) if cursor.accept("by") else None
        return Quantifier(name, None, low, high, step, name.span.to(cursor.last))
    cursor.expect(":", where="and a type, or ':=' and bounds")
    type = parse_type(cursor, parse_expression)
    return Quantifier(name, type, None, None, None, name.span.to(cursor.last))


def is_from(cursor: Cursor) -> bool:
    """Whether the word ``from`` is next, which may stand for ``:=`` and is a name elsewhere; it is taken."""
    token = cursor.peek()
    if token.kind != "word" or token.text.lower() != "from":
        return False
    cursor.take()
    return True
