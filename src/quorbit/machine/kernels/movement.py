"""Which bits of a packed state move with which atoms: what the canonicalisers need to know of a model.

Every place is taken apart into items: plain bits or references to atoms, owned by some atoms.  A set of things that
mention atoms becomes one bit for each thing, owned by the atoms it mentions, so a relation moves like a matrix.

Short names: M the atoms that some permutation moves.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.machine.compile.encoding import value_at
from quorbit.machine.compile.packing import Field, StateLayout, atoms_beside
from quorbit.machine.compile.shapes import (
    WORD,
    Bits,
    Ids,
    Ints,
    Record,
    Shape,
    Slots,
    count,
    leaves,
    slots_per_word,
    width,
)
from quorbit.model.system.system import Place
from quorbit.model.system.types import NONE, AtomOf, QueueOf, SetOf, TupleOf, Type, Value, mentions_atoms
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable, replace

MOST_OWNERS = 3
LARGEST_FAMILY = 1 << 18  # places that are found by their owners
Kind = tuple[object, ...]


@frozen
class Item:
    """Bits that move as one: their kind (the same for all images), owners, and whether they refer to an atom."""

    kind: Kind
    owners: tuple[int, ...]
    field: Field
    refers: bool = False
    length: Field | None = None  # of the queue this is in slot number ``slot`` of
    slot: int = 0
    elements: int = 0  # so many of the owners, the last ones, are the atoms of a thing in a set
    value: Type | None = None  # of a value with atoms in it that moves as one; its number is in the field, or
    universe: Shape | None = None  # it is a set of such elements
    words: tuple[Field, ...] = ()  # in these bits

    @property
    def fields(self) -> tuple[Field, ...]:
        return self.words or (self.field,)


@frozen
class Unit:
    """Fields that are compared as one: a number, a set, or the number of a value."""

    fields: tuple[Field, ...]
    is_set: bool = False
    is_value: bool = False
    universe: Shape | None = None  # of a set whose elements are not numbered in their order


@mutable
class Movement:
    """Runs of each atom, cells, the bits that stay, and the order of the places."""

    runs: dict[int, list[Field]]
    cells: list[Item]
    keep: list[int]
    units: list[Unit] = field(default_factory=list)


def movement(layout: StateLayout, places: tuple[Place, ...], moved: frozenset[int]) -> Movement:
    items = [item for k, place in enumerate(places) for item in items_of(layout, k, place, moved)]
    runs: dict[int, list[tuple[Kind, Field]]] = {a: [] for a in sorted(moved)}
    cells = []
    for item in items:
        movers = [a for a in item.owners if a in moved]
        if item.refers and not movers:
            cells.append(replace(item, kind=(*item.kind, item.owners), owners=()))
        elif item.refers or item.value is not None:
            cells.append(item)
        elif len(movers) == 1:
            staying = tuple(None if a in moved else a for a in item.owners)
            runs[movers[0]].append(((*item.kind, staying), item.field))
        elif movers:
            cells.append(item)
    refuse_many_owners(cells)
    merged = merge_runs(runs)
    keep = [2**WORD - 1] * layout.words
    for f in (*(f for listed in merged.values() for f in listed), *(f for cell in cells for f in cell.fields)):
        keep[f.word] &= ~(((1 << f.width) - 1) << f.shift)
    units = [unit for k, place in enumerate(places) for unit in units_of(layout, k, place)]
    return Movement(merged, cells, keep, units)


def refuse_many_owners(cells: list[Item]) -> None:
    for cell in cells:
        if len(cell.owners) > MOST_OWNERS:
            raise UserError(None, f"the explicit engine cannot reduce: {cell.kind[0]} joins too many atoms")


def merge_runs(runs: dict[int, list[tuple[Kind, Field]]]) -> dict[int, list[Field]]:
    """Neighbouring fields become one where they are neighbours for all atoms with the same kinds of fields."""
    alike: dict[tuple[Kind, ...], list[int]] = {}
    order: dict[Kind, int] = {}
    for a, listed in runs.items():
        for kind, _ in listed:
            order.setdefault(kind, len(order))
        listed.sort(key=lambda pair: order[pair[0]])
        alike.setdefault(tuple(kind for kind, _ in listed), []).append(a)
    merged: dict[int, list[Field]] = {}
    for atoms in alike.values():
        rows = [[f for _, f in runs[a]] for a in atoms]
        for a, row in zip(atoms, join_neighbours(rows), strict=True):
            merged[a] = row
    return merged


def join_neighbours(rows: list[list[Field]]) -> list[list[Field]]:
    found: list[list[Field]] = [[] for _ in rows]
    for column in zip(*rows, strict=True):
        if found[0] and all(are_neighbours(row[-1], f) for row, f in zip(found, column, strict=True)):
            for row, f in zip(found, column, strict=True):
                last = row.pop()
                row.append(Field(f.word, last.shift, last.width + f.width))
        else:
            for row, f in zip(found, column, strict=True):
                row.append(Field(f.word, f.shift, f.width))
    return found


def are_neighbours(a: Field, b: Field) -> bool:
    return a.word == b.word and a.shift + a.width == b.shift


# Items.


def items_of(layout: StateLayout, k: int, place: Place, moved: frozenset[int]) -> Iterator[Item]:
    taken = Taken(place, iter(layout.fields[k]), layout.atoms, moved)
    yield from taken.items(place.type, layout.shapes[k], (place.variable, place.indices))


class Taken:
    """Takes the fields of a place one after the other."""

    def __init__(self, place: Place, fields: Iterator[Field], atoms: int, moved: frozenset[int]) -> None:
        self.place = place
        self.fields = fields
        self.atoms = atoms
        self.moved = moved

    def refers(self, type: Type) -> bool:
        """Whether a value of the type may be an atom that moves; others are mere numbers."""
        return isinstance(type, AtomOf) and not self.moved.isdisjoint(type.atoms)

    def items(self, type: Type, shape: Shape, kind: Kind) -> Iterator[Item]:
        match type, shape:
            case TupleOf(types), Record(shapes):
                for k, (t, part) in enumerate(zip(types, shapes, strict=True)):
                    yield from self.items(t, part, (*kind, k))
            case SetOf(element), Bits(inner):
                words = [next(self.fields) for _ in leaves(shape)]
                if mentions_atoms(element) and self.are_matrices(element):
                    yield from self.bits(element, inner, kind, words)
                elif mentions_atoms(element) and inner is not None and words:
                    yield Item(kind, self.place.owners, words[0], value=type, universe=inner, words=tuple(words))
                else:
                    yield from (Item((*kind, j), self.place.owners, f) for j, f in enumerate(words) if f.width)
            case QueueOf(message), Slots(inner, capacity):
                yield from self.queue(message, inner, capacity, kind, [next(self.fields) for _ in leaves(shape)])
            case _, Ids():
                f = next(self.fields)
                yield Item(kind, self.place.owners, f, value=type if mentions_atoms(type) else None)
            case _:
                f = next(self.fields)
                if f.width:
                    yield Item(kind, self.place.owners, f, self.refers(type))

    def are_matrices(self, element: Type) -> bool:
        """Whether the bits of a set of such elements are found by the few atoms each of them is about."""
        n = atoms_beside(element)
        if n is None:
            return False
        owners = len(self.place.owners) + n
        return owners <= MOST_OWNERS and (self.atoms + 1) ** owners <= LARGEST_FAMILY

    def bits(self, element: Type, inner: Shape | None, kind: Kind, words: list[Field]) -> Iterator[Item]:
        """One item for each thing that can be in the set; there may be bits between them, which stay 0."""
        for i in range(count(inner)):
            word, thing = words[i // WORD], value_at(inner, i)
            if not holds(element, thing):
                continue
            plain, atoms = atoms_apart(element, thing)
            owners = (*self.place.owners, *atoms)
            yield Item((*kind, plain), owners, Field(word.word, word.shift + i % WORD, 1), elements=len(atoms))

    def queue(
        self, message: Type, inner: Shape | None, capacity: int, kind: Kind, fields: list[Field]
    ) -> Iterator[Item]:
        length, *words = fields
        if length.width:
            yield Item((*kind, "length"), self.place.owners, length)
        if not words:
            return  # there is one possible message, which takes no room
        if inner is None or not mentions_atoms(message):
            yield from (Item((*kind, j), self.place.owners, f) for j, f in enumerate(words) if f.width)
            return
        w, per_word = width(inner), slots_per_word(inner)
        for k in range(capacity):
            word = words[k // per_word]
            at = word.shift + w * (k % per_word)
            for item in self.message(message, inner, (*kind, k), word.word, at + w):
                yield Item(item.kind, item.owners, item.field, item.refers, length, k)

    def message(self, type: Type, shape: Shape, kind: Kind, word: int, end: int) -> list[Item]:
        """The items of one message, whose first part ends at bit ``end``."""
        match type, shape:
            case TupleOf(types), Record(shapes):
                found = []
                for k, (t, part) in enumerate(zip(types, shapes, strict=True)):
                    found += self.message(t, part, (*kind, k), word, end)
                    end -= width(part)
                return found
            case AtomOf(), Ints(low):
                f = Field(word, end - width(shape), width(shape), low)
                return [Item(kind, self.place.owners, f, self.refers(type))] if f.width else []
            case _ if not mentions_atoms(type):
                f = Field(word, end - width(shape), width(shape))
                return [Item(kind, self.place.owners, f)] if f.width else []
        raise UserError(
            None, f"the explicit engine cannot reduce: messages of {self.place.variable} hold sets of atoms"
        )


def holds(type: Type, value: Value) -> bool:
    """Whether the atoms in a value are of its type: those of a sort may be numbered with gaps."""
    match type, value:
        case AtomOf(atoms, optional), int(a):
            return a in atoms or (optional and a == NONE)
        case TupleOf(types), tuple(values):
            return all(holds(t, v) for t, v in zip(types, values, strict=True))
        case _:
            return True


def atoms_apart(type: Type, value: Value) -> tuple[Value, tuple[int, ...]]:
    """A value with its atoms taken out, and the atoms in order."""
    match type, value:
        case AtomOf(), int(a):
            return NONE, (a,)
        case TupleOf(types), tuple(values):
            pairs = [atoms_apart(t, v) for t, v in zip(types, values, strict=True)]
            return tuple(p for p, _ in pairs), tuple(a for _, atoms in pairs for a in atoms)
        case _ if not mentions_atoms(type):
            return value, ()
    raise UserError(None, "the explicit engine cannot reduce: there are sets of sets of atoms")


# The order of states.


def units_of(layout: StateLayout, k: int, place: Place) -> Iterator[Unit]:
    yield from units(place.type, layout.shapes[k], iter(layout.fields[k]))


def units(type: Type, shape: Shape, fields: Iterator[Field]) -> Iterator[Unit]:
    match type, shape:
        case TupleOf(types), Record(shapes):
            for t, part in zip(types, shapes, strict=True):
                yield from units(t, part, fields)
        case _, Ids():
            yield Unit((next(fields),), is_value=True)
        case SetOf(), Bits(inner):
            bits = tuple(next(fields) for _ in leaves(shape))
            yield from proper(Unit(bits, True, universe=inner if has_inner_sets(inner) else None))
        case QueueOf(), Slots(inner, capacity):
            length, *words = [next(fields) for _ in leaves(shape)]
            yield from proper(Unit((length,)))
            yield from slot_units(inner, capacity, words)
        case _:
            yield from proper(Unit((next(fields),)))


def slot_units(inner: Shape | None, capacity: int, words: list[Field]) -> Iterator[Unit]:
    if inner is None or not width(inner):
        return
    w, per_word = width(inner), slots_per_word(inner)
    for k in range(capacity):
        word = words[k // per_word]
        yield Unit((Field(word.word, word.shift + w * (k % per_word), w),))


def proper(unit: Unit) -> Iterator[Unit]:
    fields = tuple(f for f in unit.fields if f.width)
    if fields:
        yield Unit(fields, unit.is_set, unit.is_value, unit.universe)


def has_inner_sets(shape: Shape | None) -> bool:
    match shape:
        case Bits():
            return True
        case Record(parts):
            return any(map(has_inner_sets, parts))
        case _:
            return False
