"""Expressions of few sources as tables: for each value the points at which they have it, as the bits of a number.

A *source* is what an expression depends on in the end: a place, or whether an input is in the set of those that are 1.
A *point* gives every source of a table a value; points are numbered in mixed radix, the first source counting least.

Short names: f, g sets of points; i, j positions of sources; a, b values of one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import product
from typing import Any

from quorbit.model.meaning.operators import MEANING, PARTIAL
from quorbit.model.system.expression import (
    Apply,
    Condition,
    Expr,
    Literal,
    Operator,
    Read,
    Use,
    atom,
    equal,
    negation,
    number,
)
from quorbit.model.system.system import System
from quorbit.model.system.types import Value, mentions_atoms, size, values
from quorbit.source.frozen import frozen

MOST_POINTS = 1 << 14
MOST_WORK = 400_000  # expressions that are looked at, for all functions of a circuit: some seconds
MOST_COMBINATIONS = 256  # of the values of two operands
NO_FIELD = 0
FEW_FIELDS = 3
SMALL = 1 << 10  # points at which two expressions are compared, or taken together
Table = dict[Value, int]  # the points at which an expression has each of its values


class Unsaid(Exception):
    """The expression is not made of sources and total operations alone, or of too many sources."""


class TooMuch(Exception):
    """To compare the functions of this circuit takes too long."""


@frozen
class Source:
    """The expression that reads a source, and the values it may have."""

    read: Expr
    values: tuple[Value, ...]

    @cached_property
    def tests(self) -> tuple[Expr, ...]:
        """That it has each of its values."""
        if self.values == (0, 1):
            return negation(self.read), self.read
        return tuple([equal(self.read, number(value)) for value in self.values])  # type: ignore[arg-type]

    @cached_property
    def negations(self) -> tuple[Expr, ...]:
        return (self.tests[1], self.tests[0]) if self.values == (0, 1) else tuple(map(negation, self.tests))


@frozen
class FieldSource:
    """A source that is one of several latches or inputs, of which exactly one is 1 (model/specialise/fields)."""

    tests: tuple[Expr, ...]

    @cached_property
    def values(self) -> tuple[Value, ...]:
        return tuple(range(len(self.tests)))

    @cached_property
    def read(self) -> Expr:
        return self.tests[-1]

    @cached_property
    def negations(self) -> tuple[Expr, ...]:
        return tuple(map(negation, self.tests))


class Sources:
    """The sources of the expressions of one System, numbered as they are met.

    ``fields``: atoms of which exactly one is 1, as a latch or in each set of inputs."""

    def __init__(self, system: System, fields: Sequence[tuple[int, ...]] = ()) -> None:
        self.system = system
        self.field_of = {a: (members, v) for members in fields for v, a in enumerate(members)}
        self.listed: list[Source | FieldSource] = []
        self.numbers: dict[Any, int] = {}
        self.numbered: dict[int, tuple[Expr, int]] = {}  # by id
        self.known: dict[int, tuple[Expr, int]] = {}  # by id: the sources below an expression, as bits
        self.sizes: dict[int, int] = {}
        self.left = MOST_WORK

    def spend(self, work: int) -> None:
        """Raises TooMuch when all work is done that may be."""
        self.left -= work
        if self.left < 0:
            raise TooMuch

    def of(self, e: Expr) -> int:
        """The sources that e is made of, one bit each.  Raises Unsaid."""
        known = self.known.get(id(e))
        if known is None:
            known = self.known[id(e)] = (e, self.find(e))
        return known[1]

    def find(self, e: Expr) -> int:
        match e:
            case Literal(value=int()):
                return 0
            case Read() | Apply(Operator.MEMBER):
                return 1 << self.number(e)
            case Use():
                return self.of(self.body(e))
            case Condition(test, then, other):
                return self.of(test) | self.of(then) | self.of(other)
            case Apply(operator, operands) if operator not in PARTIAL:
                found = 0
                for operand in operands:
                    found |= self.of(operand)
                return found
        raise Unsaid(type(e).__name__)

    def body(self, e: Use) -> Expr:
        owners = tuple(owner.value for owner in e.owners if isinstance(owner, Literal))
        body = self.system.definition.get((e.definition, owners))  # type: ignore[arg-type]
        if body is None or len(owners) != len(e.owners):
            raise Unsaid(e.definition)
        return body

    def number(self, e: Expr) -> int:
        """The number of the source that e reads."""
        known = self.numbered.get(id(e))
        if known is None:
            known = self.numbered[id(e)] = (e, self.find_number(e))
        return known[1]

    def find_number(self, e: Expr) -> int:
        found: Source | FieldSource
        if (in_field := self.in_field(e)) is not None:
            members, _, other = in_field
            key: Any = ("field", members[0], self.key_of_set(e))
            if key not in self.numbers:
                return self.add(key, FieldSource(tuple(other(a) for a in members)))
            return self.numbers[key]
        match e:
            case Read(variable, owners, indices) if all(isinstance(p, Literal) for p in (*owners, *indices)):
                key = variable, *(p.value for p in (*owners, *indices) if isinstance(p, Literal))
                held = self.system.variable[variable].type
                if mentions_atoms(held) or (size(held) or MOST_POINTS) >= MOST_POINTS:
                    raise Unsaid(variable)
                found = Source(e, tuple(values(held)))
            case Apply(Operator.MEMBER, (Literal(value=value), bound)):
                key, found = (bound, value), Source(e, (0, 1))
            case _:
                raise Unsaid(type(e).__name__)
        return self.numbers[key] if key in self.numbers else self.add(key, found)

    def add(self, key: Any, source: Source | FieldSource) -> int:
        self.numbers[key] = len(self.listed)
        self.listed.append(source)
        return self.numbers[key]

    def in_field(self, e: Expr) -> tuple[tuple[int, ...], int, Callable[[int], Expr]] | None:
        """The atoms of the field that e reads one of, the number of that one, and how the others are read."""
        if not self.field_of:
            return None
        match e:
            case Read(variable, (Literal(value=int(a)),)) if a in self.field_of:
                return *self.field_of[a], lambda b: Read(variable, (atom(b),))
            case Apply(Operator.MEMBER, (Literal(value=int(a)), bound)) if a in self.field_of:
                return *self.field_of[a], lambda b: Apply(Operator.MEMBER, (atom(b), bound))
        return None

    def only_fields(self, e: Expr) -> int:
        """The sources that e reads, if these are a few fields; else NO_FIELD."""
        support = self.of(e)
        read = (self.listed[k] for k in bits_of(support))
        is_small = support.bit_count() <= FEW_FIELDS and self.points(support) <= SMALL
        return support if is_small and all(isinstance(source, FieldSource) for source in read) else NO_FIELD

    def key_of_set(self, e: Expr) -> Any:
        """What tells the latches of a field from the inputs, and these from each other."""
        return e.operands[1] if isinstance(e, Apply) else ""

    def points(self, support: int) -> int:
        """How many points a table of these sources has; if more than MOST_POINTS, some number above that."""
        total = self.sizes.get(support)
        if total is None:
            total = 1
            for k in bits_of(support):
                total *= len(self.listed[k].values)
                if total > MOST_POINTS:
                    break
            self.sizes[support] = total
        return total


def bits_of(mask: int) -> list[int]:
    return [k for k in range(mask.bit_length()) if mask >> k & 1]


class Grid:
    """The points that some sources span.  Requires: not more than MOST_POINTS."""

    def __init__(self, sources: Sources, support: int) -> None:
        self.sources = sources
        self.positions = {k: i for i, k in enumerate(bits_of(support))}
        self.listed = [sources.listed[k] for k in self.positions]
        self.strides: list[int] = []
        total = 1
        for source in self.listed:
            self.strides.append(total)
            total *= len(source.values)
        self.size = total
        self.full = (1 << total) - 1
        self.known: dict[int, tuple[Expr, Table]] = {}  # by id; the expression is kept, so its id stays its own

    @cached_property
    def at(self) -> list[list[int]]:
        """For each source and each number of a value of it the points where it has that value."""
        pairs = zip(self.listed, self.strides, strict=True)
        return [points_of_values(self.size, stride, len(source.values)) for source, stride in pairs]

    def table(self, e: Expr) -> Table:
        """What e is at every point."""
        known = self.known.get(id(e))
        if known is None:
            self.sources.spend(1 + (self.size >> 10))
            known = self.known[id(e)] = (e, self.find(e))
        return known[1]

    def find(self, e: Expr) -> Table:
        match e:
            case Literal(value):
                return {value: self.full}
            case Read() | Apply(Operator.MEMBER):
                i = self.positions[self.sources.number(e)]
                if (in_field := self.sources.in_field(e)) is not None:
                    return self.of_truth(self.at[i][in_field[1]])
                return dict(zip(self.listed[i].values, self.at[i], strict=True))
            case Use():
                return self.table(self.sources.body(e))
            case Condition(test, then, other):
                return self.chosen(self.truth(test), self.table(then), self.table(other))
            case Apply(operator, operands):
                return self.apply(operator, operands)
        raise Unsaid(type(e).__name__)

    def truth(self, e: Expr) -> int:
        """The points at which e is not 0."""
        return sum(f for value, f in self.table(e).items() if value)

    def apply(self, operator: Operator, operands: Sequence[Expr]) -> Table:
        if operator is Operator.NOT:
            return self.of_truth(self.full ^ self.truth(operands[0]))
        if operator in (Operator.AND, Operator.OR):
            return self.of_truth(self.folded(operator, [self.truth(e) for e in operands]))
        tables = [self.table(e) for e in operands]
        if operator in BITWISE and all(table.keys() <= {0, 1} for table in tables):
            return self.of_truth(self.folded(operator, [table.get(1, 0) for table in tables]))
        if len(tables) == 1:
            return self.combined(MEANING[operator], tables)
        if operator in FOLDED:
            result = tables[0]
            for table in tables[1:]:
                result = self.combined(MEANING[operator], [result, table])
            return result
        return self.combined(MEANING[operator], tables)

    def folded(self, operator: Operator, sets: Sequence[int]) -> int:
        result = sets[0]
        for f in sets[1:]:
            result = BITWISE[operator](result, f)
        return result

    def of_truth(self, f: int) -> Table:
        return {value: g for value, g in ((0, self.full ^ f), (1, f)) if g}

    def chosen(self, test: int, then: Table, other: Table) -> Table:
        found = {value: f & test for value, f in then.items()}
        for value, f in other.items():
            found[value] = found.get(value, 0) | (f & ~test)
        return {value: f for value, f in found.items() if f}

    def combined(self, meaning: Callable[..., Value], tables: Sequence[Table]) -> Table:
        total = 1
        for table in tables:
            total *= len(table)
        if total > MOST_COMBINATIONS:
            raise Unsaid(f"{total} combinations of values")
        found: Table = {}
        for combination in product(*(table.items() for table in tables)):
            f = self.full
            for _, g in combination:
                f &= g
            if f:
                value = meaning(*(v for v, _ in combination))
                found[value] = found.get(value, 0) | f
        return found

    # What a table depends on, and in which of its sources it is symmetric.

    def depends(self, sets: Sequence[int], i: int) -> bool:
        """Whether one of some sets of points depends on a source."""
        first, stride = self.at[i][0], self.strides[i]
        return any(
            (f & first) << (stride * a) != f & points for f in sets for a, points in enumerate(self.at[i][1:], 1)
        )

    def is_symmetric(self, sets: Sequence[int], i: int, j: int) -> bool:
        """Whether two sources may change places in all of some sets of points."""
        if self.listed[i].values != self.listed[j].values:
            return False
        low, high = (self.at[i], self.at[j]) if self.strides[i] < self.strides[j] else (self.at[j], self.at[i])
        gap = abs(self.strides[i] - self.strides[j])
        for b in range(1, len(low)):
            for a in range(b):
                here, there = low[b] & high[a], low[a] & high[b]
                if any((f & here) << (gap * (b - a)) != f & there for f in sets):
                    return False
        return True


@cache
def points_of_values(size: int, stride: int, count: int) -> list[int]:
    """Of so many points those where a source of this stride has each of its values."""
    block = (1 << stride) - 1
    repeat = ((1 << size) - 1) // ((1 << (stride * count)) - 1)
    return [(block << (stride * a)) * repeat for a in range(count)]


BITWISE: dict[Operator, Callable[[int, int], int]] = {
    Operator.BIT_AND: lambda f, g: f & g,
    Operator.BIT_OR: lambda f, g: f | g,
    Operator.BIT_XOR: lambda f, g: f ^ g,
    Operator.AND: lambda f, g: f & g,
    Operator.OR: lambda f, g: f | g,
}
FOLDED = (Operator.ADD, Operator.MULTIPLY, Operator.BIT_AND, Operator.BIT_OR, Operator.BIT_XOR)
