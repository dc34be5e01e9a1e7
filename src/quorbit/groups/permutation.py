"""Permutations as plain tuples: the image of point i stands at index i; points count from 0, texts from 1.

Short names: g, h permutations; n the degree; s a vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

__all__ = ["Permutation", "compose", "from_cycles", "identity", "inverse", "show", "support"]

Permutation = tuple[int, ...]
Entry = TypeVar("Entry")


def identity(n: int) -> Permutation:
    return tuple(range(n))


def compose(g: Permutation, h: Permutation) -> Permutation:
    """First g, then h."""
    return tuple(map(h.__getitem__, g))


def inverse(g: Permutation) -> Permutation:
    images = [0] * len(g)
    for i, x in enumerate(g):
        images[x] = i
    return tuple(images)


def act(g: Permutation, s: Sequence[Entry]) -> tuple[Entry, ...]:
    """The vector s moved by g: the entry at i goes to g[i], so (1 2 3) makes (4, 7, 5) of (7, 5, 4)."""
    moved = list(s)
    for i, x in enumerate(g):
        moved[x] = s[i]
    return tuple(moved)


def support(g: Permutation) -> tuple[int, ...]:
    """The points g moves, in order."""
    return tuple(i for i, x in enumerate(g) if i != x)


def cycles(g: Permutation) -> tuple[tuple[int, ...], ...]:
    """The cycles of length two or more, each from its least point, in the order of these."""
    found = []
    seen = bytearray(len(g))
    for start, x in enumerate(g):
        if x != start and not seen[start]:
            found.append(cycle_of(g, start))
            for i in found[-1]:
                seen[i] = 1
    return tuple(found)


def cycle_of(g: Permutation, start: int) -> tuple[int, ...]:
    cycle = [start]
    while (x := g[cycle[-1]]) != start:
        cycle.append(x)
    return tuple(cycle)


def is_odd(g: Permutation) -> bool:
    return sum(len(c) - 1 for c in cycles(g)) % 2 == 1


def transpositions(g: Permutation) -> tuple[tuple[int, int], ...]:
    """The fewest swaps (i, j) of entries that, one after the other, move a vector as g does. [DM09, Lemma 1]"""
    return tuple((c[0], x) for c in cycles(g) for x in c[1:])


def show(g: Permutation, names: Sequence[str] | None = None) -> str:
    """Cycles as in "(1 2)(3 4)", points from 1 or by name; "()" for the identity."""
    shown = [" ".join(names[i] if names else str(i + 1) for i in c) for c in cycles(g)]
    return "".join(f"({c})" for c in shown) or "()"


def from_cycles(n: int, *given: Sequence[int]) -> Permutation:
    """The permutation of n points with these disjoint cycles (points from 0)."""
    images = list(range(n))
    for c in given:
        for i, x in pairwise((*c, c[0])):
            images[i] = x
    return tuple(images)
