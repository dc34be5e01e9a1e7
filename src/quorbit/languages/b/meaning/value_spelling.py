"""Values that the places of a System cannot hold as they are, spelled as sequences of numbers.

Real numbers, values of free types, strings that are made in a state and sets that may be infinite have no fixed shape.
In a System each is a sequence of numbers that begins with its kind; equal values are spelled alike. An infinite set is
spelled by its text and looked up when it is read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from quorbit.languages.b.meaning.evaluator import Endless
from quorbit.languages.b.meaning.universe import Universe
from quorbit.languages.b.meaning.values import only_if
from quorbit.languages.b.syntax.show import show_value
from quorbit.languages.b.types.types import REAL, STRING, Free, Given, PairType, RecordType, SetOfType, Type
from quorbit.model.system.types import INTEGER, QueueOf
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.span import NOWHERE

__all__ = ["SPELLED", "Spelling", "is_spelled", "mentioned_sets", "parts_of_type"]

SPELLED = QueueOf(INTEGER)
TEXT, NUMBER, TREE, SET = range(1, 5)
Spelled = tuple[int, ...]


def is_spelled(universe: Universe, of: Type) -> bool:
    """Whether all values of a type are spelled."""
    return of == REAL or isinstance(of, Free) or (of == STRING and universe.spelled)


def has_spelled(universe: Universe, of: Type) -> bool:
    return is_spelled(universe, of) or any(has_spelled(universe, part) for part in parts_of_type(of))


def parts_of_type(of: Type) -> tuple[Type, ...]:
    match of:
        case SetOfType(element):
            return (element,)
        case PairType(left, right):
            return (left, right)
        case RecordType(fields):
            return tuple(t for _, t in fields)
    return ()


def mentioned_sets(universe: Universe, of: Type, seen: frozenset[str] = frozenset()) -> Iterator[str]:
    """The given sets whose elements a value may hold."""
    match of:
        case Given(name):
            yield name
        case Free(name) if name not in seen:
            for _, inner, _ in universe.free[name]:
                if inner is not None:
                    yield from mentioned_sets(universe, inner, seen | {name})
    for part in parts_of_type(of):
        yield from mentioned_sets(universe, part, seen)


@mutable
class Spelling:
    """How the values of one machine are spelled; ``sets`` are those that were spelled by their text."""

    universe: Universe
    sets: dict[Spelled, Any] = field(default_factory=dict)

    def value(self, of: Type, x: Any) -> Any:
        """A value as a System holds it."""
        if not has_spelled(self.universe, of):
            return x
        if is_spelled(self.universe, of):
            return self.spell(of, x)
        match of:
            case SetOfType(element):
                return frozenset(self.value(element, v) for v in x)
            case PairType(left, right):
                return (self.value(left, x[0]), self.value(right, x[1]))
            case RecordType(fields):
                return tuple(self.value(t, v) for (_, t), v in zip(fields, x, strict=True))
        raise AssertionError(of)

    def back(self, of: Type, x: Any) -> Any:
        """The value that a System holds so."""
        if not has_spelled(self.universe, of):
            return x
        if is_spelled(self.universe, of):
            return self.read(of, x)
        match of:
            case SetOfType(element):
                return frozenset(self.back(element, v) for v in x)
            case PairType(left, right):
                return (self.back(left, x[0]), self.back(right, x[1]))
            case RecordType(fields):
                return tuple(self.back(t, v) for (_, t), v in zip(fields, x, strict=True))
        raise AssertionError(of)

    def spell(self, of: Type, x: Any) -> Spelled:
        if of == STRING:
            return (TEXT, *map(ord, x))
        if of == REAL:
            return (NUMBER, x.numerator, x.denominator)
        assert isinstance(of, Free)
        return (TREE, list(self.universe.free).index(of.name), *self.flat(of, x))

    def read(self, of: Type, spelled: Spelled) -> Any:
        only_if(bool(spelled), "this has no value yet")
        if of == STRING:
            return "".join(map(chr, spelled[1:]))
        if of == REAL:
            return Fraction(spelled[1], spelled[2])
        return self.taken(of, iter(spelled[2:]))

    def set_value(self, of: Type, x: Any) -> Spelled:
        """A set that may be infinite, by its text."""
        found = (SET, *map(ord, show_value(self.universe, of, x)))
        while self.sets.setdefault(found, x) != x:
            found = (*found, ord("'"))  # another set that is written alike
        return found

    def set_back(self, spelled: Spelled) -> Any:
        only_if(bool(spelled), "this has no value yet")
        if spelled not in self.sets:
            raise UserError(NOWHERE, "a run with infinite sets in its variables cannot be resumed")
        return self.sets[spelled]

    def show(self, spelled: Spelled) -> str:
        match spelled[:1]:
            case (k,) if k == TEXT:
                return show_value(self.universe, STRING, self.read(STRING, spelled))
            case (k,) if k == NUMBER:
                return show_value(self.universe, REAL, self.read(REAL, spelled))
            case (k,) if k == TREE:
                of = Free(list(self.universe.free)[spelled[1]])
                return show_value(self.universe, of, self.read(of, spelled))
        return "".join(map(chr, spelled[1:]))

    def flat(self, of: Type, x: Any) -> list[int]:
        """A value inside one of a free type as numbers; the type tells how many there are."""
        match of:
            case Free(name):
                inner = self.universe.free[name][x[0]][1]
                return [x[0], *([] if inner is None else self.flat(inner, x[1]))]
            case SetOfType(element):
                if isinstance(x, Endless):
                    raise UserError(NOWHERE, "an infinite set inside a value of a free type cannot be stored")
                return [len(x), *(n for v in sorted(self.flat(element, v) for v in x) for n in v)]
            case PairType() | RecordType():
                return [n for t, v in zip(parts_of_type(of), x, strict=True) for n in self.flat(t, v)]
        if of == STRING:
            return [len(x), *map(ord, x)]
        return [x.numerator, x.denominator] if of == REAL else [x]

    def taken(self, of: Type, numbers: Iterator[int]) -> Any:
        """The value that the next numbers spell."""
        match of:
            case Free(name):
                k = next(numbers)
                inner = self.universe.free[name][k][1]
                return (k,) if inner is None else (k, self.taken(inner, numbers))
            case SetOfType(element):
                return frozenset([self.taken(element, numbers) for _ in range(next(numbers))])
            case PairType() | RecordType():
                return tuple([self.taken(t, numbers) for t in parts_of_type(of)])
        if of == STRING:
            return "".join([chr(next(numbers)) for _ in range(next(numbers))])
        return Fraction(next(numbers), next(numbers)) if of == REAL else next(numbers)
