"""Random groups and the groups of [DM09] for the tests, and slow definitions to compare with."""

from __future__ import annotations

from itertools import combinations
from math import prod
from random import Random

from quorbit.groups.group import Group, alternating, cyclic, direct_product, moved_orbits, restrict, symmetric
from quorbit.groups.parse import parse_generators
from quorbit.groups.permutation import Permutation, compose, from_cycles, identity, inverse
from quorbit.source.span import Source

THREE_TIERED = "(1 2),(2 3),(4 5),(5 6),(7 8),(8 9),(10 11),(12 13)(1 4)(2 5)(3 6),(13 14)(4 7)(5 8)(6 9)"
SECTION_5_2_2 = (
    "(1 2 3)(4 5 6)(7 8 9)(10 11 12)(14 15)(17 18)(20 21),(2 3)(5 6)(8 9)(11 12)(13 14 15)(16 17 18)(19 20 21)"
)
SECTION_4_3 = "(1 2)(5 6)(9 10)(13 14),(1 2 4 8)(3 6 12 9)(5 10)(7 14 13 11)"


def group_of(text: str, degree: int | None = None) -> Group:
    return parse_generators(Source("generators", text), degree)


def chained_swaps(n: int) -> Group:
    """G_n of [DM09, section 5.2.2]."""
    return group_of(",".join(f"({2 * i - 1} {2 * i})({2 * i + 1} {2 * i + 2})" for i in range(1, n // 2)))


def forgetting_order(group: Group) -> Group:
    return Group(group.degree, group.generators)


def random_permutation(rng: Random, n: int) -> Permutation:
    images = list(range(n))
    rng.shuffle(images)
    return tuple(images)


def conjugate(group: Group, h: Permutation) -> Group:
    """The same group with point x renamed h[x]."""
    return Group(group.degree, [compose(compose(inverse(h), g), h) for g in group.generators])


def scrambled(group: Group, rng: Random) -> Group:
    """The same group up to the names of points, given by generators that hide its factors."""
    generators = list(group.generators)
    for _ in range(40 if len(generators) > 1 else 0):
        i, j = rng.sample(range(len(generators)), 2)
        generators[i] = compose(generators[i], generators[j])
    return conjugate(Group(group.degree, generators), random_permutation(rng, group.degree))


def diagonal(group: Group, copies: int) -> Group:
    """The group acting on several copies of its points at once."""
    n = group.degree
    return Group(n * copies, [tuple(x + k * n for k in range(copies) for x in g) for g in group.generators])


def random_piece(rng: Random) -> Group:
    m = rng.randint(2, 4)
    match rng.randrange(6):
        case 0:
            return symmetric(m)
        case 1:
            return cyclic(m)
        case 2:
            return diagonal(symmetric(m), rng.randint(2, 3))
        case 3:
            return group_of("(1 2)(3 4),(3 4)(5 6)")
        case 4:
            return Group(m + 2, [from_cycles(m + 2, (0, 1), (m, m + 1)), from_cycles(m + 2, range(m))])
        case _:
            return alternating(4)


def random_product(rng: Random, largest: int = 3000) -> Group:
    """Up to four pieces, so few that all elements can be listed."""
    pieces: list[Group] = []
    for piece in (random_piece(rng) for _ in range(rng.randint(1, 4))):
        if prod(len(closure(p)) for p in (*pieces, piece)) <= largest:
            pieces.append(piece)
    return scrambled(direct_product(*pieces), rng)


def closure(group: Group) -> set[Permutation]:
    """All elements, by plain multiplication."""
    found = {identity(group.degree)}
    todo = list(found)
    for g in todo:
        for h in group.generators:
            product = compose(g, h)
            if product not in found:
                found.add(product)
                todo.append(product)
    return found


def finest_parts(group: Group) -> list[tuple[int, ...]]:
    """The moved points of the finest disjoint factors by their definition: |G| is the product of the parts' orders."""
    elements = closure(group)

    def size(orbits: tuple[tuple[int, ...], ...]) -> int:
        points = sorted(x for orbit in orbits for x in orbit)
        return len({tuple(g[x] for x in points) for g in elements})

    def halve(orbits: tuple[tuple[int, ...], ...]) -> list[tuple[int, ...]]:
        for count in range(1, len(orbits) // 2 + 1):
            for chosen in combinations(orbits, count):
                rest = tuple(orbit for orbit in orbits if orbit not in chosen)
                if size(chosen) * size(rest) == size(orbits):
                    return halve(chosen) + halve(rest)
        return [tuple(sorted(x for orbit in orbits for x in orbit))]

    return sorted(halve(moved_orbits(group))) if group.moves else []


def equal_partitions(points: tuple[int, ...], size: int) -> list[tuple[tuple[int, ...], ...]]:
    """All partitions of the points into blocks of one size."""
    if not points:
        return [()]
    first, *rest = points
    return [
        ((first, *others), *tail)
        for others in combinations(rest, size - 1)
        for tail in equal_partitions(tuple(x for x in rest if x not in others), size)
    ]


def is_wreath_on(elements: set[Permutation], blocks: tuple[tuple[int, ...], ...]) -> bool:
    """Whether the group permutes the blocks transitively and is all of the wreath product. [DM09, Theorem 10]"""
    number = {frozenset(block): i for i, block in enumerate(blocks)}
    images = [[number.get(frozenset(g[x] for x in block)) for block in blocks] for g in elements]
    if any(None in image for image in images) or {image[0] for image in images} != set(range(len(blocks))):
        return False
    inner = {tuple(g[x] for x in blocks[0]) for g, image in zip(elements, images, strict=True) if image[0] == 0}
    return len(inner) > 1 and len(elements) == len(inner) ** len(blocks) * len(set(map(tuple, images)))


def has_wreath_partition(group: Group) -> bool:
    """Whether some partition of all moved points shows the group as a wreath product, by trying all."""
    elements, n = closure(group), len(group.moved)
    sizes = [m for m in range(2, n) if n % m == 0]
    return any(is_wreath_on(elements, blocks) for m in sizes for blocks in equal_partitions(group.moved, m))


def order_product(factors: tuple[Group, ...]) -> int:
    return prod(factor.known_order or 0 for factor in factors)


def restricted_orders(group: Group, parts: list[tuple[int, ...]]) -> list[int]:
    return [len(closure(restrict(group, part))) for part in parts]
