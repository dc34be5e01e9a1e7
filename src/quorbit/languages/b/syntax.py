"""The formulas of B as data: expressions and predicates are one kind of tree, told apart by their types.

Spans and types do not take part in comparing two trees. Operators are named by their ASCII spelling; ``[]`` is the
image of a relation, ``×`` the product and ``\\`` the difference of sets once types have told them from ``*`` and ``-``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from quorbit.languages.b.types import INTEGER, Type
from quorbit.source.span import Span


@dataclass(frozen=True)
class Formula:
    """What all expressions and predicates have: a place in the text and, once inferred, a type."""

    span: Span = field(compare=False, repr=False)
    type: Type = field(default=INTEGER, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Name(Formula):
    """An identifier, perhaps with a prefix as in ``m.x``; ``old`` for ``x$0``, the value before a substitution."""

    name: str
    old: bool = False


@dataclass(frozen=True)
class Number(Formula):
    value: int


@dataclass(frozen=True)
class Text(Formula):
    """A string literal."""

    value: str


@dataclass(frozen=True)
class Builtin(Formula):
    """A word without arguments: BOOL, TRUE, NATURAL, MAXINT, succ, btrue..."""

    name: str


@dataclass(frozen=True)
class Unary(Formula):
    """card(x), -x, r~, not(P), bool(P)..."""

    op: str
    argument: Formula


@dataclass(frozen=True)
class Binary(Formula):
    op: str
    left: Formula
    right: Formula


@dataclass(frozen=True)
class Junction(Formula):
    """A conjunction (``&``) or disjunction (``or``) of two or more."""

    op: str
    items: tuple[Formula, ...]


@dataclass(frozen=True)
class Apply(Formula):
    """f(x, y); before expansion also the use of a definition with arguments."""

    function: Formula
    arguments: tuple[Formula, ...]


@dataclass(frozen=True)
class SetOf(Formula):
    """{a, b, c}"""

    items: tuple[Formula, ...]


@dataclass(frozen=True)
class SequenceOf(Formula):
    """[a, b, c]"""

    items: tuple[Formula, ...]


@dataclass(frozen=True)
class Comprehension(Formula):
    """{x, y | P}"""

    names: tuple[Name, ...]
    predicate: Formula


@dataclass(frozen=True)
class Quantifier(Formula):
    """!x.(P) or #x.(P)"""

    op: str
    names: tuple[Name, ...]
    predicate: Formula


@dataclass(frozen=True)
class Binder(Formula):
    """%x.(P|E), SIGMA, PI, UNION, INTER"""

    op: str
    names: tuple[Name, ...]
    predicate: Formula
    body: Formula


@dataclass(frozen=True)
class Record(Formula):
    """rec(a: 1, b: 2), or struct(...) as the set of such records."""

    op: str
    fields: tuple[tuple[str, Formula], ...]


@dataclass(frozen=True)
class Field(Formula):
    """r'a"""

    record: Formula
    name: str


@dataclass(frozen=True)
class Conditional(Formula):
    """IF P THEN a ELSE b END as an expression or predicate."""

    condition: Formula
    then: Formula
    otherwise: Formula


@dataclass(frozen=True)
class LetIn(Formula):
    """LET x BE x = e IN f END as an expression or predicate."""

    names: tuple[Name, ...]
    definition: Formula
    body: Formula
