"""Where every place of a System is in the words of a packed state.

The places that belong to one atom lie together, in one word where they fit, so that a column is one shift and one mask
for the canonicalisers; no leaf crosses a word.  A value without a bounded shape is stored as its number in the table of
values.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Iterator

from quorbit.machine.compile.encoding import Reader, encode
from quorbit.machine.compile.kinds import plain_type
from quorbit.machine.compile.shapes import WORD, Ids, Record, Shape, Unshaped, leaves, shape_of
from quorbit.machine.interned import ValueTable
from quorbit.machine.memo import Memo
from quorbit.model.specialise.independent import Change
from quorbit.model.system.command import Command
from quorbit.model.system.expression import Elements, Expr, Literal
from quorbit.model.system.system import Invariant, NoDeadlock, Place, State, System
from quorbit.model.system.types import AtomOf, Number, QueueOf, SetOf, Text, Truth, TupleOf, Type, Value, mentions_atoms
from quorbit.model.system.walk import expressions_of, walk
from quorbit.source.errors import UserError
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import frozen

__all__ = [
    "Field",
    "StateLayout",
    "atoms_beside",
    "lay_out",
    "pack_state",
    "pack_states",
    "pack_ways",
    "strings_in",
    "unpack_state",
]


@frozen
class Field:
    """Bits shift..shift+width-1 of a word; they hold value - low."""

    word: int
    shift: int
    width: int
    low: int = 0


@frozen
class StateLayout:
    """``fields[i]`` are the leaves of place number i."""

    words: int
    shapes: tuple[Shape, ...]
    fields: tuple[tuple[Field, ...], ...]
    strings: tuple[str, ...]
    texts: dict[str, int]
    types: tuple[Type, ...]
    atoms: int
    table: ValueTable
    memo: Memo


def lay_out(system: System, moving: bool = False) -> StateLayout:
    """A place that cannot be laid out is refused by name.  ``moving``: states will be moved by permutations."""
    strings = texts_of(system)
    texts = {text: k for k, text in enumerate(strings)}
    shapes = tuple(shape_of_place(system, place, len(strings), moving) for place in system.places)
    table = ValueTable()
    words = Words()
    fields: dict[int, tuple[Field, ...]] = {}
    for column in columns(system):
        words.put_column(column, shapes, fields)
    return StateLayout(
        max(1, len(words.used)),
        shapes,
        tuple(fields[i] for i in range(len(shapes))),
        strings,
        texts,
        tuple(place.type for place in system.places),
        len(system.atoms),
        table,
        Memo(system, table),
    )


def shape_of_place(system: System, place: Place, texts: int, moving: bool) -> Shape:
    try:
        return storable(place.type, texts, moving)
    except Unshaped as why:
        variable = system.variable[place.variable]
        raise UserError(variable.span, f"the explicit engine cannot store {place.variable}: {why}") from None


def storable(type: Type, texts: int, moving: bool) -> Shape:
    """Bits where there are not too many, else numbers of interned values."""
    match type:
        case TupleOf(parts):
            return Record(tuple(storable(part, texts, moving) for part in parts))
        case QueueOf(message) if moving and mentions_atoms(message) and atoms_beside(message) is None:
            return Ids(plain_type(type))
        case SetOf() | QueueOf():
            try:
                return shape_of(type, texts)
            except Unshaped:
                return Ids(plain_type(type))
        case _:
            return shape_of(type, texts)


def atoms_beside(type: Type) -> int | None:
    """How many atoms stand in a value side by side; None if some are in a set or a queue inside."""
    match type:
        case AtomOf():
            return 1
        case TupleOf(parts):
            found = [atoms_beside(part) for part in parts]
            return None if None in found else sum(n for n in found if n is not None)
        case SetOf() | QueueOf() if mentions_atoms(type):
            return None
        case Number() | Truth() | SetOf() | QueueOf() | Text():
            return 0
        case _:
            assert_never(type)


def columns(system: System) -> Iterator[list[int]]:
    """Places that belong together: those of one atom, then the others one by one."""
    owned: dict[int, list[int]] = {}
    alone: list[list[int]] = []
    for i, place in enumerate(system.places):
        if len(place.owners) == 1:
            owned.setdefault(place.owners[0], []).append(i)
        else:
            alone.append([i])
    yield from (owned[a] for a in sorted(owned))
    yield from alone


class Words:
    """How many bits of each word are used."""

    def __init__(self) -> None:
        self.used: list[int] = []
        self.first_open = 0

    def put_column(self, column: list[int], shapes: tuple[Shape, ...], fields: dict[int, tuple[Field, ...]]) -> None:
        total = sum(leaf.width for i in column for leaf in leaves(shapes[i]))
        if total <= WORD:
            self.find(total, column, shapes, fields)
        else:
            for i in column:
                fields[i] = tuple(self.take(leaf.width, leaf.low) for leaf in leaves(shapes[i]))

    def find(
        self, total: int, column: list[int], shapes: tuple[Shape, ...], fields: dict[int, tuple[Field, ...]]
    ) -> None:
        """Put the whole column into one word."""
        word, shift = self.room(total)
        for i in column:
            row = []
            for leaf in leaves(shapes[i]):
                row.append(Field(word, shift, leaf.width, leaf.low))
                shift += leaf.width
            fields[i] = tuple(row)

    def take(self, width: int, low: int) -> Field:
        word, shift = self.room(width)
        return Field(word, shift, width, low)

    def room(self, width: int) -> tuple[int, int]:
        """The first word with so many bits left, and where they begin; they are taken."""
        while self.first_open < len(self.used) and self.used[self.first_open] >= WORD:
            self.first_open += 1
        for word in range(self.first_open, len(self.used)):
            if self.used[word] + width <= WORD:
                break
        else:
            word = len(self.used)
            self.used.append(0)
        shift = self.used[word]
        self.used[word] += width
        return (word, shift) if width else (word, 0)


def pack_state(layout: StateLayout, s: State) -> list[int]:
    """The words of a state.  Requires: every value is of its place's type."""
    return pack_states(layout, (s,))


