"""Expressions and predicates: precedence climbing over the table of ``spelling.INFIX``."""

from __future__ import annotations

from fractions import Fraction

from quorbit.languages.b.syntax.cursor import Cursor, describe, list_of
from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Conditional,
    Field,
    Formula,
    Junction,
    LetIn,
    Name,
    Number,
    Quantifier,
    Real,
    Record,
    SequenceOf,
    SetOf,
    Text,
    Unary,
    Whole,
)
from quorbit.languages.b.syntax.lex import KEYWORD, NAME, NUMBER, STRING
from quorbit.languages.b.syntax.spelling import (
    ARROW,
    BINDERS,
    BUILTINS,
    COMPARED,
    IN_BRACKETS,
    INFIX,
    LOGICAL,
    NEGATION,
    ONE_ARGUMENT,
    TWO_ARGUMENTS,
)
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.span import Span

__all__ = ["parse_in_brackets"]

MIDDLE_DOTS = "·⋅"  # after bound names; a plain dot is also a part of names
LONGEST_CHAIN = 1500  # operators of one level in a row; a longer chain is a tree too deep to walk


def parse_formula(cursor: Cursor) -> Formula:
    """A predicate or an expression as it stands outside brackets, where ``;`` and ``||`` mean something else."""
    return parse_level(cursor, LOGICAL)


def parse_in_brackets(cursor: Cursor) -> Formula:
    return parse_level(cursor, IN_BRACKETS)


def parse_expression(cursor: Cursor) -> Formula:
    """Something that is not a comparison or connective, as an item of a list."""
    return parse_level(cursor, ARROW)


def parse_level(cursor: Cursor, least: int) -> Formula:
    """Operators that bind at least as tightly as ``least``."""
    with cursor.nested():
        left = parse_prefix(cursor)
        for _ in range(LONGEST_CHAIN):
            token = cursor.token
            infix = INFIX.get(token.text) if token.kind in (KEYWORD, "sign") else None
            if infix is None or infix.priority < least:
                return left
            cursor.advance()
            right = parse_level(cursor, infix.priority + (0 if infix.right else 1))
            left = join(token.text, left, right)
            if not infix.chains and cursor.token.text in INFIX and INFIX[cursor.token.text].priority == COMPARED:
                cursor.fail(f"{token.text} and {cursor.token.text} cannot be chained; use brackets or &")
        cursor.fail(f"more than {LONGEST_CHAIN} operators in a row")


def join(op: str, left: Formula, right: Formula) -> Formula:
    span = left.span.to(right.span)
    if op in ("&", "or"):
        items = left.items if isinstance(left, Junction) and left.op == op else (left,)
        return Junction(span, op, (*items, right))
    return Binary(span, op, left, right)


def parse_prefix(cursor: Cursor) -> Formula:
    token = cursor.token
    if token.is_sign("-"):
        cursor.advance()
        argument = parse_level(cursor, NEGATION)
        if isinstance(argument, Number) and argument.value >= 0:
            return Number(token.span.to(argument.span), -argument.value)
        return Unary(token.span.to(argument.span), "-", argument)
    if token.is_sign("not") and not cursor.peek().is_sign("("):
        cursor.advance()
        argument = parse_level(cursor, COMPARED)
        return Unary(token.span.to(argument.span), "not", argument)
    return parse_postfix(cursor, parse_primary(cursor))


def parse_postfix(cursor: Cursor, left: Formula) -> Formula:
    """Application, image, inverse, field access."""
    for _ in range(LONGEST_CHAIN):
        if cursor.accept("("):
            arguments = list_of(cursor, parse_in_brackets)
            cursor.expect(")", " to close the arguments")
            left = Apply(cursor.span_from(left.span), left, arguments)
        elif cursor.accept("["):
            of = parse_in_brackets(cursor)
            cursor.expect("]", " to close the image")
            left = Binary(cursor.span_from(left.span), "[]", left, of)
        elif cursor.accept("~"):
            left = Unary(cursor.span_from(left.span), "~", left)
        elif cursor.accept("'"):
            name = cursor.expect_name("a field name")
            left = Field(left.span.to(name.span), left, name.text)
        else:
            return left
    cursor.fail(f"more than {LONGEST_CHAIN} applications in a row")


