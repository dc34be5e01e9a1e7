"""Text -> expressions of an edge diagram, by precedence.  From loose to tight:

forall/exists/count j: ...    <=>    =>    or    and    not    = != < <= > >= in    + -    * / %    -a    s[j], #C, ...
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.edges.cursor import Cursor
from quorbit.languages.edges.syntax import (
    Between,
    Compared,
    Count,
    Indexed,
    Joined,
    Listed,
    Name,
    Negated,
    Neighbour,
    Node,
    Numeral,
    Quantified,
    Word,
)
from quorbit.source.errors import UserError

DEEPEST = 40  # levels of nesting; each takes some 16 of the 1000 calls that Python nests
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
QUANTIFIERS = ("forall", "exists", "count")
NEIGHBOURS = {"next": 1, "prev": -1}
RESERVED = frozenset(["and", "or", "not", "in", "when", "do", "as", "with", "for", "%", *QUANTIFIERS])


def parse_expression(cursor: Cursor) -> Node:
    return deeper(cursor, lambda: parse_equivalence(cursor))


def deeper(cursor: Cursor, read: Callable[[], Node]) -> Node:
    if cursor.depth >= DEEPEST:
        raise UserError(cursor.peek().span, f"this is nested more than {DEEPEST} levels deep")
    cursor.depth += 1
    try:
        return read()
    finally:
        cursor.depth -= 1


def parse_equivalence(cursor: Cursor) -> Node:
    left = parse_implication(cursor)
    if cursor.accept("<=>"):
        right = deeper(cursor, lambda: parse_equivalence(cursor))
        return Joined("<=>", (left, right), left.span.to(right.span))
    return left


def parse_implication(cursor: Cursor) -> Node:
    left = parse_list(cursor, "or", parse_conjunction)
    if cursor.accept("=>"):
        right = deeper(cursor, lambda: parse_implication(cursor))
        return Joined("=>", (left, right), left.span.to(right.span))
    return left


def parse_conjunction(cursor: Cursor) -> Node:
    return parse_list(cursor, "and", parse_negation)


def parse_list(cursor: Cursor, operator: str, parse_operand: Callable[[Cursor], Node]) -> Node:
    operands = [parse_operand(cursor)]
    while cursor.accept(operator):
        operands.append(parse_operand(cursor))
    if len(operands) == 1:
        return operands[0]
    return Joined(operator, tuple(operands), operands[0].span.to(operands[-1].span))


def parse_negation(cursor: Cursor) -> Node:
    if cursor.is_next("not"):
        start = cursor.take()
        operand = deeper(cursor, lambda: parse_negation(cursor))
        return Negated("not", operand, start.span.to(operand.span))
    return parse_comparison(cursor)


def parse_comparison(cursor: Cursor) -> Node:
    first = parse_sum(cursor)
    if cursor.is_next("in") or (cursor.is_next("not") and cursor.peek(1).text == "in"):
        return parse_membership(cursor, first)
    operators, operands = [], [first]
    while (operator := cursor.accept(*COMPARISONS)) is not None:
        operators.append(operator.text)
        operands.append(parse_sum(cursor))
    if not operators:
        return first
    return Compared(tuple(operators), tuple(operands), first.span.to(operands[-1].span))


def parse_membership(cursor: Cursor, element: Node) -> Node:
    negated = cursor.accept("not") is not None
    cursor.expect("in")
    choices = [parse_choice(cursor)] if not cursor.accept("{") else parse_choices(cursor)
    return Listed(element, tuple(choices), negated, element.span.to(choices[-1].span))


def parse_choices(cursor: Cursor) -> list[Node]:
    choices = [parse_choice(cursor)]
    while cursor.accept(","):
        choices.append(parse_choice(cursor))
    cursor.expect("}")
    return choices


def parse_choice(cursor: Cursor) -> Node:
    """One value, or low..high."""
    low = parse_sum(cursor)
    if not cursor.accept(".."):
        return low
    high = parse_sum(cursor)
    return Between(low, high, low.span.to(high.span))


def parse_sum(cursor: Cursor) -> Node:
    return parse_left(cursor, ("+", "-"), parse_product)


def parse_product(cursor: Cursor) -> Node:
    return parse_left(cursor, ("*", "/", "%"), parse_sign)


def parse_left(cursor: Cursor, operators: tuple[str, ...], parse_operand: Callable[[Cursor], Node]) -> Node:
    """Operators of one level, from left to right; the number of them is bounded as the depth of nesting is."""
    left = parse_operand(cursor)
    length = 0
    while not begins_edge(cursor) and (operator := cursor.accept(*operators)) is not None:
        length += 1
        if length > DEEPEST:
            raise UserError(operator.span, f"more than {DEEPEST} operators in a row; use brackets")
        right = parse_operand(cursor)
        left = Joined(operator.text, (left, right), left.span.to(right.span))
    return left


def begins_edge(cursor: Cursor) -> bool:
    """Whether the next statement is an edge from any state, ``* -> A``, and not a product."""
    return cursor.is_next("*") and cursor.peek(1).text == "->"


def parse_sign(cursor: Cursor) -> Node:
    if cursor.is_next("-"):
        start = cursor.take()
        operand = deeper(cursor, lambda: parse_sign(cursor))
        return Negated("-", operand, start.span.to(operand.span))
    return parse_primary(cursor)


def parse_primary(cursor: Cursor) -> Node:
    token = cursor.peek()
    if token.kind == "number":
        cursor.take()
        return Numeral(int(token.text), token.span)
    if cursor.accept("("):
        inner = parse_expression(cursor)
        cursor.expect(")")
        return inner
    if cursor.is_next("#"):
        return parse_count(cursor)
    if cursor.is_next(*QUANTIFIERS):
        return deeper(cursor, lambda: parse_quantified(cursor))
    if token.kind == "word" and token.text not in RESERVED:
        return parse_named(cursor)
    raise cursor.unexpected("an expression")


def parse_named(cursor: Cursor) -> Node:
    token = cursor.take()
    if token.text in NEIGHBOURS and cursor.is_next("("):
        return parse_neighbour(cursor, Name(token.text, token.span))
    if not cursor.accept("["):
        return Word(token.text, token.span)
    index = parse_expression(cursor)
    closing = cursor.expect("]")
    return Indexed(Name(token.text, token.span), index, token.span.to(closing.span))


def parse_neighbour(cursor: Cursor, name: Name) -> Node:
    cursor.expect("(")
    operand = parse_expression(cursor)
    closing = cursor.expect(")")
    return Neighbour(operand, NEIGHBOURS[name.text], name.span.to(closing.span))


def parse_count(cursor: Cursor) -> Node:
    start = last = cursor.expect("#")
    if cursor.accept("{"):
        names = parse_names(cursor, "a local state")
        last = cursor.expect("}")
    else:
        last = cursor.word("a local state or a class")
        names = [Name(last.text, last.span)]
    of = None
    if cursor.accept("["):
        token = cursor.word("a class of processes")
        of = Name(token.text, token.span)
        last = cursor.expect("]")
    return Count(tuple(names), of, start.span.to(last.span))


def parse_quantified(cursor: Cursor) -> Node:
    start = cursor.take()
    names = parse_names(cursor, "a name for a process")
    of, condition = None, None
    if cursor.accept("in"):
        token = cursor.word("a class of processes")
        of = Name(token.text, token.span)
    elif (operator := cursor.accept(*COMPARISONS)) is not None:
        if len(names) > 1:
            raise UserError(operator.span, "a condition may only follow a single name; write the others one by one")
        bound = parse_sum(cursor)
        variable = Word(names[0].text, names[0].span)
        condition = Compared((operator.text,), (variable, bound), variable.span.to(bound.span))
    cursor.expect(":", f"after {start.text} {', '.join(name.text for name in names)}")
    body = parse_expression(cursor)
    return Quantified(start.text, tuple(names), of, condition, body, start.span.to(body.span))


def parse_names(cursor: Cursor, what: str) -> list[Name]:
    """One or more names with commas between them."""
    names = []
    while True:
        token = cursor.peek()
        if token.kind != "word" or token.text in RESERVED:
            raise cursor.unexpected(what)
        names.append(Name(token.text, cursor.take().span))
        if not cursor.accept(","):
            return names
