"""What a group is made of: the tree of products, wreath products and named groups. [DM09, section 7]

Every node carries its group.  In a Wreath, `inner` is about positions in a block's listing and `outer` about block
numbers; everywhere else points are those of the whole group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from math import factorial, log10, prod

from quorbit.groups.chain import order
from quorbit.groups.columns import Columns, columns_by_generators
from quorbit.groups.group import Group, components, place, relabel, with_order
from quorbit.groups.moves import Moves
from quorbit.groups.permutation import Permutation
from quorbit.groups.products import factors_of_component
from quorbit.groups.reach import BeyondReach
from quorbit.groups.recognise import alternating_columns, as_cyclic, as_dihedral, as_dihedral_by_generators, columns
from quorbit.groups.wreath import WreathDecomposition, wreath_decomposition
from quorbit.source.frozen import frozen, replace

__all__ = [
    "Product",
    "Structure",
    "Symmetric",
    "Trivial",
    "Wreath",
    "decimal_length",
    "describe",
    "structure",
    "structure_order",
]

LARGEST_WREATH_DIHEDRAL = 8  # the group of the square is S2 wr S2; larger dihedral groups are not wreath products
EXACT_BELOW = 10**30  # larger orders are described by their magnitude
MOST_WRITTEN = 9  # so many equal factors are written one by one, more as a power


@frozen
class Trivial:
    group: Group


@frozen
class Symmetric:
    """All permutations of the columns."""

    group: Group
    columns: Columns


@frozen
class Alternating:
    """All even permutations of the columns."""

    group: Group
    columns: Columns


@frozen
class Cyclic:
    """The powers of one rotation, the group's only generator."""

    group: Group

    @property
    def rotation(self) -> Permutation:
        return self.group.generators[0]


@frozen
class Dihedral:
    """The products of a rotation and a reflection, the group's two generators in this order."""

    group: Group

    @property
    def rotation(self) -> Permutation:
        return self.group.generators[0]

    @property
    def reflection(self) -> Permutation:
        return self.group.generators[1]


@frozen
class Product:
    """The finest disjoint product, factors by least point."""

    group: Group
    parts: tuple[Structure, ...]


@frozen
class Wreath:
    group: Group
    decomposition: WreathDecomposition
    inner: Structure
    outer: Structure


@frozen
class Unclassified:
    """None of the above; the group's order is known unless it was beyond reach."""

    group: Group


Structure = Trivial | Symmetric | Alternating | Cyclic | Dihedral | Product | Wreath | Unclassified


def structure(group: Group) -> Structure:
    """The group's structure: symmetric groups first, then products, then wreath products, then other names."""
    parts = tuple(part for component in components(group) for part in structures_of_component(component))
    match parts:
        case ():
            return Trivial(group)
        case (part,):
            return part
        case _:
            return Product(group, parts)


def structures_of_component(group: Group) -> tuple[Structure, ...]:
    """The structures of the finest factors of a group whose generators hang together; found on its moved points alone,
    since it may be one of many alike in a group of high degree."""
    small = relabel(group, group.moved)
    parts = structures_of_small(small.degree, small.moves, small.known_order)
    return tuple(place_structure(part, group.moved, group.degree) for part in parts)


@lru_cache(maxsize=64)
def structures_of_small(degree: int, moves: tuple[Moves, ...], known_order: int | None) -> tuple[Structure, ...]:
    group = Group(degree, moves=moves, known_order=known_order)
    if found := columns_by_generators(group):
        return (symmetric_on(group, found),)
    if (dihedral := as_dihedral_by_generators(group)) and order(dihedral) > LARGEST_WREATH_DIHEDRAL:
        return (Dihedral(dihedral),)
    try:
        return tuple(map(structure_of_factor, factors_of_component(group)))
    except BeyondReach:
        return (Unclassified(group),)


