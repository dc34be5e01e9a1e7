"""Products and wreath products of symmetric groups as tables: units, and the sets of siblings that are sorted one
after the other (runtime/canon/forest.h)."""

from __future__ import annotations

from quorbit.canon.plan import Identity, InTurn, Node, SortColumns
from quorbit.machine.kernels.movement import Movement
from quorbit.machine.kernels.units import speaks_of_units

MOST_UNITS = 64
Columns = tuple[tuple[int, ...], ...]


def suits_forest(sorting: Node, moves: Movement) -> bool:
    """Whether the kernel is for such a group and such states."""
    return unit_count(sorting) <= MOST_UNITS and speaks_of_units(moves)


def unit_count(sorting: Node) -> int:
    return len(units_of(steps_of(sorting)))


def forest_table(sorting: Node, classes: tuple[int, ...]) -> list[int]:
    """Units: how many atoms, their class, the atoms; sets: how many columns, of how many units, which."""
    steps = steps_of(sorting)
    units = units_of(steps)
    number = {a: k for k, unit in enumerate(units) for a in unit}
    sets = [[dict.fromkeys(number[a] for a in column) for column in columns] for columns in steps]
    table = [len(units), len(sets)]
    for unit in units:
        table += [len(unit), classes[unit[0]], *unit]
    for columns in sets:
        table += [len(columns), len(columns[0]), *(u for column in columns for u in column)]
    return table


def steps_of(node: Node) -> list[Columns]:
    """The columns that are sorted one after the other."""
    match node:
        case SortColumns(columns):
            return [columns] if len(columns) > 1 else []
        case InTurn(parts):
            return [columns for part in parts for columns in steps_of(part)]
        case Identity():
            return []
        case _:
            raise AssertionError(f"{node} does not sort")


def units_of(steps: list[Columns]) -> list[tuple[int, ...]]:
    """The atoms that every step moves together, each unit in the order of the first column that it is in: that order
    is the same for all units that can come to its place."""
    columns_of: dict[int, tuple[tuple[int, int], ...]] = {}
    for k, columns in enumerate(steps):
        for j, column in enumerate(columns):
            for a in column:
                columns_of[a] = (*columns_of.get(a, ()), (k, j))
    together: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for a, where in columns_of.items():  # in the order of the columns
        together.setdefault(where, []).append(a)
    return [tuple(unit) for unit in together.values()]
