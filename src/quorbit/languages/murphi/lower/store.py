"""How the variables of a model become places: which types are sorts of atoms, which parts may be undefined.

A simple type is stored as atoms (scalarsets, unions, ranges whose numbers are names) or as numbers.  Undefined is NONE
or one number below the least; a part that never is undefined has no room for it.  A multiset is a sort of slots, each
present or not; a slot of a multiset inside an array belongs to one element of the array, its *home*, for good.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from quorbit.languages.murphi.facts import RangeClass
from quorbit.languages.murphi.types import (
    Array,
    Boolean,
    Enum,
    EnumRange,
    Multiset,
    Range,
    Record,
    Scalarset,
    Simple,
    Type,
    Union,
    bounds,
    union_numbers,
    value_names,
)
from quorbit.model.system.expression import Expr, Literal, Read, atom, number
from quorbit.model.system.system import Atom, Variable
from quorbit.model.system.types import NONE, TRUTH, AtomOf, Number
from quorbit.model.system.types import Type as StoredType
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span

__all__ = ["Store"]

MOST_PLACES = 200_000
MOST_NAMED = 256  # values of a range that are listed, so that undefined has a name
MARKER = re.compile(r"\[[^]]*\]")  # in the name of a variable: where an index belongs


@frozen
class Sort:
    """Atoms by the numbers of the values they are."""

    atoms: tuple[int, ...]
    first: int

    def part(self, low: int, high: int) -> Sort:
        return Sort(self.atoms[low - self.first : high - self.first + 1], low)


@frozen
class Part:
    """An expression that says which element of an array, or which slot, is meant; ``type``: the array's index type."""

    expr: Expr
    is_owner: bool
    type: Simple | None = None


@frozen
class Spot:
    """A variable, or a part of one.  ``key`` is its path with the indices left out, ``root`` the variable's name."""

    root: str
    key: str
    name: str
    address: tuple[Part, ...]
    type: Type

    def read(self, span: Span) -> Read:
        owners = tuple(part.expr for part in self.address if part.is_owner)
        return Read(self.name, owners, tuple(part.expr for part in self.address if not part.is_owner), span)


@frozen
class Slots:
    """The slots of a multiset, and of all multisets of an array: ``homes`` are the positions in the array, ``cells``
    the slots that belong to each."""

    key: str
    atoms: tuple[int, ...]
    cells: tuple[tuple[int, ...], ...]
    homes: tuple[tuple[Literal, ...], ...]
    present: str