def structure_of_factor(group: Group) -> Structure:
    """Requires that the group is not a disjoint product."""
    if found := columns(group):
        return symmetric_on(group, found)
    if cyclic := as_cyclic(group):
        return Cyclic(cyclic)
    if found := alternating_columns(group):
        return Alternating(group, found)
    try:
        if wreath := wreath_decomposition(group):
            return Wreath(group, wreath, structure(wreath.inner), structure(wreath.outer))
    except BeyondReach:
        return Unclassified(group)
    if dihedral := as_dihedral(group):
        return Dihedral(dihedral)
    return Unclassified(group)


def place_structure(node: Structure, points: Sequence[int], degree: int) -> Structure:
    """The same structure with point i renamed points[i], in a group of the given degree."""
    group = place(node.group, points, degree)
    match node:
        case Symmetric(_, found):
            return Symmetric(group, rename_all(found, points))
        case Alternating(_, found):
            return Alternating(group, rename_all(found, points))
        case Product(_, parts):
            return Product(group, tuple(place_structure(part, points, degree) for part in parts))
        case Wreath(_, wreath, inner, outer):
            blocks, free = rename_all(wreath.blocks, points), rename_all(wreath.free, points)
            return Wreath(group, replace(wreath, group=group, blocks=blocks, free=free), inner, outer)
        case _:
            return replace(node, group=group)


def rename_all(tuples: tuple[tuple[int, ...], ...], points: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(points[x] for x in t) for t in tuples)


def symmetric_on(group: Group, found: Columns) -> Symmetric:
    return Symmetric(with_order(group, factorial(len(found))), found)


def structure_order(node: Structure) -> int | None:
    """The order of the node's group; None if it was beyond reach."""
    match node:
        case Product(_, parts):
            orders = [structure_order(part) for part in parts]
            return None if None in orders else prod(n for n in orders if n is not None)
        case _:
            return node.group.known_order


def describe(node: Structure) -> str:
    """A readable name, such as "S3 wr S3 x S2", "C20" or "order 48, degree 8"; the largest factors come first."""
    match node:
        case Trivial():
            return "trivial"
        case Symmetric(_, found):
            return f"S{len(found)}"
        case Alternating(_, found):
            return f"A{len(found)}"
        case Cyclic(group):
            return f"C{group.known_order}"
        case Dihedral(group):
            return f"D{(group.known_order or 0) // 2}"
        case Product(_, parts):
            return " x ".join(write_powers(in_brackets(part, (Unclassified,)) for part in largest_first(parts)))
        case Wreath(_, _, inner, outer):
            # The wreath product is associative, so nested ones need no brackets.
            return " wr ".join(in_brackets(part, (Unclassified, Product)) for part in (inner, outer))
        case Unclassified(group):
            return f"{describe_order(group.known_order)}, degree {len(group.moved)}"


def describe_order(order: int | None) -> str:
    if order is None:
        return "unknown order"
    return f"order {order}" if order < EXACT_BELOW else f"order about 10^{decimal_length(order) - 1}"


def decimal_length(n: int) -> int:
    """The number of decimal digits, without writing them all (Python refuses to write very long ones)."""
    least = int((n.bit_length() - 1) * log10(2))
    limit: int = 10 ** (least + 1)
    return least + 2 if n >= limit else least + 1


def in_brackets(node: Structure, kinds: tuple[type, ...]) -> str:
    return f"({describe(node)})" if isinstance(node, kinds) else describe(node)


def largest_first(parts: tuple[Structure, ...]) -> list[Structure]:
    return sorted(parts, key=lambda part: (-(structure_order(part) or 0), -len(part.group.moved), part.group.moved))


def write_powers(names: Iterable[str]) -> Iterator[str]:
    for name, run in groupby(names):
        count = sum(1 for _ in run)
        if count > MOST_WRITTEN:
            yield f"({name})^{count}" if " " in name else f"{name}^{count}"
        else:
            yield from [name] * count
