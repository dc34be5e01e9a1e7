"""Stabiliser chains: a base, and for every base point the transversal of its basic orbit.

Level i is about the subgroup that fixes the base points before i.  Short names: b a base point, x a point of its basic
orbit, g a permutation, rng a source of random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from math import factorial, prod
from random import Random

from quorbit.groups.bounds import simple_bound, structural_bound
from quorbit.groups.columns import columns_by_generators
from quorbit.groups.compact import TABLE, Compact, Domain, domain_of
from quorbit.groups.giants import giant_order
from quorbit.groups.group import Group, components, with_order
from quorbit.groups.moves import Moves
from quorbit.groups.permutation import Permutation, transpositions
from quorbit.groups.reach import check_room
from quorbit.groups.schreier_sims import build_levels
from quorbit.source.frozen import field, frozen_distinct

__all__ = [
    "Chain",
    "Level",
    "build_chain",
    "contains",
    "coset_transpositions",
    "elements",
    "order",
    "pointwise_stabiliser",
    "random_element",
]


@frozen_distinct
class Level:
    """One step of a chain: the base point, and what the subgroup fixing the earlier base points does with it."""

    point: int
    domain: Domain = field(repr=False)
    back: dict[int, Compact] = field(repr=False)  # x -> an element that maps x to the base point, in the domain's names
    strong: tuple[Compact, ...] = field(repr=False)

    @cached_property
    def orbit(self) -> tuple[int, ...]:
        return tuple(sorted(self.domain.points[x] for x in self.back))

    @cached_property
    def generators(self) -> tuple[Permutation, ...]:
        """Generators of the subgroup that fixes the earlier base points."""
        return tuple(map(self.domain.unpack, self.strong))

    @cached_property
    def transversal(self) -> dict[int, Permutation]:
        """For every x of the orbit an element that maps the base point to x."""
        unpack, invert, names = self.domain.unpack, self.domain.invert, self.domain.names
        return {x: unpack(invert(self.back[names[x]])) for x in self.orbit}


@frozen_distinct
class Chain:
    """A complete stabiliser chain; levels whose orbit is a single point are left out."""

    degree: int
    domain: Domain = field(repr=False)
    levels: tuple[Level, ...]

    @property
    def base(self) -> tuple[int, ...]:
        return tuple(level.point for level in self.levels)

    @cached_property
    def order(self) -> int:
        return prod(len(level.back) for level in self.levels)


def build_chain(group: Group, base: Sequence[int] = ()) -> Chain:
    """A chain of the group; its base takes the given points first, in their order, where the group moves them.

    Raises BeyondReach if the group is too large.
    """
    make = cached_chain if len(group.moved) <= TABLE else cached_large_chain
    return make(group.degree, group.moves, group.known_order, tuple(base))


def make_chain(degree: int, moves: tuple[Moves, ...], known_order: int | None, base: tuple[int, ...]) -> Chain:
    group = Group(degree, moves=moves, known_order=known_order)
    domain = domain_of(degree, group.moved)
    check_room(len(domain.points) * len(moves))
    generators = [domain.pack_moves(m) for m in group.moves]
    wanted = [domain.names[x] for x in base if x in domain.names]
    levels = build_levels(domain, generators, wanted, group.known_order, bounds_of(group))
    kept = [level for level in levels if len(level.orbit) > 1]
    frozen = [Level(domain.points[k.point], domain, k.back, tuple(dict.fromkeys(k.generators))) for k in kept]
    return Chain(degree, domain, tuple(frozen))


cached_chain = lru_cache(maxsize=16)(make_chain)
cached_large_chain = lru_cache(maxsize=2)(make_chain)  # one may take hundreds of megabytes


def bounds_of(group: Group) -> tuple[Callable[[], int], ...]:
    """Upper bounds on the order, to be asked for one after the other."""
    return partial(simple_bound, group), partial(structural_bound, group, order)


def order(group: Group) -> int:
    if group.known_order is not None:
        return group.known_order
    return prod(order_of_component(part) for part in components(group))


def order_of_component(group: Group) -> int:
    if len(group.moves) == 1:
        return simple_bound(group)
    if found := columns_by_generators(group):
        return factorial(len(found))
    return giant_order(group) or build_chain(group).order


def with_known_order(group: Group) -> Group:
    return with_order(group, order(group))


def contains(chain: Chain, g: Permutation) -> bool:
    packed = chain.domain.pack(g)
    return packed is not None and has_element(chain, packed)


def has_element(chain: Chain, p: Compact) -> bool:
    """Whether the chain's group has this element, given in the names of the chain's domain."""
    return sift(chain, p) == chain.domain.one


def sift(chain: Chain, p: Compact) -> Compact:
    """What is left of p after dividing by transversal elements as far as it goes."""
    multiply, names = chain.domain.multiply, chain.domain.names
    for level in chain.levels:
        t = level.back.get(p[names[level.point]])
        if t is None:
            return p
        p = multiply(p, t)
    return p


def random_element(chain: Chain, rng: Random) -> Permutation:
    """Every element with the same probability."""
    domain = chain.domain
    p = domain.one
    for level in chain.levels:
        p = domain.multiply(p, rng.choice(list(level.back.values())))
    return domain.unpack(p)


def elements(chain: Chain) -> Iterator[Permutation]:
    """Every element once, the identity first."""
    domain, choices = chain.domain, [tuple(level.back.values()) for level in chain.levels]
    if not choices:
        yield domain.unpack(domain.one)
        return
    open_choices = [(domain.one, iter(choices[0]))]  # a stack, since there may be more levels than Python recurses
    while open_choices:
        p, rest = open_choices[-1]
        t = next(rest, None)
        if t is None:
            open_choices.pop()
        elif len(open_choices) == len(choices):
            yield domain.unpack(domain.multiply(p, t))
        else:
            open_choices.append((domain.multiply(p, t), iter(choices[len(open_choices)])))


def coset_representatives(chain: Chain) -> tuple[tuple[Permutation, ...], ...]:
    """For every level, one element of each coset of the next level's subgroup, the identity first.

    Every element of the group is, in exactly one way, the product of one of the first level, then one of the second,
    and so on: what [DM09, Alg. 2] applies to a state, level after level.
    """
    return tuple(tuple(map(chain.domain.unpack, level.back.values())) for level in chain.levels)


def coset_transpositions(chain: Chain) -> tuple[tuple[tuple[tuple[int, int], ...], ...], ...]:
    """The coset representatives as lists of swaps. [DM09, section 4.2]"""
    return tuple(tuple(map(transpositions, level)) for level in coset_representatives(chain))


def group_at(chain: Chain, i: int) -> Group:
    """The subgroup that fixes the base points before level i."""
    levels = chain.levels[i:]
    moves = map(chain.domain.unpack_moves, levels[0].strong if levels else ())
    return Group(chain.degree, moves=moves, known_order=prod(len(level.back) for level in levels))


def pointwise_stabiliser(group: Group, points: Iterable[int]) -> Group:
    """The elements that fix each of the points."""
    fixed = dict.fromkeys(points)
    chain = build_chain(group, tuple(fixed))
    return group_at(chain, sum(level.point in fixed for level in chain.levels))


def stabiliser(group: Group, point: int) -> Group:
    return pointwise_stabiliser(group, (point,))


def is_subgroup(H: Group, G: Group) -> bool:
    """Whether every element of H is one of G."""
    chain = build_chain(G)
    return H.degree == G.degree and all(contains(chain, g) for g in H.generators)


def same_group(G: Group, H: Group) -> bool:
    return G.degree == H.degree and order(G) == order(H) and is_subgroup(G, H)
