"""The formulas of B as data: expressions and predicates are one kind of tree, told apart by their types.

Spans and types do not take part in comparing two trees. Operators are named by their ASCII spelling; ``[]`` is the
image of a relation, ``×`` the product and ``\\`` the difference of sets once types have told them from ``*`` and ``-``.
"""

from __future__ import annotations

from fractions import Fraction

from quorbit.languages.b.types.types import INTEGER, Type
from quorbit.source.frozen import field, frozen
from quorbit.source.span import Span

__all__ = [
    "Apply",
    "Binary",
    "Binder",
    "Builtin",
    "Comprehension",
    "Conditional",
    "Constructor",
    "Field",
    "Formula",
    "Junction",
    "LetIn",
    "Name",
    "Number",
    "Quantifier",
    "Real",
    "Record",
    "SequenceOf",
    "SetOf",
    "Text",
    "Typed",
    "Unary",
    "Whole",
]


@frozen
class Formula:
    """What all expressions and predicates have: a place in the text and, once inferred, a type."""

    span: Span = field(compare=False, repr=False)
    type: Type = field(default=INTEGER, compare=False, repr=False, kw_only=True)


@frozen
class Name(Formula):
    """An identifier, perhaps with a prefix as in ``m.x``; ``old`` for ``x$0``, the value before a substitution."""

    name: str
    old: bool = False


@frozen
class Number(Formula):
    value: int


@frozen
class Text(Formula):
    """A string literal."""

    value: str


@frozen
class Builtin(Formula):
    """A word without arguments: BOOL, TRUE, NATURAL, MAXINT, succ, btrue..."""

    name: str


@frozen
class Constructor(Formula):
    """Number k of the constructors of a free type, as the function from ``domain`` to the type."""

    of: str
    k: int
    domain: Formula


@frozen
class Real(Formula):
    """A real number that is written with a point."""

    value: Fraction


@frozen
class Whole(Formula):
    """All values of a type that only inference tells; it becomes that type, written as a set."""


@frozen
class Typed(Formula):
    """A formula and the set of all values of its type; nothing is left of that set after inference."""

    formula: Formula
    of: Formula


@frozen
class Unary(Formula):
    """card(x), -x, r~, not(P), bool(P)..."""

    op: str
    argument: Formula


@frozen
class Binary(Formula):
    op: str
    left: Formula
    right: Formula


@frozen
class Junction(Formula):
    """A conjunction (``&``) or disjunction (``or``) of two or more."""

    op: str
    items: tuple[Formula, ...]


@frozen
class Apply(Formula):
    """f(x, y); before expansion also the use of a definition with arguments."""

    function: Formula
    arguments: tuple[Formula, ...]


@frozen
class SetOf(Formula):
    """{a, b, c}"""

    items: tuple[Formula, ...]


@frozen
class SequenceOf(Formula):
    """[a, b, c]"""

    items: tuple[Formula, ...]


@frozen
class Comprehension(Formula):
    """{x, y | P}"""

    names: tuple[Name, ...]
    predicate: Formula


@frozen
class Quantifier(Formula):
    """!x.(P) or #x.(P)"""

    op: str
    names: tuple[Name, ...]
    predicate: Formula


@frozen
class Binder(Formula):
    """%x.(P|E), SIGMA, PI, UNION, INTER"""

    op: str
    names: tuple[Name, ...]
    predicate: Formula
    body: Formula


@frozen
class Record(Formula):
    """rec(a: 1, b: 2), or struct(...) as the set of such records."""

    op: str
    fields: tuple[tuple[str, Formula], ...]


@frozen
class Field(Formula):
    """r'a"""

    record: Formula
    name: str


@frozen
class Conditional(Formula):
    """IF P THEN a ELSE b END as an expression or predicate."""

    condition: Formula
    then: Formula
    otherwise: Formula


@frozen
class LetIn(Formula):
    """LET x BE x = e IN f END as an expression or predicate."""

    names: tuple[Name, ...]
    definition: Formula
    body: Formula
