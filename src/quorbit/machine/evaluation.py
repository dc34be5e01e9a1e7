"""Functions of interned values as trees that the runtime evaluates by itself (runtime/vm/evaluate.h)."""

from __future__ import annotations

from typing import Any

from quorbit.machine import library
from quorbit.machine.compile.shapes import Ids, Ints, Record, Shape
from quorbit.machine.interned import TooLarge, ValueTable
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Atoms,
    Bound,
    Condition,
    Elements,
    Expr,
    Interval,
    Literal,
    Operator,
    Otherwise,
    Parameter,
    Part,
    Quantifier,
    Quantify,
    conjunction,
    number,
)
from quorbit.model.system.types import NONE, AtomOf, Number, SetOf, Text, Truth, TupleOf, Type

O = Operator
MOST_NODES, MOST_SLOTS, LARGEST_INTERVAL = 500, 16, 10_000
LITERAL, ID, INT, SLOT, TUPLE, SET, PART, CONDITION, OTHERWISE = range(9)
OPERATORS = (
    *(O.NOT, O.AND, O.OR, O.EQUAL, O.LESS, O.LESS_EQUAL, O.NEGATE, O.ADD, O.SUBTRACT, O.MULTIPLY),
    *(O.MINIMUM, O.MAXIMUM, O.MEMBER, O.SUBSET, O.UNION, O.INTERSECTION, O.DIFFERENCE, O.PRODUCT, O.SIZE, O.INTERVAL),
    *(O.BIG_UNION, O.DOMAIN, O.RANGE, O.INVERSE, O.OVERRIDE, O.IMAGE, O.APPLY, O.DOMAIN_RESTRICT, O.RANGE_RESTRICT),
)
KINDS = {
    O.TUPLE: TUPLE,
    O.QUEUE: TUPLE,
    O.SET: SET,
    **{operator: OTHERWISE + 1 + k for k, operator in enumerate(OPERATORS)},
}
QUANTIFIERS = (Quantifier.ALL, Quantifier.SOME, Quantifier.COUNT, Quantifier.SUM, Quantifier.COLLECT)


assert OTHERWISE + 1 + len(OPERATORS) == library.FIRST_QUANTIFIER


def fitting(type: Type, e: Expr, depth: int = 0) -> Expr | None:
    """Whether a value is of a type, as an expression; None: it cannot be said by one. Strings are numbers."""
    match type:
        case Truth() | Text():
            return TRUE if isinstance(type, Text) else between(e, 0, 1)
        case Number(low, high):
            return between(e, low, high)
        case AtomOf(atoms, optional):
            listed = Literal(frozenset((*atoms, NONE) if optional else atoms), SetOf(type))
            return Apply(O.MEMBER, (e, listed))
        case TupleOf(parts):
            found = [fitting(part, Part(e, k), depth) for k, part in enumerate(parts)]
            return None if None in found else conjunction([f for f in found if f is not None])
        case SetOf(element):
            inner = fitting(element, Bound(f"x{depth}"), depth + 1)
            if inner is None or inner == TRUE:
                return inner
            return Quantify(Quantifier.ALL, Parameter(f"x{depth}", Elements(e, element)), inner)
    return None


def between(e: Expr, low: int | None, high: int | None) -> Expr:
    above = [] if low is None else [Apply(O.LESS_EQUAL, (number(low), e))]
    below = [] if high is None else [Apply(O.LESS_EQUAL, (e, number(high)))]
    return conjunction([*above, *below])


class NotHere(Exception):
    """The runtime does not evaluate this."""


