"""Expressions: a small closed set of dataclasses, the same for every language.

Names are resolved: a ``Read`` names a variable of the System and gives the owners and indices of the place it reads, a
``Bound`` names a parameter of the command or of a quantifier around it.  Truth values are the numbers 0 and 1.  The
span of an expression is where the user wrote it; it does not take part in equality.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from quorbit.model.system.types import INTEGER, NONE, TRUTH, AtomOf, Type, Value
from quorbit.source.frozen import field, frozen
from quorbit.source.span import NOWHERE, Span

__all__ = [
    "FALSE",
    "TRUE",
    "Apply",
    "AtomAt",
    "Atoms",
    "Bound",
    "Computation",
    "Compute",
    "Condition",
    "Domain",
    "Elements",
    "Enabled",
    "Expr",
    "Fresh",
    "Interval",
    "Literal",
    "NumberOf",
    "Operator",
    "Otherwise",
    "Parameter",
    "Part",
    "Quantifier",
    "Quantify",
    "Read",
    "Use",
    "Wrap",
    "atom",
    "conjunction",
    "conjuncts_of",
    "disjunction",
    "equal",
    "negation",
    "number",
]


class Operator(Enum):
    """What ``Apply`` can apply; its value is how it is shown.  Meanings: model/meaning/operators.py."""

    # numbers
    NEGATE = "-_"
    ADD = "+"
    SUBTRACT = "-"
    MULTIPLY = "*"
    DIVIDE = "/"  # rounds to zero, as C and B do
    MODULO = "%"  # the sign of the dividend, as C
    POWER = "**"
    BIT_AND = "&"
    BIT_OR = "|"
    BIT_XOR = "^"
    BIT_NOT = "~"
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    MINIMUM = "min"  # of a non-empty set
    MAXIMUM = "max"
    # truth; AND and OR look at their operands from left to right and stop when they know
    NOT = "!"
    AND = "&&"
    OR = "||"
    PRESENT = "present"  # the first operand; undefined where it equals the second, which stands for no value
    # comparison
    EQUAL = "=="
    LESS = "<"
    LESS_EQUAL = "<="
    # tuples and sets; a relation is a set of pairs
    TUPLE = "tuple"
    SET = "set"  # of the operands
    MEMBER = "in"
    SUBSET = "subset"
    UNION = "union"
    INTERSECTION = "inter"
    DIFFERENCE = "minus"
    PRODUCT = "times"
    SIZE = "size"  # of a set or of a queue
    POWERSET = "powerset"
    INTERVAL = ".."
    BIG_UNION = "UNION"  # of a set of sets
    BIG_INTERSECTION = "INTER"  # of a non-empty set of sets
    DOMAIN = "dom"
    RANGE = "ran"
    INVERSE = "inverse"
    COMPOSE = "compose"  # first the left, then the right
    OVERRIDE = "override"  # left, except where right is defined
    IMAGE = "image"  # of a set (right) under a relation (left)
    APPLY = "apply"  # a function to an argument: undefined unless exactly one pair fits
    DOMAIN_RESTRICT = "domain_restrict"  # set, relation
    RANGE_RESTRICT = "range_restrict"  # relation, set
    CLOSURE = "closure"  # transitive
    CHOICE = "the"  # the only element of a set
    # queues and sequences, as tuples
    QUEUE = "queue"  # of the operands
    APPEND = "append"  # a queue and a message, put last
    INSERT_SORTED = "insert_sorted"  # put before the first greater message
    FIRST = "first"
    REST = "rest"
    ELEMENT = "element"  # of a queue, counted from 0
    WITHOUT = "without"  # a queue without its element number k

    __hash__ = object.__hash__  # quicker than by name, and members are equal only to themselves


@frozen
class Literal:
    """A constant value."""

    value: Value
    type: Type
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Bound:
    """The value of a parameter: of the command, of a quantifier or of a definition's user."""

    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Read:
    """The value of the place of ``variable`` with these owners (atoms) and indices (numbers from 0)."""

    variable: str
    owners: tuple[Expr, ...] = ()
    indices: tuple[Expr, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Use:
    """The value of a definition, evaluated where it is used."""

    definition: str
    owners: tuple[Expr, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Apply:
    operator: Operator
    operands: tuple[Expr, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Part:
    """Part number k (from 0) of a tuple."""

    tuple: Expr
    k: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Condition:
    """``then`` if test holds, else ``other``; only the chosen one is evaluated."""

    test: Expr
    then: Expr
    other: Expr
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Wrap:
    """A number cut to so many bits: two's complement if signed (Promela's assignment to short, byte, ...)."""

    operand: Expr
    bits: int
    signed: bool
    span: Span = field(default=NOWHERE, compare=False, repr=False)


class Quantifier(Enum):
    ALL = "forall"
    SOME = "exists"
    COUNT = "count"  # how many values satisfy the body
    SUM = "sum"  # of the bodies
    TIMES = "product"  # of the bodies
    COLLECT = "collect"  # the set of the bodies


@frozen
class Quantify:
    """A quantifier over the values of a parameter for which ``condition`` holds."""

    quantifier: Quantifier
    parameter: Parameter
    body: Expr
    condition: Expr = field(default_factory=lambda: TRUE)
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class NumberOf:
    """The number of an atom in a numbering: numbering[k] is the atom numbered ``first`` + k (NONE there: nobody is);
    no atom has the number ``none``.

    This looks inside an atom: only permutations that keep the numbering leave it alone.
    """

    atom: Expr
    numbering: tuple[int, ...]
    first: int = 0
    none: int | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class AtomAt:
    """The atom with a number: the inverse of ``NumberOf``."""

    number: Expr
    numbering: tuple[int, ...]
    first: int = 0
    none: int | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Enabled:
    """Whether some command of the best rank can run: one whose first actor is ``actor``, or any if that is None.

    Commands whose guard itself asks for ``Enabled`` are not counted.
    """

    actor: Expr | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Otherwise:
    """The value of ``body``, or of ``other`` where body has none (a division by zero, an index out of range, ...)."""

    body: Expr
    other: Expr
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Computation:
    """A function of values that a front end brings: what no operator says.  The same text means the same function.

    ``evaluate`` raises ``Undefined`` (model/meaning/operators.py) where there is no value.  It must tell atoms apart
    by its arguments only: then a permutation that acts on the arguments acts on the value.
    """

    text: str
    evaluate: Callable[..., Value] = field(compare=False, repr=False)


@frozen
class Compute:
    """The value of a computation for the values of the operands."""

    computation: Computation
    operands: tuple[Expr, ...]
    type: Type
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Expr = (
    Literal
    | Bound
    | Read
    | Use
    | Apply
    | Part
    | Condition
    | Wrap
    | Quantify
    | NumberOf
    | AtomAt
    | Enabled
    | Otherwise
    | Compute
)


@frozen
class Atoms:
    """A parameter ranges over these atoms; their order means nothing."""

    atoms: tuple[int, ...]


@frozen
class Interval:
    """A parameter ranges over the numbers low..high."""

    low: int
    high: int


@frozen
class Elements:
    """A parameter ranges over the elements of a set that depends on the state and on earlier parameters."""

    set: Expr
    type: Type  # of an element


@frozen
class Fresh:
    """A parameter is an unused atom: the first of ``atoms`` for which ``free`` holds (it may mention the parameter).

    Symmetry takes it for *any* unused one: the atoms are either all interchangeable or all fixed.  With ``cells`` they
    are so within each cell, and atoms of two cells are never free at once.
    """

    atoms: tuple[int, ...]
    free: Expr
    cells: tuple[tuple[int, ...], ...] = ()


Domain = Atoms | Interval | Elements | Fresh


@frozen
class Parameter:
    """A name that stands for each value of a domain in turn."""

    name: str
    domain: Domain


def number(n: int, span: Span = NOWHERE) -> Literal:
    return Literal(n, INTEGER, span)


def atom(a: int, span: Span = NOWHERE) -> Literal:
    """The atom a, or NONE."""
    return Literal(a, AtomOf((), True) if a == NONE else AtomOf((a,)), span)


TRUE: Literal = Literal(1, TRUTH)
FALSE: Literal = Literal(0, TRUTH)


def conjunction(operands: list[Expr], span: Span = NOWHERE) -> Expr:
    return junction(Operator.AND, operands, TRUE, FALSE, span)


def conjuncts_of(e: Expr) -> tuple[Expr, ...]:
    return e.operands if isinstance(e, Apply) and e.operator is Operator.AND else (e,)


def disjunction(operands: list[Expr], span: Span = NOWHERE) -> Expr:
    return junction(Operator.OR, operands, FALSE, TRUE, span)


def junction(operator: Operator, operands: list[Expr], neutral: Literal, absorbing: Literal, span: Span) -> Expr:
    """What comes after an absorbing operand is never looked at; what comes before it may fail, so it stays."""
    kept: list[Expr] = []
    for e in operands:
        is_constant = isinstance(e, Literal)
        if not is_constant or e != neutral:
            kept.append(e)
        if is_constant and e == absorbing:
            break
    return neutral if not kept else kept[0] if len(kept) == 1 else Apply(operator, tuple(kept), span)


def negation(operand: Expr, span: Span = NOWHERE) -> Expr:
    if operand in (TRUE, FALSE):
        return FALSE if operand == TRUE else TRUE
    return Apply(Operator.NOT, (operand,), span)


def equal(a: Expr, b: Expr, span: Span = NOWHERE) -> Expr:
    return Apply(Operator.EQUAL, (a, b), span)
