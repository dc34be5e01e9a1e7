"""Which numbers of a circuit may be indices, and which values they can have.

Every register or input of a few bits is a candidate; whether its values may be renamed is for detection to say.  The
values of a register are followed from its first one, with everything else left open: a pointer that counts to 2 and
begins again is never 3, and what would happen at 3 hides no symmetry.

Short names: k the number of a field, v one of its values, f a set of points.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from quorbit.detection.functions.tables import MOST_POINTS, Grid, Sources, TooMuch, Unsaid
from quorbit.groups.group import Group
from quorbit.model.specialise.fields.field import Field
from quorbit.model.system.command import Command, Together
from quorbit.model.system.expression import Expr, Literal, Read, atom
from quorbit.model.system.system import System
from quorbit.source.frozen import replace

__all__ = ["MOST_VALUES", "Following", "at_value", "follow", "large_fields", "points_of_values"]

MOST_VALUES = 16  # of a field
MOST_ATOMS = 160  # that stand for values of fields
FEW_BITS = 2  # of a field, which may be exchanged although it is an index: when two are compared


def follow(system: System, group: Group) -> Following:
    """The fields that may be indices, small ones first: not those whose bits the group exchanges, which are lines."""
    listed = sorted((f for f in small_fields(system) if not has_lines(system, f, group)), key=lambda f: len(f.values))
    found: list[Field] = []
    total = 0
    for size in dict.fromkeys(len(f.values) for f in listed):
        alike = [f for f in listed if len(f.values) == size]
        total += size * len(alike)
        if total > MOST_ATOMS:
            break
        found += alike
    return Following(system, found)


def small_fields(system: System) -> list[Field]:
    """Those with few values; an atom belongs to one field only."""
    found, taken = [], set[int]()
    for name, atoms in system.telling.fields:
        if max(atoms) >= len(system.atoms) or taken.intersection(atoms) or not is_placed_alike(system, atoms):
            continue
        count = 1 << len(atoms) if len(atoms) > 1 else system.atoms[atoms[0]].colour.count(",") + 1
        if count <= MOST_VALUES:
            taken.update(atoms)
            found.append(Field(name, atoms, tuple(range(count))))
    return found


def large_fields(system: System) -> list[str]:
    """The names of those with too many values to be looked at as indices."""
    return [name for name, atoms in system.telling.fields if len(atoms) > 1 and 1 << len(atoms) > MOST_VALUES]


def is_placed_alike(system: System, atoms: Sequence[int]) -> bool:
    """Whether all atoms have places, or none."""
    placed = {place.owners[0] for place in system.places if len(place.owners) == 1}
    return len({a in placed for a in atoms}) == 1


def has_lines(system: System, field: Field, group: Group) -> bool:
    """Whether the bits of a field are lines: exchanged one by one with what else there is of each.  When bits of an
    index are exchanged, more of what it names moves than bits, and there are more of these."""
    own = set(field.atoms)
    words = [set(atoms) for _, atoms in system.telling.fields if 2 * len(atoms) > len(field.values)]
    for moves in group.moves:
        inside = sum(a in own and b in own for a, b in moves)
        if inside and len(own) > FEW_BITS and all(sum(a in word for a, _ in moves) <= inside for word in words):
            return True
    return False


class Following:
    """Fields, and their values from step to step."""

    def __init__(self, system: System, fields: Sequence[Field]) -> None:
        self.system, self.given = system, fields
        self.sources = Sources(system)
        self.grids: dict[int, Grid] = {}
        self.place = {place.owners[0]: i for i, place in enumerate(system.places) if len(place.owners) == 1}
        self.stored = [[self.read(a) for a in field.atoms if a in self.place] for field in fields]
        self.first, self.next = values_in(system.start[0]), values_in(system.commands[0])
        self.values = [self.first_values(field) for field in fields]

    def first_values(self, field: Field) -> set[int]:
        held = [e.value for e in (self.first.get(a) for a in field.atoms) if isinstance(e, Literal)]
        return {field.value(tuple(held))} if len(held) == len(field.atoms) else set(field.values)  # type: ignore[arg-type]

    @cached_property
    def steps(self) -> list[tuple[Grid, dict[int, int]] | None]:
        """For each field the points at which it gets each value; None if they are too many."""
        return [self.points(field) for field in self.given]

    @cached_property
    def fields(self) -> list[Field]:
        """With the values that they can have."""
        changed = True
        while changed:
            changed = False
            for k, step in enumerate(self.steps):
                found = set(self.given[k].values) if step is None else self.after(*step)
                if not found <= self.values[k]:
                    self.values[k] |= found
                    changed = True
        return [replace(f, values=tuple(sorted(v))) for f, v in zip(self.given, self.values, strict=True)]

    def points(self, field: Field) -> tuple[Grid, dict[int, int]] | None:
        if field.atoms[0] not in self.place:
            return None
        try:
            held = [self.next[a] for a in field.atoms]
            support = 0
            for e in (*held, *self.reads(held)):
                support |= self.sources.of(e)
            if self.sources.points(support) > MOST_POINTS:
                return None
            grid = self.grid(support)
            return grid, points_of_values(grid, field, held)
        except (Unsaid, TooMuch, KeyError, RecursionError):
            return None

    def grid(self, support: int) -> Grid:
        """The points that some sources span, with the tables of what was looked at there."""
        if support not in self.grids:
            self.grids[support] = Grid(self.sources, support)
        return self.grids[support]

    def reads(self, held: Sequence[Expr]) -> list[Expr]:
        """The bits of fields of which some are read, all of them: only together they are a value."""
        support = 0
        for e in held:
            support |= self.sources.of(e)
        return [e for reads in self.stored if any(support & self.sources.of(e) for e in reads) for e in reads]

    def read(self, a: int) -> Expr:
        return Read(self.system.places[self.place[a]].variable, (atom(a),))

    def after(self, grid: Grid, found: dict[int, int]) -> set[int]:
        """The next values where all fields have values that they can have."""
        possible = grid.full
        for field, reads, values in zip(self.given, self.stored, self.values, strict=True):
            if reads and all(self.sources.number(e) in grid.positions for e in reads):
                possible &= self.at_values(grid, field, reads, values)
        return {v for v, f in found.items() if f & possible}

    def at_values(self, grid: Grid, field: Field, reads: Sequence[Expr], values: set[int]) -> int:
        total = 0
        for v in values:
            total |= at_value(grid, field, reads, v)
        return total


def points_of_values(grid: Grid, field: Field, held: Sequence[Expr]) -> dict[int, int]:
    """The points where its atoms become a value of the field, for each value that they become."""
    tables = [grid.table(e) for e in held]
    found: dict[int, int] = {}
    for v in field.values:
        f = grid.full
        for table, bit in zip(tables, field.held(v), strict=True):
            f &= table.get(bit, 0)
        if f:
            found[v] = f
    return found


def at_value(grid: Grid, field: Field, reads: Sequence[Expr], value: int) -> int:
    """The points where these reads of a field are its value; what is chosen for one atom of many values is read bit by
    bit."""
    held = field.held(value) if len(reads) == len(field.atoms) else tuple(value >> i & 1 for i in range(len(reads)))
    f = grid.full
    for e, bit in zip(reads, held, strict=True):
        f &= grid.table(e).get(bit, 0)
    return f


def values_in(command: Command) -> dict[int, Expr]:
    """What a command of a circuit gives to the place of each atom."""
    steps = [step for step in command.effect if isinstance(step, Together)]
    owned = [(a.target.owners[0], a.value) for step in steps for a in step.assignments if a.target.owners]
    return {owner.value: e for owner, e in owned if isinstance(owner, Literal)}  # type: ignore[misc]