@mutable
class Store:
    """``numeric``: everything as numbers, as the first reading needs it; but slots are atoms always."""

    numeric: bool
    undefined: frozenset[str] = frozenset()
    atoms: list[Atom] = field(default_factory=list)
    variables: dict[str, Variable] = field(default_factory=dict)
    types: dict[str, Simple] = field(default_factory=dict)  # of the variables that hold a simple value
    keys: dict[str, str] = field(default_factory=dict)  # of the variables
    dimensions: dict[str, tuple[Simple | Slots, ...]] = field(default_factory=dict)  # of the variables
    sorts: dict[object, Sort] = field(default_factory=dict)
    slots: dict[str, Slots] = field(default_factory=dict)  # by key

    # Sorts.

    def add_atoms(
        self, names: list[str], sort: str, span: Span, fixed: bool = False, colour: str = ""
    ) -> tuple[int, ...]:
        first = len(self.atoms)
        self.atoms += [Atom(name, sort, name if fixed else colour, span) for name in names]
        return tuple(range(first, len(self.atoms)))

    def add_class(self, c: RangeClass) -> None:
        names = [f"{c.name}_{k}" if c.name.isidentifier() else str(k) for k in range(c.low, c.high + 1)]
        whole = Sort(self.add_atoms(names, c.name, c.members[0].span), c.low)
        for member in c.members:
            self.sorts[member] = whole.part(member.low, member.high)

    def sort_of(self, type: Type) -> Sort | None:
        """The atoms of a simple type; None if it is stored as numbers."""
        if self.numeric:
            return None
        match type:
            case Scalarset(_, name, first, span):
                if type not in self.sorts:
                    self.sorts[type] = Sort(self.add_atoms(list(value_names(type)), name, span), first)
                return self.sorts[type]
            case Range():
                return self.sorts.get(type)
            case Union(members):
                if type not in self.sorts:
                    self.sorts[type] = Sort(tuple(a for m in members for a in self.member_atoms(m)), 0)
                return self.sorts[type]
            case _:
                return None

    def member_atoms(self, member: Scalarset | Enum) -> tuple[int, ...]:
        """The atoms of a member of a union; those of an enumeration have names, so they stay where they are."""
        if isinstance(member, Scalarset):
            sort = self.sort_of(member)
            assert sort is not None
            return sort.atoms
        if member not in self.sorts:
            names = list(value_names(member))
            self.sorts[member] = Sort(self.add_atoms(names, member.name or "enumeration", member.span, True), 0)
        return self.sorts[member].atoms

    # Values.

    def literal(self, type: Simple, value: int, span: Span) -> Literal:
        """The value with this number (of a union: with its number there)."""
        sort = self.sort_of(type)
        if sort is None:
            return Literal(value, TRUTH, span) if isinstance(type, Boolean) else number(value, span)
        k = union_numbers(type).index(value) if isinstance(type, Union) else value - sort.first
        return atom(sort.atoms[k], span)

    def absent(self, type: Simple, span: Span) -> Literal:
        """What stands for undefined."""
        return number(bounds(type)[0] - 1, span) if self.sort_of(type) is None else atom(NONE, span)

    def first_value(self, type: Simple, span: Span) -> Literal:
        """What ``clear`` leaves."""
        value = union_numbers(type)[0] if isinstance(type, Union) else bounds(type)[0]
        return self.literal(type, value, span)

    def stored_type(self, type: Simple, optional: bool) -> StoredType:
        sort = self.sort_of(type)
        if sort is not None:
            return AtomOf(sort.atoms, optional)
        if isinstance(type, Boolean) and not optional:
            return TRUTH
        low, high = bounds(type)
        is_named = isinstance(type, Boolean | Enum | EnumRange) or (optional and high - low < MOST_NAMED)
        names = value_names(type) if is_named and not self.numeric else ()
        return Number(low - optional, high, ("undefined", *names) if names and optional else names)

    def may_be_undefined(self, key: str) -> bool:
        return self.numeric or key in self.undefined

    # Variables.

    def declare(self, name: str, type: Type, span: Span, key: str = "") -> Spot:
        """A variable with all its parts; its places in a state are those of its simple parts."""
        whole = Spot(name, key or name, name, (), type)
        self.declare_part(whole, (), span)
        if sum(map(count_places, self.variables.values())) > MOST_PLACES:
            raise UserError(span, f"the variables of the model have more than {MOST_PLACES} parts")
        return whole

    def declare_part(self, spot: Spot, dimensions: tuple[Simple | Slots, ...], span: Span) -> None:
        match spot.type:
            case Record(fields):
                for name, _ in fields:
                    self.declare_part(self.field(spot, name), dimensions, span)
            case Array(index):
                self.declare_part(self.element(spot, number(0)), (*dimensions, index), span)
            case Multiset():
                slots = self.declare_slots(spot, dimensions, span)
                self.declare_part(self.slot(spot, number(0)), (slots,), span)
            case Boolean() | Range() | Scalarset() | Enum() | EnumRange() | Union() as type:
                stored = self.stored_type(type, self.may_be_undefined(spot.key))
                self.add_variable(spot.name, spot.key, stored, dimensions, span)
                self.types[spot.name] = type
            case _:
                raise AssertionError(spot.type)

    def add_variable(
        self, name: str, key: str, type: StoredType, dimensions: tuple[Simple | Slots, ...], span: Span
    ) -> None:
        owners = tuple(owners for d in dimensions if (owners := self.owners_of(d)) is not None)
        shape = tuple(length(d) for d in dimensions if not isinstance(d, Slots) and self.owners_of(d) is None)
        self.variables[name] = Variable(name, type, owners, shape, span)
        self.keys[name], self.dimensions[name] = key, dimensions

    def owners_of(self, dimension: Simple | Slots) -> tuple[int, ...] | None:
        if isinstance(dimension, Slots):
            return dimension.atoms
        sort = self.sort_of(dimension)
        return None if sort is None else sort.atoms

    def declare_slots(self, spot: Spot, dimensions: tuple[Simple | Slots, ...], span: Span) -> Slots:
        assert isinstance(spot.type, Multiset)
        if any(isinstance(d, Slots) for d in dimensions):
            raise UserError(spot.type.span, "a multiset of multisets is not supported")
        outer = [d for d in dimensions if not isinstance(d, Slots)]
        choices = list(product(*(zip(self.indices(d), value_names(d), strict=True) for d in outer)))
        cells = []
        for choice in choices:
            where = "".join(f"_{name}" for _, name in choice)
            names = [f"{spot.root}{where}_{k + 1}" for k in range(spot.type.size)]
            colour = " ".join(self.colour_of(position) for position, _ in choice)
            cells.append(self.add_atoms(names, f"slots of {spot.key}", span, colour=colour))
        atoms = tuple(a for cell in cells for a in cell)
        homes = tuple(tuple(position for position, _ in choice) for choice in choices)
        found = Slots(spot.key, atoms, tuple(cells), homes, f"{MARKER.sub('', spot.name)}[] present")
        self.slots[spot.key] = found
        self.add_variable(found.present, f"{spot.key} present", TRUTH, (found,), span)
        return found

    def colour_of(self, position: Literal) -> str:
        """The positions of an array that may be exchanged have one colour."""
        if not isinstance(position.type, AtomOf):
            return str(position.value)
        assert isinstance(position.value, int)
        owner = self.atoms[position.value]
        return f"{owner.sort} {owner.colour}".rstrip()

    # Parts.

    def field(self, spot: Spot, name: str) -> Spot:
        assert isinstance(spot.type, Record)
        type = spot.type.field(name)
        assert type is not None
        return Spot(spot.root, f"{spot.key}.{name}", f"{spot.name}.{name}", spot.address, type)

    def element(self, spot: Spot, index: Expr) -> Spot:
        """An element of an array; the index is an atom, or a number from 0."""
        assert isinstance(spot.type, Array)
        is_owner = self.sort_of(spot.type.index) is not None
        marker = "[]" if is_owner else f"[#{index_names(spot.type.index)}]"
        address = (*spot.address, Part(index, is_owner, spot.type.index))
        return Spot(spot.root, f"{spot.key}[]", spot.name + marker, address, spot.type.element)

    def slot(self, spot: Spot, slot: Expr) -> Spot:
        """An element of a multiset."""
        assert isinstance(spot.type, Multiset)
        name = f"{MARKER.sub('', spot.name)}[]"
        return Spot(spot.root, f"{spot.key}{{}}", name, (Part(slot, True),), spot.type.element)

    def elements(self, spot: Spot) -> Iterator[Spot]:
        """All elements of an array."""
        assert isinstance(spot.type, Array)
        for index in self.indices(spot.type.index):
            yield self.element(spot, index)

    def indices(self, type: Simple) -> list[Literal]:
        """All positions of an array that is indexed by this type, as its values are listed."""
        sort = self.sort_of(type)
        if sort is not None:
            return [atom(a) for a in sort.atoms]
        low, high = bounds(type)
        numbers = union_numbers(type) if isinstance(type, Union) else range(low, high + 1)
        return [number(n - low) for n in numbers]

    def leaves(self, spot: Spot) -> Iterator[Spot]:
        """The simple parts and the multisets of a variable."""
        match spot.type:
            case Record(fields):
                for name, _ in fields:
                    yield from self.leaves(self.field(spot, name))
            case Array():
                for element in self.elements(spot):
                    yield from self.leaves(element)
            case _:
                yield spot


def length(type: Simple) -> int:
    """How many positions an array has that is indexed by the numbers of a type."""
    low, high = bounds(type)
    return max(0, high - low + 1)


def index_names(type: Simple) -> str:
    """How the positions of an array are called: the first number, or all names."""
    low, _ = bounds(type)
    return ",".join(value_names(type)) if isinstance(type, Boolean | Enum | EnumRange) else str(low)


def count_places(variable: Variable) -> int:
    total = 1
    for n in (*map(len, variable.owners), *variable.shape):
        total *= n
    return total
