"""Wreath products: equal blocks, the same group H acting inside each independently, a group K permuting them.
[DM09, section 6], for transitive and intransitive groups alike.

The partition X_1, ..., X_d need not consist of blocks of one orbit: X_1 may take a block from every orbit.  For t_i in
G with t_i(X_1) = X_i, and L the stabiliser of X_1 with H its action there, any g that moves the blocks as k does has
t_i g t_k(i)^-1 in L for every i, so G lies in H wr K; equality is a matter of orders.  sigma(k), which moves X_i to
X_k(i) by t_i^-1 t_k(i), then lies in G and needs no search.  Blocks are listed as t_i lists X_1, so that sigma(k) keeps
the order inside blocks: without that, minimising blocks first and their order second is not canonical.
Short name: d the number of blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quorbit.groups.block_systems import (
    Blocks,
    Transport,
    action_on_blocks,
    block_systems,
    image_of_blocks,
    minimal_block_systems,
    number_of_block,
    transport_blocks,
)
from quorbit.groups.blocks import kernel
from quorbit.groups.chain import Chain, build_chain, order, with_known_order
from quorbit.groups.group import Group, moved_orbits, orbits, relabel
from quorbit.groups.moves import rename_moves
from quorbit.groups.permutation import Permutation, compose, identity, inverse
from quorbit.groups.products import factors
from quorbit.source.frozen import frozen

__all__ = ["WreathDecomposition"]


@frozen
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
    """The first decomposition found, looking at small orbits and minimal blocks first; None if there is none."""
    known = with_known_order(group)
    if any(len(orbit) == known.known_order for orbit in moved_orbits(known)):
        return None  # in a wreath product every point is fixed by what acts inside another block
    for orbit, blocks in candidate_systems(known):
        found = decompose_by(known, orbit, blocks)
        if found is not None:
            return found
    return None


def candidate_systems(group: Group) -> Iterator[tuple[tuple[int, ...], Blocks]]:
    """Block systems of single orbits; points as blocks count when other orbits may complete them."""
    found = sorted(moved_orbits(group), key=lambda orbit: (len(orbit), orbit))
    for orbit in found:
        minimal = minimal_block_systems(group, orbit)
        for blocks in minimal:
            yield orbit, blocks
        if len(found) > 1:
            yield orbit, tuple((x,) for x in orbit)
        # Joins are looked for only when the minimal systems did not do.
        for blocks in block_systems(group, orbit) if len(minimal) > 1 else ():
            if blocks not in minimal:
                yield orbit, blocks


def decompose_by(group: Group, orbit: tuple[int, ...], blocks: Blocks) -> WreathDecomposition | None:
    """The decomposition whose blocks contain the given ones of this orbit, if there is one."""
    d = len(blocks)
    transport = transport_blocks(group, blocks)
    L = Group(group.degree, moves=map(transport.domain.unpack_moves, transport.stabilising))
    K = with_known_order(action_on_blocks(group, blocks))
    first = complete_block(group, orbit, blocks, L)
    H = with_known_order(relabel(L, first))
    if H.is_trivial or order(H) ** d * order(K) != order(group):
        return None
    listings = tuple(tuple(carry(transport, i, x) for x in first) for i in range(d))
    inside = number_of_block(listings)
    free = tuple(other for other in moved_orbits(group) if other[0] not in inside)
    found = WreathDecomposition(group, listings, H, K, free)
    return found if has_free_orbits_of_K(found) else None


def carry(transport: Transport, i: int, x: int) -> int:
    """Where t_i maps the point x."""
    domain = transport.domain
    return domain.points[transport.to[i][domain.names[x]]]


def complete_block(group: Group, orbit: tuple[int, ...], blocks: Blocks, L: Group) -> tuple[int, ...]:
    """The first block with its share of every other orbit that has one.

    The share is an orbit of L, the block's stabiliser, of a d-th of the points; each such is a block with the same
    stabiliser.  Of several, take one that the kernel of the action on blocks ties to what is there already.
    """
    share_of = {x: share for share in orbits(L) for x in share}
    taken = set(blocks[0])
    for other in moved_orbits(group):
        shares = [s for s in dict.fromkeys(map(share_of.__getitem__, other)) if len(s) * len(blocks) == len(other)]
        if shares and other != orbit:
            taken.update(shares[0] if len(shares) == 1 else tied_share(group, blocks, shares, taken))
    return tuple(sorted(taken))


def tied_share(group: Group, blocks: Blocks, shares: list[tuple[int, ...]], taken: set[int]) -> tuple[int, ...]:
    """Requires shares.  Those that a factor of the kernel moves together with points already taken come first."""
    tied_to = {x: factor.moved for factor in factors(kernel(group, blocks)) for x in factor.moved}
    return next((share for share in shares if not taken.isdisjoint(tied_to.get(share[0], ()))), shares[0])


def has_free_orbits_of_K(found: WreathDecomposition) -> bool:
    """Whether what fixes all blocks fixes the free points too."""
    points = [x for orbit in found.free for x in orbit]
    return not points or order(action_on_blocks_and(found, points, None)) == order(found.outer)


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
    chain = build_chain(action_on_blocks_and(wreath, points, wreath.outer.known_order), range(d))
    g = element_moving(chain, k)
    return {x: points[g[d + i] - d] for i, x in enumerate(points)}


def action_on_blocks_and(wreath: WreathDecomposition, points: Sequence[int], known_order: int | None) -> Group:
    """The group's action on block numbers and, numbered after them, on some points."""
    number = number_of_block(wreath.blocks)
    d = len(wreath.blocks)
    names = {x: d + i for i, x in enumerate(points)}
    moves = [
        image_of_blocks(m, wreath.blocks, number) + rename_moves(tuple(pair for pair in m if pair[0] in names), names)
        for m in wreath.group.moves
    ]
    return Group(d + len(points), moves=moves, known_order=known_order)


def element_moving(chain: Chain, k: Permutation) -> Permutation:
    """The element of the chain's group that agrees with k on 0..len(k)-1, which contains the chain's base."""
    rest, g = k, identity(chain.degree)
    for level in chain.levels:
        u = level.transversal[rest[level.point]]
        back = inverse(u)
        rest = tuple(back[x] for x in rest)
        g = compose(u, g)
    return g
