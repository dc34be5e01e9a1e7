"""Expressions that look like Python: ``pc[i] == 0``, ``n + 1 < limit``, ``~busy & (len_of(q) > 0)``.

A ``Value`` wraps an expression of the System and remembers the Python line it was written on.  Numbers, truth values
and names of an enumeration stand for themselves on either side.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import CodeType
from typing import TypeAlias

from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Atoms,
    Bound,
    Condition,
    Domain,
    Expr,
    Interval,
    Literal,
    Operator,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    atom,
    conjunction,
    disjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.types import NONE, Number, Type
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.kernel import cell_name
from quorbit.source.span import NOWHERE, Source, Span

__all__ = ["Change", "Sort", "Value", "either", "every", "how_many", "nobody", "set_of", "size_of", "some", "total"]

OWN = str(Path(__file__).parent)


@frozen
class Sort:
    """Atoms of one kind, in the order of their numbers; ``|`` joins two sorts for variables both have."""

    name: str
    atoms: tuple[int, ...]

    def __getitem__(self, k: int) -> Value:
        return Value(atom(self.atoms[k]))

    def __or__(self, other: Sort) -> Sort:
        return Sort(f"{self.name} or {other.name}", (*self.atoms, *other.atoms))

    def __len__(self) -> int:
        return len(self.atoms)


Plain: TypeAlias = "Value | int | bool | str"


class Value:
    """An expression; of a place (``Read``) also its type, so that names of an enumeration can be read."""

    __hash__ = None  # type: ignore[assignment]  # == makes an expression, so that a set of Values would be a mistake

    def __init__(self, expr: Expr, type: Type | None = None) -> None:
        self.expr = expr
        self.type = type

    def __eq__(self, other: Plain) -> Value:  # type: ignore[override]
        return Value(equal(self.expr, self.lift(other), here()))

    def __ne__(self, other: Plain) -> Value:  # type: ignore[override]
        return ~(self == other)

    def __lt__(self, other: Plain) -> Value:
        return self.apply(Operator.LESS, other)

    def __le__(self, other: Plain) -> Value:
        return self.apply(Operator.LESS_EQUAL, other)

    def __gt__(self, other: Plain) -> Value:
        return Value(self.lift(other)) < self

    def __ge__(self, other: Plain) -> Value:
        return Value(self.lift(other)) <= self

    def __add__(self, other: Plain) -> Value:
        return self.apply(Operator.ADD, other)

    def __radd__(self, other: Plain) -> Value:
        return Value(self.lift(other)) + self

    def __sub__(self, other: Plain) -> Value:
        return self.apply(Operator.SUBTRACT, other)

    def __rsub__(self, other: Plain) -> Value:
        return Value(self.lift(other)) - self

    def __mul__(self, other: Plain) -> Value:
        return self.apply(Operator.MULTIPLY, other)

    def __mod__(self, other: Plain) -> Value:
        return self.apply(Operator.MODULO, other)

    def __and__(self, other: Plain) -> Value:
        return Value(conjunction([self.expr, self.lift(other)], here()))

    def __or__(self, other: Plain) -> Value:
        return Value(disjunction([self.expr, self.lift(other)], here()))

    def __invert__(self) -> Value:
        return Value(negation(self.expr, here()))

    def __bool__(self) -> bool:
        raise UserError(here(), "write & | ~ for and, or, not: whether this holds is known only in a state")

    def within(self, others: Value) -> Value:
        """Whether it is an element of a set."""
        return self.apply(Operator.MEMBER, others)

    def joined(self, other: Value) -> Value:
        """The union of two sets."""
        return self.apply(Operator.UNION, other)

    def to(self, value: Plain) -> Change:
        """The change of this place to a new value."""
        if not isinstance(self.expr, Read):
            raise UserError(here(), "only a variable can change")
        return Change(self.expr, self.lift(value))

    def apply(self, operator: Operator, other: Plain) -> Value:
        return Value(Apply(operator, (self.expr, self.lift(other)), here()))

    def lift(self, other: Plain) -> Expr:
        match other:
            case Value():
                return other.expr
            case bool():
                return TRUE if other else FALSE
            case int():
                return number(other)
            case str():
                return named(self.type, other)


def named(type: Type | None, name: str) -> Expr:
    if not isinstance(type, Number) or name not in type.names:
        raise UserError(here(), f"{name!r} is not a value of this variable")
    return Literal((type.low or 0) + type.names.index(name), type)


@frozen
class Change:
    target: Read
    value: Expr


# Quantifiers and functions.


def nobody() -> Value:
    return Value(atom(NONE))


def size_of(value: Value) -> Value:
    return Value(Apply(Operator.SIZE, (value.expr,), here()))


def set_of(*values: Value) -> Value:
    return Value(Apply(Operator.SET, tuple(each.expr for each in values), here()))


def either(test: Value, then: Value, other: Value) -> Value:
    return Value(Condition(test.expr, then.expr, other.expr, here()))


def every(over: Sort | range, body: Callable[[Value], Value]) -> Value:
    return quantified(Quantifier.ALL, over, body)


def some(over: Sort | range, body: Callable[[Value], Value]) -> Value:
    return quantified(Quantifier.SOME, over, body)


def how_many(over: Sort | range, body: Callable[[Value], Value]) -> Value:
    return quantified(Quantifier.COUNT, over, body)


def total(over: Sort | range, body: Callable[[Value], Value]) -> Value:
    return quantified(Quantifier.SUM, over, body)


def quantified(quantifier: Quantifier, over: Sort | range, body: Callable[[Value], Value]) -> Value:
    """The bound name is that of the function's parameter, so that formulas read as they are written."""
    name = body.__code__.co_varnames[0]
    parameter = Parameter(name, domain_of(over))
    return Value(Quantify(quantifier, parameter, body(Value(Bound(name))).expr, span=here()))


def domain_of(over: Sort | range | Domain) -> Domain:
    if isinstance(over, Sort):
        return Atoms(over.atoms)
    if isinstance(over, range):
        if over.step != 1 or not over:
            raise UserError(here(), "a range goes up by one and is not empty")
        return Interval(over.start, over.stop - 1)
    return over


# Where something is written.


@cache
def source_of(file: str) -> Source:
    return Source(cell_name(file), "".join(linecache.getlines(file)))


def here() -> Span:
    """The line of the user's program that is being performed."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OWN):
        frame = frame.f_back
    return line_span(frame.f_code.co_filename, frame.f_lineno)


def declared_at(code: CodeType) -> Span:
    """The line of a function's ``def`` behind its decorators, or of a lambda."""
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :]
    behind = next((k for k, line in enumerate(lines) if line.lstrip().startswith("def ")), 0)
    is_decorated = bool(lines) and lines[0].lstrip().startswith("@")
    return line_span(code.co_filename, code.co_firstlineno + (behind if is_decorated else 0))


def line_span(file: str, line: int) -> Span:
    source = source_of(file)
    lines: Sequence[str] = source.text.splitlines(keepends=True)
    if not 0 < line <= len(lines):
        return NOWHERE
    start, text = sum(map(len, lines[: line - 1])), lines[line - 1]
    indent = len(text) - len(text.lstrip())
    return Span(source, start + indent, start + len(text.rstrip()))
