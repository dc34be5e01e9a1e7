"""What an expression of an edge diagram is: a truth value, a number, a process, a local state or a member.

A numeral is a number or, where a process is wanted, the process with this number; a name such as ``C`` is the local
state or the member that fits.  The functions ``as_...`` settle it.  Numbers and processes turn into each other by
``NumberOf`` and ``AtomAt`` only where order or arithmetic is asked for: comparing processes for equality tells nothing
about their numbers.
"""

from __future__ import annotations

from enum import Enum

from quorbit.languages.edges.names import Names, unknown
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Expr,
    Literal,
    NumberOf,
    Operator,
    atom,
    equal,
    negation,
    number,
)
from quorbit.model.system.types import NONE, AtomOf, Number, Truth, Type
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Span


class Kind(Enum):
    TRUTH = "a truth value"
    NUMBER = "a number"
    PROCESS = "a process"
    VALUE = "a local state or member"
    NUMERAL = "a numeral"  # a number or a process
    SYMBOL = "a name"  # a local state or a member of some enumeration
    NOTHING = "none"


@frozen
class Typed:
    """An expression and its kind; ``names``: the local states or members it may be, ``text``: the name of a symbol."""

    expr: Expr
    kind: Kind
    span: Span
    names: tuple[str, ...] = ()
    text: str = ""


def as_truth(e: Typed) -> Expr:
    if e.kind is Kind.TRUTH:
        return e.expr
    raise UserError(e.span, f"expected something true or false, this is {describe(e)}")


def as_number(names: Names, e: Typed) -> Expr:
    """A number; of a process, its index."""
    if e.kind in (Kind.NUMBER, Kind.NUMERAL):
        return e.expr
    if e.kind is Kind.PROCESS:
        return NumberOf(e.expr, names.processes, 1, None, e.span)
    raise UserError(e.span, f"expected a number, this is {describe(e)}")


def as_process(names: Names, e: Typed) -> Expr:
    """A process; of a number, the process with this index."""
    match e.kind:
        case Kind.PROCESS | Kind.NOTHING:
            return e.expr
        case Kind.NUMERAL:
            return atom(process_numbered(names, numeral(e), e.span), e.span)
        case Kind.NUMBER:
            return AtomAt(e.expr, names.processes, 1, None, e.span)
        case _:
            raise UserError(e.span, f"expected a process, this is {describe(e)}")


def as_value(e: Typed, members: tuple[str, ...]) -> Expr:
    """A local state or a member of an enumeration, one of ``members``."""
    if e.kind is Kind.VALUE and e.names == members:
        return e.expr
    if e.kind is Kind.SYMBOL and e.text in members:
        return Literal(members.index(e.text), Number(0, len(members) - 1, members), e.span)
    if e.kind is Kind.SYMBOL:
        raise UserError(e.span, unknown("value", e.text, list(members)))
    raise UserError(e.span, f"expected one of {', '.join(members)}, this is {describe(e)}")


def as_type(names: Names, e: Typed, type: Type) -> Expr:
    """What may be stored in a place of this type."""
    match type:
        case Truth():
            return as_truth(e)
        case Number(names=members) if members:
            return as_value(e, members)
        case Number(low, high):
            if e.kind is Kind.NUMERAL and not (low or 0) <= numeral(e) <= (high or 0):
                raise UserError(e.span, f"{numeral(e)} is not in {low}..{high}")
            return as_number(names, e)
        case AtomOf(atoms, optional):
            if e.kind is Kind.NOTHING and not optional:
                raise UserError(e.span, "this variable always holds a process; declare it as `process or none`")
            expr = as_process(names, e)
            if isinstance(expr, Literal) and expr.value not in (*atoms, NONE):
                raise UserError(e.span, "this process is not of the variable's class")
            return expr
        case _:
            raise AssertionError(f"no variable of a diagram has the type {type}")


def process_numbered(names: Names, n: int, span: Span) -> int:
    """The atom of a process number."""
    if not 1 <= n <= len(names.processes):
        raise UserError(span, f"there is no process {n}; they are numbered 1 to {len(names.processes)}")
    return n - 1


def numeral(e: Typed) -> int:
    assert isinstance(e.expr, Literal)
    assert isinstance(e.expr.value, int)
    return e.expr.value


def compare(names: Names, operator: str, a: Typed, b: Typed) -> Expr:
    span = a.span.to(b.span)
    match operator:
        case "=":
            return equate(names, a, b, span)
        case "!=":
            return negation(equate(names, a, b, span), span)
        case "<":
            return order(names, Operator.LESS, a, b, span)
        case "<=":
            return order(names, Operator.LESS_EQUAL, a, b, span)
        case ">":
            return order(names, Operator.LESS, b, a, span)
        case _:
            return order(names, Operator.LESS_EQUAL, b, a, span)


def order(names: Names, operator: Operator, a: Typed, b: Typed, span: Span) -> Expr:
    return Apply(operator, (as_number(names, a), as_number(names, b)), span)


def equate(names: Names, a: Typed, b: Typed, span: Span) -> Expr:
    """a = b: as processes if one is a process and the other is one or a numeral, else as what they are."""
    kinds = {a.kind, b.kind}
    if Kind.VALUE in kinds:
        members = a.names if a.kind is Kind.VALUE else b.names
        return equal(as_value(a, members), as_value(b, members), span)
    if kinds == {Kind.TRUTH}:
        return equal(a.expr, b.expr, span)
    if kinds <= {Kind.PROCESS, Kind.NUMERAL, Kind.NOTHING} and kinds & {Kind.PROCESS}:
        return equal(as_process(names, a), as_process(names, b), span)
    if kinds <= {Kind.PROCESS, Kind.NUMBER, Kind.NUMERAL}:
        return equal(as_number(names, a), as_number(names, b), span)
    if Kind.SYMBOL in kinds:
        odd = a if a.kind is Kind.SYMBOL else b
        raise UserError(odd.span, f"{odd.text} cannot be compared with {describe(b if odd is a else a)}")
    raise UserError(span, f"{describe(a)} cannot be compared with {describe(b)}")


def arithmetic(operator: str, a: Expr, b: Expr, span: Span) -> Expr:
    """Numerals are worked out at once, so that they can still name a process."""
    found = {"+": Operator.ADD, "-": Operator.SUBTRACT, "*": Operator.MULTIPLY}.get(operator)
    if isinstance(a, Literal) and isinstance(b, Literal) and isinstance(a.value, int) and isinstance(b.value, int):
        return number(fold(operator, a.value, b.value, span), span)
    return Apply(found or (Operator.DIVIDE if operator == "/" else Operator.MODULO), (a, b), span)


def fold(operator: str, a: int, b: int, span: Span) -> int:
    if operator in "/%" and b == 0:
        raise UserError(span, "division by zero")
    match operator:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient if operator == "/" else a - b * quotient


def describe(e: Typed) -> str:
    match e.kind:
        case Kind.NUMERAL:
            return f"the number {numeral(e)}"
        case Kind.SYMBOL:
            return f"the name {e.text}"
        case Kind.VALUE:
            return f"one of {', '.join(e.names)}"
        case _:
            return str(e.kind.value)