def parse_primary(cursor: Cursor) -> Formula:
    token = cursor.token
    match token.kind, token.text:
        case (kind, _) if kind == NAME:
            return parse_name(cursor)
        case (kind, text) if kind == NUMBER and "." in text:
            return Real(cursor.advance().span, Fraction(text))
        case (kind, text) if kind == NUMBER:
            return Number(cursor.advance().span, int(text))
        case (kind, text) if kind == STRING:
            return Text(cursor.advance().span, text)
        case _, "(":
            return parse_brackets(cursor)
        case _, "{":
            return parse_braces(cursor)
        case _, "[":
            return parse_sequence(cursor)
        case _, "<>":
            return SequenceOf(cursor.advance().span, ())
        case _, "!" | "#":
            return parse_quantifier(cursor)
        case _, "%":
            return parse_binder(cursor)
        case (kind, _) if kind == KEYWORD:
            return parse_word(cursor)
    cursor.fail(f"an expression or predicate expected, found {describe(token)}")


def parse_word(cursor: Cursor) -> Formula:
    token = cursor.token
    match token.text:
        case text if text in BINDERS:
            return parse_binder(cursor)
        case text if text in BUILTINS:
            return Builtin(cursor.advance().span, text)
        case text if text in ONE_ARGUMENT:
            return parse_one_argument(cursor)
        case text if text in TWO_ARGUMENTS:
            return parse_two_arguments(cursor)
        case "rec" | "struct":
            return parse_record(cursor)
        case "IF":
            return parse_conditional(cursor)
        case "LET":
            return parse_let(cursor)
    cursor.fail(f"an expression or predicate expected, found {token.text}")


def parse_name(cursor: Cursor) -> Name:
    """An identifier with its prefixes, perhaps ``$0``."""
    token = cursor.expect_name("an identifier")
    text = token.text
    while cursor.at(".") and cursor.peek().kind == NAME and cursor.token.span.text not in MIDDLE_DOTS:
        cursor.advance()
        text = f"{text}.{cursor.advance().text}"
    if cursor.at("$"):
        cursor.advance()
        if cursor.advance().text != "0":
            raise UserError(cursor.previous.span, "only $0, the value before the substitution, can be asked for")
        return Name(cursor.span_from(token.span), text, old=True)
    return Name(cursor.span_from(token.span), text)


def parse_brackets(cursor: Cursor) -> Formula:
    """(f), or the tuple (a, b, c), which is ((a, b), c)."""
    start = cursor.expect("(").span
    items = list_of(cursor, parse_in_brackets)
    cursor.expect(")")
    span = cursor.span_from(start)
    first, *rest = items
    for item in rest:
        first = Binary(span, "|->", first, item)
    return replace(first, span=span)


def parse_braces(cursor: Cursor) -> Formula:
    """{}, {a, b}, {x, y | P} or {x, y . P | E}."""
    start = cursor.expect("{").span
    if cursor.accept("}"):
        return SetOf(cursor.span_from(start), ())
    items = list_of(cursor, parse_expression)
    if cursor.accept("|"):
        names = tuple(name for item in items for name in declared(item))
        predicate = parse_formula(cursor)
        cursor.expect("}", " to close the set")
        return Comprehension(cursor.span_from(start), names, predicate)
    if cursor.accept("."):
        return parse_values(cursor, start, tuple(name for item in items for name in declared(item)))
    cursor.expect("}", " to close the set")
    return SetOf(cursor.span_from(start), items)


def parse_values(cursor: Cursor, start: Span, names: tuple[Name, ...]) -> Formula:
    """The rest of {x, y . P | E}: the values of E."""
    predicate = parse_formula(cursor)
    cursor.expect("|", " between predicate and expression")
    body = parse_expression(cursor)
    cursor.expect("}", " to close the set")
    span = cursor.span_from(start)
    return Unary(span, "ran", Binder(span, "%", names, predicate, body))


def declared(item: Formula) -> tuple[Name, ...]:
    """x, or all names of (x, y)."""
    match item:
        case Name(old=False):
            return (item,)
        case Binary(op="|->", left=left, right=Name(old=False) as last):
            return (*declared(left), last)
    raise UserError(item.span, "an identifier expected before the bar")


