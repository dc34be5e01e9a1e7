"""Groups with a name: symmetric and alternating groups acting on columns, cyclic and dihedral groups.

A group acts on *columns* when it permutes them as whole things; a column has one point of every orbit, in the order of
the orbits.  Natural actions are the case of a single orbit.  Short name: r a rotation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import factorial, lcm

from quorbit.groups.blocks import minimal_blocks
from quorbit.groups.chain import build_chain, elements, order, stabiliser
from quorbit.groups.group import Group, moved_orbits
from quorbit.groups.moves import Moves, cycles_of_moves
from quorbit.groups.numbers import prime_powers
from quorbit.groups.permutation import Permutation, compose, cycles, identity, inverse

Columns = tuple[tuple[int, ...], ...]
Orbits = tuple[tuple[int, ...], ...]


def columns(group: Group) -> Columns | None:
    """The columns if the group is the symmetric group on them ([DM09, Theorem 6]), sorted by their first point."""
    if found := columns_by_generators(group):
        return found
    orbits = equal_orbits(group)
    return columns_by_order(group, orbits, factorial(len(orbits[0]))) if orbits and len(orbits[0]) > 2 else None


def columns_by_generators(group: Group) -> Columns | None:
    """The same, in nearly linear time, if the generators happen to show it."""
    orbits = equal_orbits(group)
    if orbits is None:
        return None
    if len(orbits[0]) == 2:
        return columns_of_swap(group, orbits)
    return natural_columns(group, orbits) or columns_by_swaps(group, orbits)


def alternating_columns(group: Group) -> Columns | None:
    """The columns if the group is the alternating group on four or more of them."""
    orbits = equal_orbits(group)
    if orbits is None or len(orbits[0]) < 4:
        return None
    return columns_by_order(group, orbits, factorial(len(orbits[0])) // 2)


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
    """In linear time, when generators that exchange two columns connect them all.

    The exchanges are the edges of a graph on every orbit; in a connected graph of three or more points, a point is
    known by its edges, so the points with the same edges make a column.
    """
    swaps = [m for m in group.moves if is_column_swap(m, orbits)]
    edges: dict[int, list[int]] = {}
    for k, moves in enumerate(swaps):
        for x, _ in moves:
            edges.setdefault(x, []).append(k)
    rows = [{tuple(edges.get(x, ())): x for x in orbit} for orbit in orbits]
    if not all(row.keys() == rows[0].keys() and len(row) == len(orbits[0]) for row in rows):
        return None
    found = tuple(sorted(tuple(row[key] for row in rows) for key in rows[0]))
    return found if are_connected(found, swaps) and are_permuted(found, group) else None


def is_column_swap(moves: Moves, orbits: Orbits) -> bool:
    """One exchange of two points in every orbit."""
    if len(moves) != 2 * len(orbits) or any(len(c) != 2 for c in cycles_of_moves(moves)):
        return False
    moved = {x for x, _ in moves}
    return all(len(moved.intersection(orbit)) == 2 for orbit in orbits)


def are_connected(found: Columns, swaps: Sequence[Moves]) -> bool:
    first = Group(max(c[0] for c in found) + 1, moves=[first_row(m, found) for m in swaps])
    return len(moved_orbits(first)) == 1 and len(first.moved) == len(found)


def first_row(moves: Moves, found: Columns) -> Moves:
    inside = {c[0] for c in found}
    return tuple(pair for pair in moves if pair[0] in inside)


def are_permuted(found: Columns, group: Group) -> bool:
    """Whether every generator maps columns to columns."""
    column_at = {c[0]: c for c in found}
    for moves in group.moves:
        image = dict(moves)
        for c in found:
            if tuple(image.get(x, x) for x in c) != column_at.get(image.get(c[0], c[0])):
                return False
    return True


def columns_by_order(group: Group, orbits: Orbits, expected: int) -> Columns | None:
    """By the stabiliser of a point, which must fix one point in every orbit: then all orbits are alike and carry the
    action on columns faithfully, and the order tells which group it is.  S6 on two orbits that an outer automorphism
    relates has the right order, but its stabilisers fix nothing in the other orbit."""
    if order(group) != expected:
        return None
    known = Group(group.degree, moves=group.moves, known_order=expected)
    moved = set(stabiliser(known, orbits[0][0]).moved)
    fixed = [[x for x in orbit if x not in moved] for orbit in orbits]
    if any(len(points) != 1 for points in fixed):
        return None
    first = tuple(points[0] for points in fixed)
    to = build_chain(known, orbits[0][:1]).levels[0].transversal
    return tuple(tuple(to[x][y] for y in first) for x in orbits[0])


def cyclic_generator(group: Group) -> Permutation | None:
    """One element that generates the group, if there is one."""
    if len(group.moves) == 1:
        return group.generators[0]
    generators = group.generators
    if not generators or any(compose(g, h) != compose(h, g) for g in generators for h in generators):
        return None
    if lcm(*map(element_order, generators)) != order(group):
        return None
    r = identity(group.degree)
    for _, q in prime_powers(order(group)):
        g = next(g for g in generators if element_order(g) % q == 0)
        r = compose(r, power(g, element_order(g) // q))
    return r


def dihedral_generators(group: Group) -> tuple[Permutation, Permutation] | None:
    """A rotation of order three or more and a reflection that generate the group, if it is dihedral."""
    size = order(group)
    if size % 2 or size < 6 or size > max(1000, 4 * len(group.moved)):
        return None
    r = next((g for g in islice(elements(build_chain(group)), size) if element_order(g) == size // 2), None)
    if r is None:
        return None
    rotations = {power(r, k) for k in range(size // 2)}
    mirror = next((g for g in group.generators if g not in rotations), None)
    if mirror is None or element_order(mirror) != 2 or compose(compose(mirror, r), mirror) != inverse(r):
        return None
    return r, mirror


def element_order(g: Permutation) -> int:
    return lcm(*map(len, cycles(g)))


def power(g: Permutation, k: int) -> Permutation:
    result = identity(len(g))
    while k:
        if k & 1:
            result = compose(result, g)
        g, k = compose(g, g), k >> 1
    return result
