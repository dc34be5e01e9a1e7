"""Which values of fields a symmetry of a circuit may rename, seen by counting before anything is decoded.

Of all points (tables.py) a latch becomes 1 at some; how many more or fewer these are where a certain source is 1 is its
*influence*.  A symmetry carries a latch and a source to two others of the same influence, whatever the functions are
written like.  So atoms and values of fields are coloured by their influences on atoms of each colour, and by those of
atoms of each colour on them, until no colour splits.  A symmetry keeps the colours; where these carry every value of a
field to the value of the same number only, the symmetry permutes bits, and is found without decoding the field.

Short names: t what is influenced and b what influences, both by their numbers; f, g sets of points; v, w values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from typing import Any

from quorbit.detection.functions.canonical import MOST_ENTRIES
from quorbit.detection.functions.fields import Following, at_value, points_of_values
from quorbit.detection.functions.tables import MOST_POINTS, Grid, TooMuch, Unsaid, bits_of
from quorbit.model.specialise.fields.decode import families
from quorbit.model.specialise.fields.field import Field
from quorbit.model.system.expression import Apply, Bound, Expr, Literal, Operator, Read, atom
from quorbit.model.system.properties import property_expressions
from quorbit.model.system.types import Value
from quorbit.source.frozen import frozen

__all__ = ["renamable"]

Name = int | tuple[int, int]  # an atom; the number of a field and one of its values


def renamable(followed: Following) -> list[Field]:
    """The fields without which a symmetry might be missed when the circuit is decoded; all of them where its functions
    are too large to be counted, or to be compared without decoding them."""
    fields = followed.fields
    if not fields:
        return []
    try:
        influences = Influences(followed)
    except (Unsaid, TooMuch, KeyError, RecursionError):
        return fields
    colours = influences.colours()
    held = [colours[name] for name in influences.held()]
    if len(set(held)) == len(held):
        return []  # no symmetry changes a state
    has_all = [field.values == given.values for field, given in zip(fields, followed.given, strict=True)]
    return [field for k, field in enumerate(fields) if not (has_all[k] and is_settled(k, fields, colours))]


def is_settled(k: int, fields: Sequence[Field], colours: dict[Name, int]) -> bool:
    """Whether no value of a field has the colour of another number, in this field or another one; then a symmetry
    permutes bits.  (Where some numbers do not occur, a circuit that is not decoded may have fewer symmetries all the
    same: what would happen there counts, too.)"""
    field = fields[k]
    number_of = {colours[k, v]: v for v in field.values}
    return len(number_of) == len(field.values) and all(
        number_of[colours[i, v]] == v and len(other.atoms) == len(field.atoms)
        for i, other in enumerate(fields)
        for v in other.values
        if colours[i, v] in number_of
    )


@frozen
class Cell:
    """Sources that are one thing: the bits of a field, or one source by itself.  ``options``: what each of its values
    is called, and the number of that value."""

    kind: str  # a latch, or the set of inputs
    field: Field | None
    reads: tuple[Expr, ...]
    options: tuple[tuple[Name, Value], ...]
    size: int  # the number of values


class Influences:
    """Of everything on everything, as far as there is one."""

    def __init__(self, followed: Following) -> None:
        self.followed, self.sources = followed, followed.sources
        self.refuse_large()
        self.cells = self.cells_of_fields()
        self.edges: list[tuple[Name, Name, Any]] = []  # t, b and how b influences t
        self.often: dict[Name, list[Any]] = {}  # how often t is each of its values
        in_field = {a for field in followed.fields for a in field.atoms}
        for a in followed.place:
            if a not in in_field:
                self.count_latch(a)
        for k, field in enumerate(followed.fields):
            if field.atoms[0] in followed.place:
                self.count_field(k, field)

    def held(self) -> list[Name]:
        """What a state shows."""
        return list(self.often)

    def refuse_large(self) -> None:
        """Raises Unsaid where functions have too many points to be compared by these (canonical.py)."""
        system, next = self.followed.system, self.followed.next
        if len(self.followed.place) != len(system.places):
            raise Unsaid("a place of no atom, or of several")
        asked = [property_expressions(p) for p in system.properties]
        for listed in ([system.commands[0].guard], *([next[a]] for a in self.followed.place), *asked):
            support = 0
            for e in listed:
                support |= self.sources.of(e)
            if self.sources.points(support) > MOST_ENTRIES:
                raise Unsaid("a function of many points")
        for definition in system.definitions:
            self.sources.of(definition.body)

    def cells_of_fields(self) -> dict[int, Cell]:
        """By the numbers of their sources."""
        found: dict[int, Cell] = {}
        command = self.followed.system.commands[0]
        for i, (field, stored) in enumerate(zip(self.followed.fields, self.followed.stored, strict=True)):
            listed = [("", stored)] if stored else []
            for sets in families(command, field):
                names = [Bound(command.parameters[k].name) for k in sets]
                pairs = [(a, names[0]) for a in field.atoms] if field.is_bits else [(field.atoms[0], n) for n in names]
                listed.append((names[0].name, [Apply(Operator.MEMBER, (atom(a), name)) for a, name in pairs]))
            for kind, reads in listed:
                options = tuple(((i, v), v) for v in field.values)
                cell = Cell(kind, field, tuple(reads), options, len(field.values))
                found.update((self.sources.number(e), cell) for e in reads)
        return found

    def cell(self, k: int) -> Cell:
        """The one that a source belongs to."""
        if k not in self.cells:
            source = self.sources.listed[k]
            match source.read:
                case Read(owners=(Literal(value=a),), indices=()):
                    kind = ""
                case Apply(Operator.MEMBER, (Literal(value=a), Bound(kind))):
                    pass
                case _:
                    raise Unsaid("a source of no atom")
            values = (1,) if source.values == (0, 1) else source.values
            options = tuple((a, v) for v in values)
            self.cells[k] = Cell(kind, None, (source.read,), options, len(source.values))  # type: ignore[arg-type]
        return self.cells[k]

    # Counting.

    def count_latch(self, a: int) -> None:
        e = self.followed.next[a]
        grid, cells = self.grid_of([e])
        table = grid.table(e)
        values: list[Value] = [1] if table.keys() <= {0, 1} else sorted(table)
        self.count(grid, cells, [(a, v, table.get(v, 0)) for v in values])

    def count_field(self, k: int, field: Field) -> None:
        held = [self.followed.next[a] for a in field.atoms]
        grid, cells = self.grid_of(held)
        step = self.followed.steps[k]
        found = step[1] if step is not None and grid is step[0] else points_of_values(grid, field, held)
        self.count(grid, cells, [((k, v), 1, found.get(v, 0)) for v in field.values])

    def grid_of(self, functions: Sequence[Expr]) -> tuple[Grid, list[Cell]]:
        """The points of some functions, fields as a whole."""
        support = 0
        for e in functions:
            support |= self.sources.of(e)
        cells = list({id(cell): cell for cell in map(self.cell, bits_of(support))}.values())
        for e in (e for cell in cells for e in cell.reads):
            support |= self.sources.of(e)
        if self.sources.points(support) > MOST_POINTS:
            raise Unsaid("fields of many points")
        return self.followed.grid(support), cells

    def count(self, grid: Grid, cells: Sequence[Cell], parts: Sequence[tuple[Name, Value, int]]) -> None:
        """``parts``: what has a value at some points."""
        options = [(cell, b, v, points_of(grid, cell, v)) for cell in cells for b, v in cell.options]
        possible = grid.full
        for cell in cells:
            if cell.field is not None:
                held = 0
                for _, v in cell.options:
                    held |= points_of(grid, cell, v)
                possible &= held
        total = possible.bit_count()
        for t, w, given in parts:
            f = given & possible
            count = f.bit_count()
            self.often.setdefault(t, []).append((w, *reduced(count, total)))
            for cell, b, v, g in options:
                influence = cell.size * (f & g).bit_count() - count
                if influence:
                    self.edges.append(
                        (t, b, (cell.kind, w, v if cell.field is None else 1, *reduced(influence, cell.size * total)))
                    )

    # Colours.

    def colours(self) -> dict[Name, int]:
        fields = self.followed.fields
        values = [(k, v) for k, field in enumerate(fields) for v in field.values]
        named: list[Name] = list(dict.fromkeys([*self.often, *values, *(b for _, b, _ in self.edges)]))
        number = {name: n for n, name in enumerate(named)}
        mates = [
            [number[name[0], v] for v in fields[name[0]].values] if isinstance(name, tuple) else [] for name in named
        ]
        labels: dict[Any, int] = {}
        beside: list[list[tuple[int, int]]] = [[] for _ in named]
        for t, b, label in self.edges:
            n = labels.setdefault(label, len(labels))
            beside[number[t]].append((n, number[b]))
            beside[number[b]].append((~n, number[t]))
        colour = numbered([(len(mates[n]), *self.often.get(name, ())) for n, name in enumerate(named)])
        count = 0
        while count != (count := len(set(colour))):
            colour = numbered(
                [
                    (
                        colour[n],
                        sorted_tuple((label, colour[m]) for label, m in near),
                        sorted_tuple(colour[m] for m in mates[n]),
                    )
                    for n, near in enumerate(beside)
                ]
            )
        return {name: colour[n] for name, n in number.items()}


def sorted_tuple(listed: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(listed))


def points_of(grid: Grid, cell: Cell, value: Value) -> int:
    if cell.field is not None:
        return at_value(grid, cell.field, cell.reads, value)  # type: ignore[arg-type]
    return grid.table(cell.reads[0]).get(value, 0)


def numbered(keys: Sequence[Any]) -> list[int]:
    number: dict[Any, int] = {}
    return [number.setdefault(key, len(number)) for key in keys]


def reduced(n: int, d: int) -> tuple[int, int]:
    divisor = gcd(n, d)
    return n // divisor, d // divisor
