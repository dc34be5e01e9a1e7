"""Symmetric groups that their generators show at once, in nearly linear time and for any degree.

A group acts on *columns* when it permutes them as whole things; a column has one point of every non-trivial orbit, in
the order of the orbits.  The natural action is the case of a single orbit.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.groups.block_systems import minimal_blocks
from quorbit.groups.group import Group, moved_orbits
from quorbit.groups.moves import Moves, cycles_of_moves
from quorbit.groups.unionfind import UnionFind

Columns = tuple[tuple[int, ...], ...]
Orbits = tuple[tuple[int, ...], ...]


def columns_by_generators(group: Group) -> Columns | None:
    """The columns, sorted by first point, if the group is seen to be the symmetric group on them."""
    orbits = equal_orbits(group)
    if orbits is None:
        return None
    if len(orbits[0]) == 2:
        return columns_of_swap(group, orbits)
    return columns_by_swaps(group, orbits) or natural_columns(group, orbits)


def equal_orbits(group: Group) -> Orbits | None:
    """The non-trivial orbits, if there are any and they have the same length."""
    orbits = moved_orbits(group)
    return orbits if len({len(orbit) for orbit in orbits}) == 1 else None


def columns_of_swap(group: Group, orbits: Orbits) -> Columns | None:
    """Two columns: the one element exchanges the two points of every orbit, so any choice of columns serves; with the
    lesser points in the first, the columns stand in the same order in every orbit."""
    return tuple(zip(*orbits, strict=True)) if len(group.moves) == 1 else None


def natural_columns(group: Group, orbits: Orbits) -> Columns | None:
    """One orbit with a transposition among the generators: points whose transposition lies in the group form blocks, so
    if the least block around that one is the whole orbit, all transpositions do."""
    (orbit, *others) = orbits
    swap = next((m for m in group.moves if len(m) == 2), None)
    if others or swap is None or len(minimal_blocks(group, orbit, *swap[0])) > 1:
        return None
    return tuple((x,) for x in orbit)


def columns_by_swaps(group: Group, orbits: Orbits) -> Columns | None:
    """When generators that exchange two columns connect them all.

    The exchanges are the edges of a graph on every orbit; in a connected graph of three or more points, a point is
    known by its edges, so the points with the same edges make a column.
    """
    orbit_of = {x: k for k, orbit in enumerate(orbits) for x in orbit}
    swaps = [m for m in group.moves if is_column_swap(m, orbit_of, len(orbits))]
    edges: dict[int, list[int]] = {}
    for k, moves in enumerate(swaps):
        for x, _ in moves:
            edges.setdefault(x, []).append(k)
    rows = [{tuple(edges.get(x, ())): x for x in orbit} for orbit in orbits]
    if not all(row.keys() == rows[0].keys() and len(row) == len(orbits[0]) for row in rows):
        return None
    found = tuple(sorted(tuple(row[key] for row in rows) for key in rows[0]))
    column_of = {x: i for i, column in enumerate(found) for x in column}
    connected = are_connected(len(found), column_of, swaps)
    return found if connected and all(maps_columns(m, found, column_of) for m in group.moves) else None


def is_column_swap(moves: Moves, orbit_of: dict[int, int], rows: int) -> bool:
    """One exchange of two points in every orbit."""
    if len(moves) != 2 * rows:
        return False
    pairs = cycles_of_moves(moves)
    return all(len(c) == 2 for c in pairs) and len({orbit_of[c[0]] for c in pairs}) == rows


def are_connected(count: int, column_of: dict[int, int], swaps: Sequence[Moves]) -> bool:
    together = UnionFind(count)
    return sum(together.unite(column_of[m[0][0]], column_of[m[0][1]]) for m in swaps) == count - 1


def maps_columns(moves: Moves, found: Columns, column_of: dict[int, int]) -> bool:
    """Whether the permutation maps columns to columns."""
    image = dict(moves)
    touched = dict.fromkeys(column_of[x] for x in image)
    images = (tuple(image.get(x, x) for x in found[i]) for i in touched)
    return all(found[column_of[moved[0]]] == moved for moved in images)
