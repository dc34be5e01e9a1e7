"""Fast arithmetic inside the group algorithms, on the moved points only, renamed 0, 1, ...

Up to 256 points a permutation is a table of 256 bytes: the product is bytes.translate and the inverse bytes.maketrans,
both at C speed.  Beyond that it is a tuple.  Product order as everywhere: multiply(p, q) is first p, then q.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from operator import itemgetter
from typing import cast

from quorbit.groups.moves import Moves
from quorbit.groups.permutation import Permutation, inverse
from quorbit.source.frozen import frozen

Compact = bytes | tuple[int, ...]
Multiply = Callable[[Compact, Compact], Compact]
Invert = Callable[[Compact], Compact]

TABLE = 256
SAME = bytes(range(TABLE))


@frozen
class Domain:
    """The points a group algorithm works on, among 0..degree-1, and the arithmetic for so many of them."""

    degree: int
    points: tuple[int, ...]

    @cached_property
    def names(self) -> dict[int, int]:
        return {x: i for i, x in enumerate(self.points)}

    @property
    def is_small(self) -> bool:
        return len(self.points) <= TABLE

    @cached_property
    def one(self) -> Compact:
        return SAME if self.is_small else tuple(range(len(self.points)))

    @property
    def multiply(self) -> Multiply:
        return cast(Multiply, bytes.translate if self.is_small else multiply_tuples)

    @property
    def invert(self) -> Invert:
        return cast(Invert, invert_bytes if self.is_small else inverse)

    def pack_images(self, images: Sequence[int]) -> Compact:
        """From the images of the renamed points."""
        return bytes(images) + SAME[len(images) :] if self.is_small else tuple(images)

    def pack_moves(self, moves: Moves) -> Compact:
        images = list(range(len(self.points)))
        for i, x in moves:
            images[self.names[i]] = self.names[x]
        return self.pack_images(images)

    def pack(self, g: Permutation) -> Compact | None:
        """None if g moves a point outside the domain."""
        names = self.names
        if any(i != x and i not in names for i, x in enumerate(g)):
            return None
        return self.pack_images([names.get(g[x], -1) for x in self.points])

    def unpack(self, p: Compact) -> Permutation:
        images = list(range(self.degree))
        for i, x in enumerate(self.points):
            images[x] = self.points[p[i]]
        return tuple(images)

    def unpack_moves(self, p: Compact) -> Moves:
        return tuple((x, self.points[p[i]]) for i, x in enumerate(self.points) if p[i] != i)


def domain_of(degree: int, points: Iterable[int]) -> Domain:
    return Domain(degree, tuple(sorted(set(points))))


def multiply_tuples(p: tuple[int, ...], q: tuple[int, ...]) -> tuple[int, ...]:
    return cast("tuple[int, ...]", itemgetter(*p)(q))


def invert_bytes(p: bytes) -> bytes:
    return bytes.maketrans(p, SAME)
