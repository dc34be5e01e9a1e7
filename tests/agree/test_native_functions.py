"""Functions of interned values: the runtime's evaluation gives what the meaning of the model gives."""

import random

import pytest

from quorbit.machine import library
from quorbit.machine.compile.shapes import Ids, Ints
from quorbit.machine.interned import ValueTable
from quorbit.machine.memo import FOUND, NO_VALUE, Function, Memo
from quorbit.model.meaning.evaluate import Fault
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Bound,
    Condition,
    Elements,
    Expr,
    Operator,
    Otherwise,
    Parameter,
    Part,
    Quantifier,
    Quantify,
    number,
)
from quorbit.model.system.system import System
from quorbit.model.system.types import INTEGER, SetOf, TupleOf, Value

O = Operator
PAIR = TupleOf((INTEGER, INTEGER))
SET, RELATION = SetOf(INTEGER), SetOf(PAIR)


class Maker:
    """Random expressions over a relation "0", a set "1" and a number "2"."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.names = 0

    def pick(self, *ways: object) -> object:
        return self.chance.choice(ways)

    def integer(self, depth: int, bound: tuple[str, ...]) -> Expr:
        if depth == 0:
            return self.chance.choice([Bound("2"), number(self.chance.randint(-1, 4)), *map(Bound, bound)])
        inner = depth - 1
        match self.chance.randrange(9):
            case 0:
                return Apply(O.APPLY, (self.relation(inner, bound), self.integer(inner, bound)))
            case 1:
                return Apply(O.SIZE, (self.chance.choice([self.set, self.relation])(inner, bound),))
            case 2:
                operator = self.chance.choice([O.ADD, O.SUBTRACT, O.MULTIPLY])
                return Apply(operator, (self.integer(inner, bound), self.integer(inner, bound)))
            case 3:
                return Apply(self.chance.choice([O.MINIMUM, O.MAXIMUM]), (self.set(inner, bound),))
            case 4:
                parts = (self.integer(inner, bound), self.integer(inner, bound))
                return Condition(self.truth(inner, bound), *parts)
            case 5:
                return Otherwise(self.integer(inner, bound), self.integer(inner, bound))
            case 6:
                return Part(Apply(O.TUPLE, (self.integer(inner, bound), self.integer(inner, bound))), 1)
            case 7:
                return self.quantified(self.chance.choice([Quantifier.SUM, Quantifier.COUNT]), inner, bound)
        return Apply(O.NEGATE, (self.integer(inner, bound),))

    def set(self, depth: int, bound: tuple[str, ...]) -> Expr:
        if depth == 0:
            return Bound("1")
        inner = depth - 1
        match self.chance.randrange(7):
            case 0 | 1:
                operator = self.chance.choice([O.UNION, O.INTERSECTION, O.DIFFERENCE])
                return Apply(operator, (self.set(inner, bound), self.set(inner, bound)))
            case 2:
                return Apply(self.chance.choice([O.DOMAIN, O.RANGE]), (self.relation(inner, bound),))
            case 3:
                return Apply(O.IMAGE, (self.relation(inner, bound), self.set(inner, bound)))
            case 4:
                return Apply(O.SET, (self.integer(inner, bound), self.integer(inner, bound)))
            case 5:
                return Apply(O.INTERVAL, (self.integer(inner, bound), self.integer(inner, bound)))
        return self.quantified(Quantifier.COLLECT, inner, bound)

    def relation(self, depth: int, bound: tuple[str, ...]) -> Expr:
        if depth == 0:
            return Bound("0")
        inner = depth - 1
        match self.chance.randrange(6):
            case 0 | 1:
                operator = self.chance.choice([O.OVERRIDE, O.UNION, O.DIFFERENCE])
                return Apply(operator, (self.relation(inner, bound), self.relation(inner, bound)))
            case 2:
                return Apply(O.INVERSE, (self.relation(inner, bound),))
            case 3:
                return Apply(O.DOMAIN_RESTRICT, (self.set(inner, bound), self.relation(inner, bound)))
            case 4:
                return Apply(O.RANGE_RESTRICT, (self.relation(inner, bound), self.set(inner, bound)))
        if self.chance.random() < 0.5:
            return Apply(O.PRODUCT, (self.set(0, bound), self.set(0, bound)))
        pair = Apply(O.TUPLE, (self.integer(inner, bound), self.integer(inner, bound)))
        return Apply(O.SET, (pair,))

    def truth(self, depth: int, bound: tuple[str, ...]) -> Expr:
        if depth == 0:
            return TRUE
        inner = depth - 1
        match self.chance.randrange(6):
            case 0:
                operator = self.chance.choice([O.EQUAL, O.LESS, O.LESS_EQUAL])
                return Apply(operator, (self.integer(inner, bound), self.integer(inner, bound)))
            case 1:
                return Apply(O.MEMBER, (self.integer(inner, bound), self.set(inner, bound)))
            case 2:
                return Apply(O.SUBSET, (self.set(inner, bound), self.set(inner, bound)))
            case 3:
                operator = self.chance.choice([O.AND, O.OR])
                return Apply(operator, (self.truth(inner, bound), self.truth(inner, bound)))
            case 4:
                return Apply(O.NOT, (self.truth(inner, bound),))
        return self.quantified(self.chance.choice([Quantifier.ALL, Quantifier.SOME]), inner, bound)

    def quantified(self, kind: Quantifier, depth: int, bound: tuple[str, ...]) -> Expr:
        self.names += 1
        name = f"x{self.names}"
        parameter = Parameter(name, Elements(self.set(depth, bound), INTEGER))
        inner = (*bound, name)
        truths = (Quantifier.ALL, Quantifier.SOME, Quantifier.COUNT)
        body = self.truth(depth, inner) if kind in truths else self.integer(depth, inner)
        return Quantify(kind, parameter, body, self.truth(min(depth, 1), inner))


def values(chance: random.Random) -> tuple[Value, Value, int]:
    relation = frozenset((chance.randint(0, 3), chance.randint(0, 3)) for _ in range(chance.randint(0, 4)))
    return relation, frozenset(chance.randint(0, 4) for _ in range(chance.randint(0, 3))), chance.randint(-1, 3)


def compare(seed: int) -> int:
    """How many calls the runtime decided by itself."""
    chance = random.Random(seed)
    table = ValueTable()
    memo = Memo(System("", (), (), ()), table)
    asked: list[int] = []
    memo.miss = lambda number, operands, results: asked.append(number) or Memo.miss(memo, number, operands, results)  # type: ignore[method-assign, func-returns-value]
    wide = Ints(-(2**62), 2**62)
    shapes = (Ids(RELATION), Ids(SET), wide)
    decided = 0
    for _ in range(20):
        maker = Maker(chance)
        kind = chance.randrange(4)
        depth = chance.randint(1, 3)
        make = (maker.integer, maker.set, maker.relation, maker.truth)[kind]
        result = (wide, Ids(SET), Ids(RELATION), Ints(0, 1))[kind]
        body = make(depth, ())
        function = memo.declare(Function(shapes, body, result))
        for _ in range(5):
            given = values(chance)
            words = (library.i64 * 3)(table.number_of(given[0]), table.number_of(given[1]), given[2])
            results = (library.i64 * 1)()
            before = len(asked)
            outcome = library.runtime().qb_memo_call(memo.handle, function, words, results)
            decided += len(asked) == before
            try:
                wanted = memo.evaluation(body)((), dict(zip("012", given, strict=True)))
            except Fault:
                assert outcome == NO_VALUE, body
                continue
            assert outcome == FOUND, body
            found = results[0] if isinstance(result, Ints) else table.value_of(results[0])
            assert found == wanted, (body, given)
    return decided


def test_functions_of_values() -> None:
    assert sum(compare(seed) for seed in range(20)) > 1200


@pytest.mark.soak
def test_many_functions_of_values() -> None:
    assert sum(compare(seed) for seed in range(2000)) > 120_000
