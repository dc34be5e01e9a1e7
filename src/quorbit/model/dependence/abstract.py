"""Expressions over sets of values: which values an expression may have if each place has one of a set of values.

None stands for any value.  A value that an expression has nowhere (a fault) is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

from quorbit.model.dependence.access import Reader
from quorbit.model.meaning.evaluate import wrap
from quorbit.model.meaning.operators import LOGICAL, MEANING, Undefined
from quorbit.model.system.expression import Apply, Condition, Expr, Literal, Operator, Part, Read, Wrap
from quorbit.model.system.types import Value

__all__ = ["values_of"]

Values = frozenset[Value] | None
Known = Callable[[int], Values]  # what is known of each place
MOST = 256  # combinations that are tried
O = Operator
SMALL = frozenset(  # operators whose values do not grow beyond those of their operands, or little
    {O.NEGATE, O.ADD, O.SUBTRACT, O.MULTIPLY, O.DIVIDE, O.MODULO, O.BIT_AND, O.BIT_OR, O.BIT_XOR, O.BIT_NOT}
    | {O.NOT, O.EQUAL, O.LESS, O.LESS_EQUAL, O.MEMBER, O.SUBSET, O.SIZE, O.FIRST, O.TUPLE}
)
TRUE_OR_FALSE: frozenset[Value] = frozenset((0, 1))
ONLY_FALSE: frozenset[Value] = frozenset((0,))
ONLY_TRUE: frozenset[Value] = frozenset((1,))


def known_from(*layers: Mapping[int, Values]) -> Known:
    """What the first layer that knows a place says of it."""

    def known(place: int) -> Values:
        for layer in layers:
            if place in layer:
                return layer[place]
        return None

    return known


def can_be_true(values: Values) -> bool:
    return values is None or any(values)


def can_be_false(values: Values) -> bool:
    return values is None or not all(values)


def values_of(reader: Reader, e: Expr, known: Known) -> Values:
    """The values that e may have."""
    match e:
        case Literal(value):
            return frozenset((value,))
        case Read():
            i = reader.static(e)
            return None if i is None else known(i)
        case Apply(Operator.AND, operands):
            return junction(reader, operands, known, ends=0)
        case Apply(Operator.OR, operands):
            return junction(reader, operands, known, ends=1)
        case Apply(operator, operands):
            return applied(operator, [values_of(reader, part, known) for part in operands])
        case Condition(test, then, other):
            tests = values_of(reader, test, known)
            a = values_of(reader, then, known) if can_be_true(tests) else frozenset[Value]()
            b = values_of(reader, other, known) if can_be_false(tests) else frozenset[Value]()
            return None if a is None or b is None else a | b
        case Wrap(operand, bits, signed):
            inner = values_of(reader, operand, known)
            return None if inner is None else frozenset(wrap(v, bits, signed) for v in inner)  # type: ignore[arg-type]
        case Part(inner_part, k):
            whole = values_of(reader, inner_part, known)
            return None if whole is None else frozenset(v[k] for v in whole)  # type: ignore[index]
        case _:
            return None


def junction(reader: Reader, operands: tuple[Expr, ...], known: Known, ends: int) -> frozenset[Value]:
    """AND ends at the first 0, OR at the first 1; what stands behind an operand that always ends it is not seen."""
    found: set[Value] = set()
    for part in operands:
        values = values_of(reader, part, known)
        if can_be_false(values) if ends == 0 else can_be_true(values):
            found.add(ends)
        if not (can_be_true(values) if ends == 0 else can_be_false(values)):
            return frozenset(found)
    return frozenset(found | {1 - ends})


def applied(operator: Operator, operands: list[Values]) -> Values:
    if operator not in SMALL:
        return TRUE_OR_FALSE if operator in LOGICAL else None
    sets = [values for values in operands if values is not None]
    if operator is O.EQUAL and len(sets) == 2:
        return equality(*sets)
    size = 1
    for values in sets:
        size *= len(values)
    if len(sets) < len(operands) or size > MOST:
        return TRUE_OR_FALSE if operator in LOGICAL else None
    found = set()
    meaning = MEANING[operator]
    for choice in product(*sets):
        try:
            found.add(meaning(*choice))
        except Undefined:
            continue
    return frozenset(found)


def equality(first: frozenset[Value], second: frozenset[Value]) -> frozenset[Value]:
    """Whether one of the first values may equal one of the second, and whether it may not."""
    if not first or not second:
        return frozenset()
    if first.isdisjoint(second):
        return ONLY_FALSE
    return ONLY_TRUE if len(first) == len(second) == 1 else TRUE_OR_FALSE
