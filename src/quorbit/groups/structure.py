"""What a group is made of: the tree of products, wreath products and named groups. [DM09, section 7]

Every node carries its group.  In a Wreath, `inner` is about positions in a block's listing and `outer` about block
numbers; everywhere else points are those of the whole group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from math import factorial, log10, prod

from quorbit.groups.group import Group, components, with_order
from quorbit.groups.permutation import Permutation
from quorbit.groups.products import factors_of_component
from quorbit.groups.reach import BeyondReach
from quorbit.groups.recognise import (
    Columns,
    alternating_columns,
    columns,
    columns_by_generators,
    cyclic_generator,
    dihedral_generators,
    element_order,
)
from quorbit.groups.wreath import WreathDecomposition, wreath_decomposition

MOST_WRITTEN = 9  # so many equal factors are written one by one, more as a power


@dataclass(frozen=True)
class Trivial:
    group: Group


@dataclass(frozen=True)
class Symmetric:
    """All permutations of the columns."""

    group: Group
    columns: Columns


@dataclass(frozen=True)
class Alternating:
    """All even permutations of the columns."""

    group: Group
    columns: Columns


@dataclass(frozen=True)
class Cyclic:
    """The powers of one rotation."""

    group: Group
    rotation: Permutation


@dataclass(frozen=True)
class Dihedral:
    """The products of a rotation and a reflection."""

    group: Group
    rotation: Permutation
    reflection: Permutation


@dataclass(frozen=True)
class Product:
    """The finest disjoint product, factors by least point."""

    group: Group
    parts: tuple[Structure, ...]


@dataclass(frozen=True)
class Wreath:
    group: Group
    decomposition: WreathDecomposition
    inner: Structure
    outer: Structure


@dataclass(frozen=True)
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
    """The structures of the finest factors of a group whose generators hang together."""
    if found := columns_by_generators(group):
        return (symmetric_on(group, found),)
    try:
        return tuple(map(structure_of_factor, factors_of_component(group)))
    except BeyondReach:
        return (Unclassified(group),)


def structure_of_factor(group: Group) -> Structure:
    """Requires that the group is no disjoint product."""
    if found := columns(group):
        return symmetric_on(group, found)
    if (rotation := cyclic_generator(group)) is not None:
        return Cyclic(group, rotation)
    if (decomposition := wreath_decomposition(group)) is not None:
        return Wreath(group, decomposition, structure(decomposition.inner), structure(decomposition.outer))
    if (pair := dihedral_generators(group)) is not None:
        return Dihedral(group, *pair)
    if found := alternating_columns(group):
        return Alternating(group, found)
    return Unclassified(group)


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
        case Cyclic(_, rotation):
            return f"C{element_order(rotation)}"
        case Dihedral(_, rotation, _):
            return f"D{element_order(rotation)}"
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
    return f"order {order}" if order < 10**15 else f"order about 10^{decimal_length(order) - 1}"


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
