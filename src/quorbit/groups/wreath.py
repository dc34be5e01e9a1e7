"""Wreath products: equal blocks, the same group H acting inside each independently, a group K permuting them.
[DM09, section 6], for transitive and intransitive groups alike.

The partition X_1, ..., X_d need not consist of blocks of one orbit: X_1 may take a block from every orbit.  For t_i in
G with t_i(X_1) = X_i, and L the stabiliser of X_1 with H its action there, any g that moves the blocks as k does has
t_i g t_k(i)^-1 in L for every i, so G lies in H wr K; equality is a matter of orders.  sigma(k), which moves X_i to
X_k(i) by t_i^-1 t_k(i), then lies in G and needs no search.  Blocks are listed as t_i lists X_1, so that sigma(k) keeps
the order inside blocks: without that, minimising blocks first and their order second is not canonical.
Short names: N the kernel of the action on blocks, n the degree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from quorbit.groups.block_systems import Blocks, action_on_blocks, block_systems, image_of_blocks, number_of_block
from quorbit.groups.blocks import extended_by_blocks, without_blocks
from quorbit.groups.chain import Chain, build_chain, group_at, order, with_known_order
from quorbit.groups.group import Group, moved_orbits, orbits, relabel, with_order
from quorbit.groups.moves import rename_moves
from quorbit.groups.permutation import Permutation, compose, identity, inverse
from quorbit.groups.products import factors


@dataclass(frozen=True)
class WreathDecomposition:
    """A group that is H wr K.  `inner` (H) acts on the positions in a block's listing, `outer` (K) on block numbers."""

    group: Group
    blocks: Blocks  # the order inside each is transported from the first
    inner: Group
    outer: Group
    free: tuple[tuple[int, ...], ...] = ()  # orbits outside the blocks; only K acts there

    @property
    def lifts(self) -> tuple[Permutation, ...]:
        """sigma(k) for each generator k of K."""
        return tuple(lift(self, k) for k in self.outer.generators)


def wreath_decomposition(group: Group) -> WreathDecomposition | None:
    """The first decomposition found, with the fewest blocks in the smallest orbit; None if there is none."""
    known = with_known_order(group)
    for orbit, blocks in candidate_systems(known):
        found = decompose_by(known, orbit, blocks)
        if found is not None:
            return found
    return None


def candidate_systems(group: Group) -> Iterator[tuple[tuple[int, ...], Blocks]]:
    """Block systems of single orbits; points as blocks count when other orbits may complete them."""
    found = sorted(moved_orbits(group), key=lambda orbit: (len(orbit), orbit))
    for orbit in found:
        for blocks in block_systems(group, orbit):
            yield orbit, blocks
        if len(found) > 1:
            yield orbit, tuple((x,) for x in orbit)


def decompose_by(group: Group, orbit: tuple[int, ...], blocks: Blocks) -> WreathDecomposition | None:
    """The decomposition whose blocks contain the given ones of this orbit, if there is one."""
    n, d = group.degree, len(blocks)
    chain = build_chain(extended_by_blocks(group, blocks), range(n, n + d))
    depth = sum(level.point >= n for level in chain.levels)
    if depth == len(chain.levels):
        return None  # nothing acts inside the blocks
    L, N = (without_blocks(group_at(chain, i), n) for i in (1, depth))
    parts = complete_block(group, orbit, blocks[0], L, N, d)
    if parts is None:
        return None
    first, free = parts
    H = with_known_order(relabel(L, first))
    if order(H) ** d != order(N):
        return None
    to = chain.levels[0].transversal
    listings = tuple(tuple(to[n + i][x] for x in first) for i in range(d))
    K = with_order(action_on_blocks(group, listings), order(group) // order(N))
    return WreathDecomposition(group, listings, H, K, free)


def complete_block(
    group: Group, orbit: tuple[int, ...], block: Sequence[int], L: Group, N: Group, d: int
) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]] | None:
    """The block with its share of every other orbit, and the orbits that stay free; None if one of these cannot.

    The share is an orbit of L, the block's stabiliser, of a d-th of the points; each such is a block with the same
    stabiliser.  Of several, take one that the kernel N ties to what is there already.  An orbit without a share stays
    free if N fixes all its points.
    """
    share_of = {x: share for share in orbits(L) for x in share}
    tied_to = {x: set(factor.moved) for factor in factors(N) for x in factor.moved}
    taken, free = set(block), []
    for other in moved_orbits(group):
        shares = [share for share in dict.fromkeys(map(share_of.__getitem__, other)) if len(share) * d == len(other)]
        tied = [share for share in shares if taken & tied_to.get(share[0], set())]
        if other == orbit:
            continue
        if shares:
            taken.update((tied or shares)[0])
        elif tied_to.keys().isdisjoint(other):
            free.append(other)
        else:
            return None
    return tuple(sorted(taken)), tuple(free)


def lift(wreath: WreathDecomposition, k: Permutation) -> Permutation:
    """sigma(k): moves the blocks as k does, each in the order of its listing, and free points as K moves them."""
    images = list(range(wreath.group.degree))
    for i, j in enumerate(k):
        for x, y in zip(wreath.blocks[i], wreath.blocks[j], strict=True):
            images[x] = y
    for x, y in free_images(wreath, k).items():
        images[x] = y
    return tuple(images)


def free_images(wreath: WreathDecomposition, k: Permutation) -> dict[int, int]:
    """How k acts on the free points: as any element of the group does that moves the blocks as k does."""
    d = len(wreath.blocks)
    points = [x for orbit in wreath.free for x in orbit]
    if not points:
        return {}
    chain = build_chain(action_on_blocks_and(wreath, points), range(d))
    g = element_moving(chain, k)
    return {x: points[g[d + i] - d] for i, x in enumerate(points)}


def action_on_blocks_and(wreath: WreathDecomposition, points: Sequence[int]) -> Group:
    """The group's action on block numbers and, numbered after them, on some points."""
    number = number_of_block(wreath.blocks)
    d = len(wreath.blocks)
    names = {x: d + i for i, x in enumerate(points)}
    moves = [
        image_of_blocks(m, wreath.blocks, number) + rename_moves(tuple(pair for pair in m if pair[0] in names), names)
        for m in wreath.group.moves
    ]
    return Group(d + len(points), moves=moves, known_order=wreath.outer.known_order)


def element_moving(chain: Chain, k: Permutation) -> Permutation:
    """The element of the chain's group that agrees with k on 0..len(k)-1, which contains the chain's base."""
    rest, g = k, identity(chain.degree)
    for level in chain.levels:
        u = level.transversal[rest[level.point]]
        back = inverse(u)
        rest = tuple(back[x] for x in rest)
        g = compose(u, g)
    return g
