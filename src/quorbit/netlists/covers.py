"""Which input values the rows of a table cover, and whether two answers are possible for one input.

Rows are cubes; columns are split one after the other until the remaining rows say the same, which is quick for tables
as people write them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quorbit.netlists.netlist import Among, Anything, Entry, Netlist, Row, Same, Table

__all__ = ["is_ambiguous"]

Point = tuple[int, ...]


def uncovered(netlist: Netlist, table: Table) -> Point | None:
    """Input values that no row matches, or None when every input is covered."""
    sizes = [len(netlist.domain(net)) for net in table.inputs]
    position = {net: i for i, net in enumerate(table.inputs)}
    start: tuple[int | None, ...] = (None,) * len(sizes)
    stack = [(start, list(table.rows))]
    while stack:
        point, rows = stack.pop()
        open_columns = [open_in(row, point, position) for row in rows]
        if not rows:
            return tuple(0 if k is None else k for k in point)
        fewest = min(open_columns, key=len)  # the row that is nearest to covering all of this part
        for k in reversed(range(sizes[fewest[0]])) if fewest else ():
            part = (*point[: fewest[0]], k, *point[fewest[0] + 1 :])
            stack.append((part, [row for row in rows if matches(row, fewest[0], part, position)]))
    return None


def open_in(row: Row, point: tuple[int | None, ...], position: dict[str, int]) -> list[int]:
    """The columns on whose value it still depends whether a row matches."""
    found: list[int] = []
    for i, entry in enumerate(row.inputs):
        if isinstance(entry, Same):
            other = position.get(entry.net)
            found += [j for j in (i, other) if j is not None and other is not None and point[j] is None]
        elif point[i] is None and not isinstance(entry, Anything):
            found.append(i)
    return found


def is_ambiguous(netlist: Netlist, table: Table) -> bool:
    """Whether some input values allow two different outputs."""
    widths = [len(netlist.domain(net)) for net in table.outputs]
    if not all(is_single(row.outputs, widths) for row in table.rows):
        return True
    if not is_single(table.default or (), widths) and uncovered(netlist, table) is not None:
        return True
    if len({row.outputs for row in table.rows}) <= 1:
        return False
    if any(isinstance(e, Same) for row in table.rows for e in row.inputs):
        sizes = [len(netlist.domain(net)) for net in table.inputs]
        return any(len({row.outputs for row in rows}) > 1 for _, rows in cells(table, sizes))
    return overlap(netlist, table)


def overlap(netlist: Netlist, table: Table) -> bool:
    """Whether two rows with different outputs match a common input.  Requires: no ``=x`` among the inputs."""
    masks = [
        tuple(mask(entry, len(netlist.domain(net))) for net, entry in zip(table.inputs, row.inputs, strict=True))
        for row in table.rows
    ]
    for k, (row, first) in enumerate(zip(table.rows, masks, strict=True)):
        for other, second in zip(table.rows[:k], masks, strict=False):
            if row.outputs != other.outputs and all(map(int.__and__, first, second)):
                return True
    return False


def mask(entry: Entry, size: int) -> int:
    """The values of an entry as bits of a number."""
    return sum(1 << k for k in entry.values) if isinstance(entry, Among) else (1 << size) - 1


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
