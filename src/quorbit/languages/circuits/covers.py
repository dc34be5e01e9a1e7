"""Which input values the rows of a table cover, and whether two answers are possible for one input.

Rows are cubes; columns are split one after the other until the remaining rows say the same, which is quick for tables
as people write them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quorbit.languages.circuits.netlist import Among, Anything, Entry, Netlist, Row, Same, Table

Point = tuple[int, ...]


def uncovered(netlist: Netlist, table: Table) -> Point | None:
    """Input values that no row matches, or None when every input is covered."""
    sizes = [len(netlist.domain(net)) for net in table.inputs]
    for point, rows in cells(table, sizes):
        if not rows:
            return tuple(0 if k is None else k for k in point)
    return None


def is_ambiguous(netlist: Netlist, table: Table) -> bool:
    """Whether some input values allow two different outputs."""
    sizes = [len(netlist.domain(net)) for net in table.inputs]
    widths = [len(netlist.domain(net)) for net in table.outputs]
    if all(is_single(row.outputs, widths) for row in table.rows) and is_single(table.default or (), widths):
        if len({row.outputs for row in table.rows}) <= 1:
            return False
        return any(len({row.outputs for row in rows}) > 1 for _, rows in cells(table, sizes))
    return any(not is_one(rows or [Row((), table.default or ())], widths) for _, rows in cells(table, sizes))


def is_single(outputs: Sequence[Entry], widths: Sequence[int]) -> bool:
    return all(is_fixed(entry, width) for entry, width in zip(outputs, widths, strict=False))


def is_fixed(entry: Entry, width: int) -> bool:
    match entry:
        case Among(values):
            return len(values) == 1
        case Anything():
            return width == 1
        case Same():
            return True


def is_one(rows: list[Row], widths: Sequence[int]) -> bool:
    return len({row.outputs for row in rows}) == 1 and is_single(rows[0].outputs, widths)


def cells(table: Table, sizes: Sequence[int]) -> Iterator[tuple[tuple[int | None, ...], list[Row]]]:
    """A partition of the input values: fixed values (None: any) and the rows that match all of that part."""
    start: tuple[int | None, ...] = (None,) * len(sizes)
    stack = [(start, list(table.rows))]
    position = {net: i for i, net in enumerate(table.inputs)}
    while stack:
        point, rows = stack.pop()
        column = undecided(point, rows, position)
        if column is None:
            yield point, rows
            continue
        for k in reversed(range(sizes[column])):
            part = (*point[:column], k, *point[column + 1 :])
            stack.append((part, [row for row in rows if matches(row, column, part, position)]))


def undecided(point: tuple[int | None, ...], rows: list[Row], position: dict[str, int]) -> int | None:
    """A column on which the rows that are left still depend."""
    for row in rows:
        for i, entry in enumerate(row.inputs):
            if isinstance(entry, Same):
                other = position.get(entry.net)
                if other is None:
                    continue
                if point[other] is None:
                    return other
                if point[i] is None:
                    return i
            elif point[i] is None and not isinstance(entry, Anything):
                return i
    return None


def matches(row: Row, column: int, point: tuple[int | None, ...], position: dict[str, int]) -> bool:
    """Whether a row admits the value just fixed in a column."""
    entry, k = row.inputs[column], point[column]
    if isinstance(entry, Among) and k not in entry.values:
        return False
    pairs = [(i, position.get(e.net)) for i, e in enumerate(row.inputs) if isinstance(e, Same)]
    return all(other is None or None in (point[i], point[other]) or point[i] == point[other] for i, other in pairs)
