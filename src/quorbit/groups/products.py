"""The finest disjoint product: factors on disjoint sets of points that together are the group. [DM09, section 5]

Every function returns the factors as groups of the full degree, by least moved point; the trivial group has none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from math import prod

from quorbit.groups.chain import Chain, build_chain, contains, order, pointwise_stabiliser, with_known_order
from quorbit.groups.compact import Compact
from quorbit.groups.group import Group, components, moved_orbits, place, relabel, restrict, split, with_order
from quorbit.groups.moves import Moves
from quorbit.groups.numbers import prime_powers
from quorbit.groups.unionfind import UnionFind

Orbit = tuple[int, ...]


def factors_by_generators(group: Group) -> tuple[Group, ...]:
    """Classes of generators that share moved points: quick, but not always finest. [DM09, section 5.1]"""
    return components(group)


def factors(group: Group) -> tuple[Group, ...]:
    """The finest disjoint product, in polynomial time; the orders of the factors become known."""
    return tuple(factor for part in components(group) for factor in factors_of_component(part))


def factors_of_component(group: Group) -> tuple[Group, ...]:
    """The finest factors of a group whose generators hang together; found on its moved points alone, since it may be
    one of many alike in a group of high degree."""
    small = relabel(group, group.moved)
    parts = factors_of_small(small.degree, small.moves, small.known_order)
    return tuple(place(part, group.moved, group.degree) for part in parts)


@lru_cache(maxsize=64)
def factors_of_small(degree: int, moves: tuple[Moves, ...], known_order: int | None) -> tuple[Group, ...]:
    """After Chang and Jefferson: strong generators for a base that runs through the orbits, one orbit after the other,
    are divided by what later orbits can undo.  Each then lies in one factor of every decomposition, so the orbits it
    still moves belong together, and no others do."""
    group = Group(degree, moves=moves, known_order=known_order)
    found = moved_orbits(group)
    if len(found) < 2:
        return (with_known_order(group),)
    if len(group.moves) == 1:
        return factors_of_powers(group, found)
    chain = build_chain(group, [x for orbit in found for x in orbit])
    orbit_of = {x: k for k, orbit in enumerate(found) for x in orbit}
    together = UnionFind(len(found))
    for p in chain.levels[0].strong:
        moved = moved_numbers(chain, divide_by_later_orbits(chain, p, orbit_of), orbit_of)
        for k in moved:
            together.unite(moved[0], k)
    return with_orders_of_levels(group, chain, [tuple(found[k] for k in c) for c in together.classes()])


def factors_of_powers(group: Group, found: Sequence[Orbit]) -> tuple[Group, ...]:
    """The powers of one element split exactly where the lengths of its cycles have no common divisor."""
    together = UnionFind(len(found))
    first_with: dict[int, int] = {}
    for k, orbit in enumerate(found):
        for p, _ in prime_powers(len(orbit)):
            together.unite(k, first_with.setdefault(p, k))
    parts = split(group, [tuple(x for k in c for x in found[k]) for c in together.classes()])
    return tuple(map(with_known_order, parts))


def divide_by_later_orbits(chain: Chain, p: Compact, orbit_of: dict[int, int]) -> Compact:
    """p times elements of later levels, so that it fixes what it can of the orbits after the first one it moves."""
    names, multiply = chain.domain.names, chain.domain.multiply
    bases = [(orbit_of[level.point], names[level.point], level.back) for level in chain.levels]
    first = next(k for k, b, _ in bases if p[b] != b)
    for k, b, back in bases:
        # A level whose orbit does not contain the image is passed over, not the end of the division.
        if k > first and p[b] != b and p[b] in back:
            p = multiply(p, back[p[b]])
    return p


def moved_numbers(chain: Chain, p: Compact, orbit_of: dict[int, int]) -> list[int]:
    return sorted({orbit_of[x] for i, x in enumerate(chain.domain.points) if p[i] != i})


def with_orders_of_levels(group: Group, chain: Chain, classes: Sequence[Sequence[Orbit]]) -> tuple[Group, ...]:
    """Each factor's order is the product of the basic orbits that lie in it."""
    parts = [tuple(x for orbit in c for x in orbit) for c in classes]
    lengths = {level.point: len(level.back) for level in chain.levels}
    orders = [prod(lengths.get(x, 1) for x in part) for part in parts]
    return tuple(with_order(part, n) for part, n in zip(split(group, parts), orders, strict=True))


def factors_of_graph_group(group: Group, arcs: Iterable[tuple[int, ...]]) -> tuple[Group, ...]:
    """The finest disjoint product in linear time, for the group of *all* automorphisms of a coloured digraph.

    An arc is (source, target) or (source, target, label).  Orbits that can be moved independently are joined by all
    arcs of a label or by none; conversely, such orbits are independent. (Anders, Schweitzer, Soos, SAT 2023)
    """
    found = moved_orbits(group)
    orbit_of = {x: k for k, orbit in enumerate(found) for x in orbit}
    together = UnionFind(len(found))
    count = Counter(
        (orbit_of[a], orbit_of[b], *label) for a, b, *label in dict.fromkeys(arcs) if a in orbit_of and b in orbit_of
    )
    for (i, j, *_), number in count.items():
        if number != len(found[i]) * len(found[j]):
            together.unite(i, j)
    return split(group, [tuple(x for k in c for x in found[k]) for c in together.classes()])


def factors_by_partition(group: Group) -> tuple[Group, ...]:
    """By trying partitions of the dependency classes: exponential, and plainly right. [DM09, Algorithm 5]"""
    if group.is_trivial:
        return ()
    return tuple(sorted(decompose(group, dependency_classes(group)), key=lambda factor: factor.moved))


def decompose(group: Group, classes: Sequence[Orbit]) -> tuple[Group, ...]:
    """Classes are sets of points here; the first one always goes to the left part."""
    for size in range(len(classes) - 1):
        for chosen in combinations(classes[1:], size):
            left = [classes[0], *chosen]
            right = [c for c in classes if c not in left]
            parts = [restrict(group, [x for c in side for x in c]) for side in (left, right)]
            if all(is_contained(part, group) for part in parts):
                return decompose(parts[0], left) + decompose(parts[1], right)
    return (group,)


def is_contained(part: Group, group: Group) -> bool:
    chain = build_chain(group)
    return all(contains(chain, g) for g in part.generators)


def dependency_classes(group: Group) -> tuple[Orbit, ...]:
    """Unions of orbits that depend on each other, directly or by a chain of others. [DM09, Definition 15]"""
    found = moved_orbits(group)
    together = UnionFind(len(found))
    for j, fixed in enumerate(found):
        rest = pointwise_stabiliser(group, fixed)
        for i in range(j):
            if order(restrict(rest, found[i])) < order(restrict(group, found[i])):
                together.unite(i, j)
    return tuple(tuple(sorted(x for k in c for x in found[k])) for c in together.classes())
