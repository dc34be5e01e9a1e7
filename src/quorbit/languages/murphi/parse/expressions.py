"""Text -> Expression, by precedence: ``?:``, ``->``, ``|``, ``^``, ``&``, ``!``, comparisons, shifts, sums, products.

``!`` binds more loosely than a comparison, as CMurphi and Rumur read it: ``!a = b`` is ``!(a = b)``.  ``|`` and ``&``
join conditions or, as in Rumur, the bits of numbers; the types of the operands decide.
"""

from __future__ import annotations

from quorbit.languages.murphi.parse.cursor import Cursor
from quorbit.languages.murphi.parse.types import parse_quantifiers, parse_type
from quorbit.languages.murphi.syntax.terms import (
    Binary,
    Call,
    ElementOf,
    Expression,
    FieldOf,
    IsMember,
    IsUndefined,
    MultisetCount,
    Name,
    Numeral,
    Quantified,
    Ternary,
    TruthValue,
    Unary,
    Undefined,
    Word,
)

__all__ = ["parse_expression", "parse_negation"]

COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")


def parse_expression(cursor: Cursor) -> Expression:
    cursor.deeper()
    test = parse_implication(cursor)
    if cursor.accept("?"):
        then = parse_expression(cursor)
        cursor.expect(":", where="and the other value of ?:")
        other = parse_expression(cursor)
        test = Ternary(test, then, other, test.span.to(other.span))
    cursor.depth -= 1
    return test


def parse_implication(cursor: Cursor) -> Expression:
    left = parse_disjunction(cursor)
    if cursor.accept("->"):
        right = parse_implication(cursor)
        return Binary("->", left, right, left.span.to(right.span))
    return left


def parse_disjunction(cursor: Cursor) -> Expression:
    left = parse_exclusive(cursor)
    while cursor.accept("|"):
        right = parse_exclusive(cursor)
        left = Binary("|", left, right, left.span.to(right.span))
    return left


def parse_exclusive(cursor: Cursor) -> Expression:
    left = parse_conjunction(cursor)
    while cursor.accept("^"):
        right = parse_conjunction(cursor)
        left = Binary("^", left, right, left.span.to(right.span))
    return left


def parse_conjunction(cursor: Cursor) -> Expression:
    left = parse_negation(cursor)
    while cursor.accept("&"):
        right = parse_negation(cursor)
        left = Binary("&", left, right, left.span.to(right.span))
    return left


def parse_negation(cursor: Cursor) -> Expression:
    if (sign := cursor.accept("!")) is None:
        return parse_comparison(cursor)
    cursor.deeper()
    operand = parse_negation(cursor)
    cursor.depth -= 1
    return Unary("!", operand, sign.span.to(operand.span))


def parse_comparison(cursor: Cursor) -> Expression:
    left = parse_shift(cursor)
    while operator := cursor.accept(*COMPARISONS):
        right = parse_shift(cursor)
        left = Binary(operator.text, left, right, left.span.to(right.span))
    return left


def parse_shift(cursor: Cursor) -> Expression:
    left = parse_sum(cursor)
    while operator := cursor.accept("<<", ">>"):
        right = parse_sum(cursor)
        left = Binary(operator.text, left, right, left.span.to(right.span))
    return left


def parse_sum(cursor: Cursor) -> Expression:
    left = parse_product(cursor)
    while operator := cursor.accept("+", "-"):
        right = parse_product(cursor)
        left = Binary(operator.text, left, right, left.span.to(right.span))
    return left


def parse_product(cursor: Cursor) -> Expression:
    left = parse_operand(cursor)
    while operator := cursor.accept("*", "/", "%"):
        right = parse_operand(cursor)
        left = Binary(operator.text, left, right, left.span.to(right.span))
    return left


def parse_operand(cursor: Cursor) -> Expression:
    token = cursor.peek()
    match token.kind, token.text:
        case "symbol", "-" | "+" | "!" | "~":
            cursor.deeper()
            cursor.take()
            operand = parse_operand(cursor)
            cursor.depth -= 1
            return operand if token.text == "+" else Unary(token.text, operand, token.span.to(operand.span))
        case "number", _:
            return Numeral(int(cursor.take().text), token.span)
        case "keyword", "true" | "false":
            cursor.take()
            return TruthValue(token.text == "true", token.span)
        case "keyword", "undefined":
            cursor.take()
            return Undefined(token.span)
        case "keyword", "forall" | "exists":
            return parse_quantified(cursor)
        case "keyword", "isundefined":
            cursor.take()
            operand = parse_bracketed(cursor)
            return IsUndefined(operand, token.span.to(cursor.last))
        case "keyword", "ismember":
            return parse_is_member(cursor)
        case "keyword", "multisetcount":
            return parse_count(cursor)
        case "symbol", "(":
            return parse_selectors(cursor, parse_bracketed(cursor))
        case "word", _:
            return parse_designator(cursor)
    raise cursor.unexpected("an expression")


def parse_bracketed(cursor: Cursor) -> Expression:
    cursor.expect("(")
    inner = parse_expression(cursor)
    cursor.expect(")")
    return inner


def parse_designator(cursor: Cursor) -> Expression:
    """A variable with what is selected from it, or a call."""
    token = cursor.name("a name")
    if cursor.is_next("("):
        call = Call(Name(token.text, token.span), parse_arguments(cursor), token.span.to(cursor.last))
        return parse_selectors(cursor, call)
    return parse_selectors(cursor, Word(token.text, token.span))


def parse_selectors(cursor: Cursor, base: Expression) -> Expression:
    while True:
        if cursor.accept("."):
            name = cursor.name("the name of a field")
            base = FieldOf(base, Name(name.text, name.span), base.span.to(name.span))
        elif cursor.accept("["):
            index = parse_expression(cursor)
            while cursor.accept(","):  # some write a[i, j] for a[i][j]
                base = ElementOf(base, index, base.span.to(cursor.last))
                index = parse_expression(cursor)
            end = cursor.expect("]")
            base = ElementOf(base, index, base.span.to(end.span))
        else:
            return base


def parse_arguments(cursor: Cursor) -> tuple[Expression, ...]:
    cursor.expect("(")
    found: list[Expression] = []
    while not cursor.accept(")"):
        found.append(parse_expression(cursor))
        if not cursor.is_next(")"):
            cursor.expect(",", ";", where="between arguments")
    return tuple(found)


def parse_quantified(cursor: Cursor) -> Expression:
    word = cursor.take()
    quantifiers = parse_quantifiers(cursor, parse_expression)
    body = parse_expression(cursor)
    end = cursor.expect("end", f"end{word.text}")
    return Quantified(word.text, quantifiers, body, word.span.to(end.span))


def parse_is_member(cursor: Cursor) -> Expression:
    start = cursor.take().span
    cursor.expect("(")
    operand = parse_expression(cursor)
    cursor.expect(",")
    type = parse_type(cursor, parse_expression)
    return IsMember(operand, type, start.to(cursor.expect(")").span))


def parse_count(cursor: Cursor) -> Expression:
    start = cursor.take().span
    name, set, condition = parse_element_condition(cursor)
    return MultisetCount(name, set, condition, start.to(cursor.last))


def parse_element_condition(cursor: Cursor) -> tuple[Name, Expression, Expression]:
    """``(i: set, condition)``, where i stands for an element of the multiset."""
    cursor.expect("(")
    name = cursor.name("a name for the element")
    cursor.expect(":")
    set = parse_designator(cursor)
    cursor.expect(",")
    condition = parse_expression(cursor)
    cursor.expect(")")
    return Name(name.text, name.span), set, condition
