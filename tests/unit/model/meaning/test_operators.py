"""Every operator's value on operands worked out by hand."""

import pytest

from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.specialise.simplify import simplify
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Condition,
    Expr,
    Literal,
    NumberOf,
    Operator,
    Otherwise,
    Parameter,
    Part,
    Quantifier,
    Quantify,
    Wrap,
    atom,
    number,
)
from quorbit.model.system.system import Atom, System
from quorbit.model.system.types import INTEGER, NONE, SetOf, TupleOf, Value

O = Operator
MEANING = Meaning(System("s", tuple(Atom(str(a), "process") for a in range(3)), (), ()))
PAIRS = SetOf(TupleOf((INTEGER, INTEGER)))


def literal(value: Value) -> Literal:
    match value:
        case int():
            return number(value)
        case frozenset() if value and isinstance(next(iter(value)), tuple):
            return Literal(value, PAIRS)
        case _:
            return Literal(value, SetOf(INTEGER))


def s(*elements: Value) -> frozenset[Value]:
    return frozenset(elements)


F = s((1, 2), (2, 3))
CASES: list[tuple[Operator, tuple[Value, ...], Value]] = [
    (O.NEGATE, (3,), -3),
    (O.ADD, (1, 2, 3), 6),
    (O.SUBTRACT, (1, 3), -2),
    (O.MULTIPLY, (2, 3, 4), 24),
    (O.DIVIDE, (-7, 2), -3),
    (O.DIVIDE, (7, -2), -3),
    (O.MODULO, (-7, 2), -1),
    (O.MODULO, (7, -2), 1),
    (O.POWER, (2, 5), 32),
    (O.BIT_AND, (6, 3), 2),
    (O.BIT_OR, (6, 3), 7),
    (O.BIT_XOR, (6, 3), 5),
    (O.BIT_NOT, (0,), -1),
    (O.SHIFT_LEFT, (3, 2), 12),
    (O.SHIFT_RIGHT, (12, 2), 3),
    (O.MINIMUM, (s(3, 1, 2),), 1),
    (O.MAXIMUM, (s(3, 1, 2),), 3),
    (O.NOT, (5,), 0),
    (O.NOT, (0,), 1),
    (O.AND, (1, 2, 3), 1),
    (O.AND, (1, 0), 0),
    (O.OR, (0, 2), 1),
    (O.EQUAL, (2, 2), 1),
    (O.LESS, (2, 2), 0),
    (O.LESS_EQUAL, (2, 2), 1),
    (O.TUPLE, (1, 2), (1, 2)),
    (O.SET, (1, 2, 2), s(1, 2)),
    (O.MEMBER, (2, s(1, 2)), 1),
    (O.SUBSET, (s(1), s(1, 2)), 1),
    (O.SUBSET, (s(3), s(1, 2)), 0),
    (O.UNION, (s(1), s(2)), s(1, 2)),
    (O.INTERSECTION, (s(1, 2), s(2, 3)), s(2)),
    (O.DIFFERENCE, (s(1, 2), s(2, 3)), s(1)),
    (O.PRODUCT, (s(1, 2), s(3)), s((1, 3), (2, 3))),
    (O.SIZE, (s(1, 2),), 2),
    (O.POWERSET, (s(1, 2),), s(s(), s(1), s(2), s(1, 2))),
    (O.INTERVAL, (2, 4), s(2, 3, 4)),
    (O.INTERVAL, (4, 2), s()),
    (O.BIG_UNION, (s(s(1), s(2, 3)),), s(1, 2, 3)),
    (O.BIG_INTERSECTION, (s(s(1, 2), s(2, 3)),), s(2)),
    (O.DOMAIN, (F,), s(1, 2)),
    (O.RANGE, (F,), s(2, 3)),
    (O.INVERSE, (F,), s((2, 1), (3, 2))),
    (O.COMPOSE, (F, F), s((1, 3))),
    (O.OVERRIDE, (F, s((1, 9))), s((1, 9), (2, 3))),
    (O.IMAGE, (F, s(1, 5)), s(2)),
    (O.APPLY, (F, 1), 2),
    (O.DOMAIN_RESTRICT, (s(1), F), s((1, 2))),
    (O.RANGE_RESTRICT, (F, s(3)), s((2, 3))),
    (O.CLOSURE, (F,), s((1, 2), (2, 3), (1, 3))),
    (O.CHOICE, (s(7),), 7),
    (O.PRESENT, (3, -1), 3),
    (O.QUEUE, (1, 2), (1, 2)),
    (O.APPEND, ((1, 2), 3), (1, 2, 3)),
    (O.INSERT_SORTED, ((1, 3), 2), (1, 2, 3)),
    (O.INSERT_SORTED, ((1, 3), 3), (1, 3, 3)),
    (O.FIRST, ((4, 5),), 4),
    (O.REST, ((4, 5),), (5,)),
    (O.ELEMENT, ((4, 5), 1), 5),
    (O.WITHOUT, ((4, 5, 6), 1), (4, 6)),
]