def evaluate_there(
    memo: Any, function: int, parameters: tuple[Shape, ...], body: Expr, result: Shape, table: ValueTable
) -> bool:
    """Let the runtime evaluate a function by its number, if it can."""
    match result:
        case Ids():
            integer, low, high = False, 0, 0
        case Ints(low, high):
            integer = True
        case _:
            return False
    try:
        tree = Tree(table, parameters)
        tree.add(body, {})
    except (NotHere, TooLarge):
        return False
    nodes = (library.ExpressionRecord * len(tree.nodes))(*(library.ExpressionRecord(*n) for n in tree.nodes))
    operands = (library.u32 * max(1, len(tree.operands)))(*tree.operands)
    found: bool = library.runtime().qb_memo_evaluate(
        memo, function, table.handle, nodes, len(nodes), operands, len(tree.operands), integer, low, high
    )
    return found


class Tree:
    """Nodes, operands before what they are operands of."""

    def __init__(self, table: ValueTable, parameters: tuple[Shape, ...]) -> None:
        self.table = table
        self.nodes: list[tuple[int, int, int, int, int]] = []
        self.operands: list[int] = []
        self.given: list[tuple[Shape, int]] = []  # the shape of each parameter, and its first word
        word = 0
        for shape in parameters:
            self.given.append((shape, word))
            word += words_of(shape)

    def node(self, kind: int, operands: list[int], value: int = 0) -> int:
        if len(self.nodes) >= MOST_NODES:
            raise NotHere
        self.nodes.append((kind, len(self.operands), len(operands), 0, value))
        self.operands.extend(operands)
        return len(self.nodes) - 1

    def add(self, e: Expr, slots: dict[str, int]) -> int:
        match e:
            case Literal(value):
                return self.node(LITERAL, [], self.table.number_of(value))
            case Bound(name) if name in slots:
                return self.node(SLOT, [], slots[name])
            case Bound(name) if name.isdecimal():
                return self.parameter(*self.given[int(name)])
            case Apply(operator, operands) if operator in KINDS:
                return self.apply(operator, [self.add(operand, slots) for operand in operands])
            case Part(inner, k):
                return self.node(PART, [self.add(inner, slots)], k)
            case Condition(test, then, other):
                return self.node(CONDITION, [self.add(part, slots) for part in (test, then, other)])
            case Otherwise(inner, other):
                return self.node(OTHERWISE, [self.add(inner, slots), self.add(other, slots)])
            case Quantify(quantifier=quantifier) if quantifier in QUANTIFIERS:
                return self.quantify(e, slots)
        raise NotHere

    def apply(self, operator: Operator, operands: list[int]) -> int:
        if operator in (O.UNION, O.INTERSECTION) and len(operands) > 2:
            return self.apply(operator, [self.apply(operator, operands[:2]), *operands[2:]])
        if operator in (O.UNION, O.INTERSECTION) and len(operands) != 2:
            raise NotHere
        return self.node(KINDS[operator], operands)

    def quantify(self, e: Quantify, slots: dict[str, int]) -> int:
        slot = len(slots)
        if slot >= MOST_SLOTS or e.parameter.name in slots:
            raise NotHere
        match e.parameter.domain:
            case Atoms(atoms):
                through = self.node(LITERAL, [], self.table.number_of(frozenset(atoms)))
            case Interval(low, high) if high - low < LARGEST_INTERVAL:
                through = self.node(LITERAL, [], self.table.number_of(frozenset(range(low, high + 1))))
            case Elements(set=s):
                through = self.add(s, slots)
            case _:
                raise NotHere
        inner = {**slots, e.parameter.name: slot}
        operands = [through, self.add(e.condition, inner), self.add(e.body, inner)]
        return self.node(library.FIRST_QUANTIFIER + QUANTIFIERS.index(e.quantifier), operands, slot)

    def parameter(self, shape: Shape, word: int) -> int:
        match shape:
            case Ids():
                return self.node(ID, [], word)
            case Ints():
                return self.node(INT, [], word)
            case Record(parts):
                operands = []
                for part in parts:
                    operands.append(self.parameter(part, word))
                    word += words_of(part)
                return self.node(TUPLE, operands)
        raise NotHere


def words_of(shape: Shape) -> int:
    match shape:
        case Ids() | Ints():
            return 1
        case Record(parts):
            return sum(map(words_of, parts))
    raise NotHere