def pack_states(layout: StateLayout, states: Iterable[State]) -> list[int]:
    """The words of many states, one state after the other; the bits of a value of a place are worked out once."""
    known: list[dict[Value, int]] = [{} for _ in layout.shapes]
    found: list[int] = []
    for s in states:
        total = 0
        for i, value in enumerate(s):
            bits = known[i].get(value)
            if bits is None:
                bits = known[i][value] = place_bits(layout, i, value)
            total |= bits
        found += [total >> WORD * k & (2**WORD - 1) for k in range(layout.words)]
    return found


def pack_ways(layout: StateLayout, blank: State, ways: Iterable[Iterable[Change]]) -> list[int]:
    """The words of all states that take one of the ways of each group of places and are blank elsewhere."""
    empty = [place_bits(layout, i, value) for i, value in enumerate(blank)]
    found = [functools.reduce(operator.or_, empty, 0)]
    for group in ways:
        masks = [[place_bits(layout, i, value) ^ empty[i] for i, value in change] for change in group]
        toggled = [functools.reduce(operator.or_, bits, 0) for bits in masks]
        found = [state ^ bits for state in found for bits in toggled]
    return [state >> WORD * k & (2**WORD - 1) for state in found for k in range(layout.words)]


def place_bits(layout: StateLayout, i: int, value: Value) -> int:
    """The bits of a value in a state whose words are read as one number, the first word lowest."""
    total = 0
    codes = encode(layout.shapes[i], value, layout.texts, layout.table)
    for field, code in zip(layout.fields[i], codes, strict=False):
        total |= (code & ((1 << field.width) - 1)) << (WORD * field.word + field.shift)
    return total


def unpack_state(layout: StateLayout, words: Iterable[int]) -> State:
    listed = list(words)
    values: list[Value] = []
    for type, shape, row in zip(layout.types, layout.shapes, layout.fields, strict=True):
        codes = [listed[f.word] >> f.shift & ((1 << f.width) - 1) for f in row]
        values.append(with_strings(type, Reader(codes, layout.table).read(shape), layout.strings))
    return tuple(values)


def with_strings(type: Type, value: Value, strings: tuple[str, ...]) -> Value:
    """A value in which the numbers of strings are the strings again."""
    match type:
        case Text():
            return strings[value]  # type: ignore[index]
        case TupleOf(parts):
            return tuple(with_strings(t, v, strings) for t, v in zip(parts, value, strict=True))  # type: ignore[arg-type]
        case SetOf(element):
            return frozenset(with_strings(element, v, strings) for v in value) if has_text(element) else value  # type: ignore[union-attr]
        case QueueOf(message):
            return tuple(with_strings(message, v, strings) for v in value) if has_text(message) else value  # type: ignore[union-attr]
        case Number() | Truth() | AtomOf():
            return value
        case _:
            assert_never(type)


def has_text(type: Type) -> bool:
    match type:
        case Text():
            return True
        case TupleOf(parts):
            return any(map(has_text, parts))
        case SetOf(inner) | QueueOf(inner):
            return has_text(inner)
        case Number() | Truth() | AtomOf():
            return False
        case _:
            assert_never(type)


def texts_of(system: System) -> tuple[str, ...]:
    """Every string a place or a parameter can hold: the empty one and those that are written in the model."""
    found = {"": None}
    given = [p.domain for c in (*system.commands, *system.start) for p in c.parameters]
    types = [v.type for v in system.variables] + [domain.type for domain in given if isinstance(domain, Elements)]
    for e in written(system) if any(map(has_text, types)) else ():
        for part in walk(e):
            if isinstance(part, Literal):
                found.update(dict.fromkeys(strings_in(part.value)))
    return tuple(found)


def strings_in(value: Value) -> Iterator[str]:
    match value:
        case str():
            yield value
        case tuple():
            for part in value:
                yield from strings_in(part)
        case frozenset():
            yield from sorted(text for part in value for text in strings_in(part))


def written(system: System) -> Iterator[Expr]:
    """All outermost expressions of a System."""
    commands: tuple[Command, ...] = (*system.commands, *system.start)
    for command in commands:
        yield from expressions_of(command)
    for definition in system.definitions:
        yield definition.body
    yield system.transient
    for p in system.properties:
        match p:
            case Invariant():
                yield p.condition
            case NoDeadlock():
                yield p.allowed