def value_of(e: Expr) -> Value:
    found: Value = MEANING.value_of(e)((), {})
    return found


@pytest.mark.parametrize(("operator", "operands", "expected"), CASES)
def test_value(operator: Operator, operands: tuple[Value, ...], expected: Value) -> None:
    e = Apply(operator, tuple(map(literal, operands)))
    assert value_of(e) == expected
    assert value_of(simplify(e)) == expected


def test_every_operator_is_tested() -> None:
    assert {operator for operator, _, _ in CASES} == set(Operator)


UNDEFINED: list[tuple[Operator, tuple[Value, ...]]] = [
    (O.DIVIDE, (1, 0)),
    (O.MODULO, (1, 0)),
    (O.PRESENT, (-1, -1)),
    (O.POWER, (2, -1)),
    (O.SHIFT_LEFT, (1, 65)),
    (O.MINIMUM, (s(),)),
    (O.MAXIMUM, (s(),)),
    (O.BIG_INTERSECTION, (s(),)),
    (O.APPLY, (F, 9)),
    (O.APPLY, (s((1, 2), (1, 3)), 1)),
    (O.CHOICE, (s(1, 2),)),
    (O.FIRST, ((),)),
    (O.REST, ((),)),
    (O.ELEMENT, ((1,), 1)),
    (O.WITHOUT, ((1,), -1)),
]


@pytest.mark.parametrize(("operator", "operands"), UNDEFINED)
def test_undefined(operator: Operator, operands: tuple[Value, ...]) -> None:
    e = Apply(operator, tuple(map(literal, operands)))
    with pytest.raises(Fault):
        value_of(e)
    with pytest.raises(Fault):
        value_of(simplify(e))
    assert value_of(Otherwise(e, number(42))) == 42


def test_and_and_or_stop_when_they_know() -> None:
    broken = Apply(O.DIVIDE, (number(1), number(0)))
    assert value_of(Apply(O.AND, (number(0), broken))) == 0
    assert value_of(Apply(O.OR, (number(1), broken))) == 1
    with pytest.raises(Fault):
        value_of(Apply(O.AND, (broken, number(0))))


def test_conditions_wrapping_parts() -> None:
    broken = Apply(O.DIVIDE, (number(1), number(0)))
    assert value_of(Condition(number(1), number(2), broken)) == 2
    assert value_of(Wrap(number(300), 8, False)) == 44
    assert value_of(Wrap(number(200), 8, True)) == -56
    assert value_of(Wrap(number(-1), 16, False)) == 65535
    assert value_of(Part(Apply(O.TUPLE, (number(4), number(5))), 1)) == 5


def test_numbers_of_atoms() -> None:
    assert value_of(NumberOf(atom(2), (0, 1, 2), 1)) == 3
    assert value_of(NumberOf(atom(NONE), (0, 1, 2), 1, 0)) == 0
    assert value_of(AtomAt(number(3), (0, 1, 2), 1)) == 2
    assert value_of(AtomAt(number(0), (0, 1, 2), 1, 0)) == NONE
    with pytest.raises(Fault):
        value_of(AtomAt(number(4), (0, 1, 2), 1))
    with pytest.raises(Fault):
        value_of(NumberOf(atom(NONE), (0, 1, 2), 1))


@pytest.mark.parametrize(
    ("quantifier", "expected"),
    [
        (Quantifier.ALL, 0),
        (Quantifier.SOME, 1),
        (Quantifier.COUNT, 2),
        (Quantifier.SUM, 5),
        (Quantifier.TIMES, 0),
        (Quantifier.COLLECT, s(0, 2, 3)),
    ],
)
def test_quantifiers_and_their_unrolled_forms(quantifier: Quantifier, expected: Value) -> None:
    """The body is the number of the atom, or 0 for the first; unrolling must not change the value."""
    k = Bound("k")
    n = NumberOf(k, (0, 1, 2), 1)
    body = Condition(Apply(O.EQUAL, (n, number(1))), number(0), n)
    e = Quantify(quantifier, Parameter("k", Atoms((0, 1, 2))), body)
    assert value_of(e) == expected
    simple = simplify(e)
    assert not isinstance(simple, Quantify)
    assert value_of(simple) == expected