def parse_sequence(cursor: Cursor) -> Formula:
    start = cursor.expect("[").span
    items = () if cursor.at("]") else list_of(cursor, parse_expression)
    cursor.expect("]", " to close the sequence")
    return SequenceOf(cursor.span_from(start), items)


def parse_names(cursor: Cursor) -> tuple[Name, ...]:
    """x   x, y   (x, y)"""
    if cursor.accept("("):
        names = list_of(cursor, parse_name)
        cursor.expect(")")
        return names
    return list_of(cursor, parse_name)


def parse_quantifier(cursor: Cursor) -> Formula:
    start = cursor.advance()
    names = parse_names(cursor)
    cursor.expect(".", " after the quantified identifiers")
    cursor.expect("(", " before the quantified predicate")
    predicate = parse_formula(cursor)
    cursor.expect(")")
    return Quantifier(cursor.span_from(start.span), start.text, names, predicate)


def parse_binder(cursor: Cursor) -> Formula:
    start = cursor.advance()
    names = parse_names(cursor)
    cursor.expect(".", " after the bound identifiers")
    cursor.expect("(")
    predicate = parse_formula(cursor)
    cursor.expect("|", " between predicate and expression")
    body = parse_in_brackets(cursor)
    cursor.expect(")")
    return Binder(cursor.span_from(start.span), start.text, names, predicate, body)


def parse_one_argument(cursor: Cursor) -> Formula:
    start = cursor.advance()
    cursor.expect("(", f" after {start.text}")
    arguments = list_of(cursor, parse_in_brackets)
    cursor.expect(")")
    span = cursor.span_from(start.span)
    if len(arguments) > 1 and start.text in ("min", "max"):
        return Unary(span, start.text, SetOf(span, arguments))
    if len(arguments) > 1:
        raise UserError(span, f"{start.text} takes one argument")
    return Unary(span, start.text, arguments[0])


def parse_two_arguments(cursor: Cursor) -> Formula:
    start = cursor.advance()
    cursor.expect("(", f" after {start.text}")
    arguments = list_of(cursor, parse_in_brackets)
    cursor.expect(")")
    span = cursor.span_from(start.span)
    if len(arguments) == 1 and start.text != "iterate":  # prj1(x |-> y)
        return Apply(span, Binary(span, start.text, Whole(span), Whole(span)), arguments)
    if len(arguments) != 2:
        raise UserError(span, f"{start.text} takes two arguments")
    return Binary(span, start.text, arguments[0], arguments[1])


def parse_record(cursor: Cursor) -> Formula:
    start = cursor.advance()
    cursor.expect("(", f" after {start.text}")
    fields = list_of(cursor, parse_field)
    cursor.expect(")")
    names = [name for name, _ in fields]
    for name in names:
        if names.count(name) > 1:
            raise UserError(cursor.span_from(start.span), f"the field {name} is given twice")
    return Record(cursor.span_from(start.span), start.text, tuple(sorted(fields, key=lambda f: f[0])))


def parse_field(cursor: Cursor) -> tuple[str, Formula]:
    name = cursor.expect_name("a field name")
    cursor.expect(":", f" after the field {name.text}")
    return name.text, parse_expression(cursor)


def parse_conditional(cursor: Cursor) -> Formula:
    start = cursor.advance().span
    condition = parse_formula(cursor)
    cursor.expect("THEN")
    then = parse_formula(cursor)
    if cursor.at("ELSIF"):
        otherwise = parse_conditional(cursor)
        return Conditional(cursor.span_from(start), condition, then, otherwise)
    cursor.expect("ELSE", " in an IF expression")
    otherwise = parse_formula(cursor)
    cursor.expect("END")
    return Conditional(cursor.span_from(start), condition, then, otherwise)


def parse_let(cursor: Cursor) -> Formula:
    start = cursor.expect("LET").span
    names = parse_names(cursor)
    cursor.expect("BE")
    definition = parse_formula(cursor)
    cursor.expect("IN")
    body = parse_formula(cursor)
    cursor.expect("END")
    return LetIn(cursor.span_from(start), names, definition, body)
