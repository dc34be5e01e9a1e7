"""A permutation written by what it moves: sorted pairs (point, image), so that a group of high degree with sparse
generators takes room for their supports only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from quorbit.groups.permutation import Permutation

__all__ = ["Moves", "cycles_of_moves", "moves_from", "moves_of", "permutation_of"]

Moves = tuple[tuple[int, int], ...]


def moves_of(g: Permutation) -> Moves:
    return tuple((i, x) for i, x in enumerate(g) if i != x)


def moves_from(images: Mapping[int, int]) -> Moves:
    """The moves of the permutation with these images; points left out stay."""
    return tuple(sorted((i, x) for i, x in images.items() if i != x))


def permutation_of(moves: Moves, points: Sequence[int]) -> Permutation:
    """The permutation of degree len(points); `points` is 0, 1, 2, ... and lends its integers (one object per point)."""
    images = list(points)
    for i, x in moves:
        images[i] = x
    return tuple(images)


def is_bijective(moves: Moves) -> bool:
    return len({x for _, x in moves}) == len(moves) and {i for i, _ in moves} == {x for _, x in moves}


def restrict_moves(moves: Moves, points: frozenset[int]) -> Moves:
    return tuple(pair for pair in moves if pair[0] in points)


def rename_moves(moves: Moves, names: Mapping[int, int]) -> Moves:
    return tuple(sorted((names[i], names[x]) for i, x in moves))


def moved_points(all_moves: Iterable[Moves]) -> tuple[int, ...]:
    return tuple(sorted({i for moves in all_moves for i, _ in moves}))


def cycles_of_moves(moves: Moves) -> tuple[tuple[int, ...], ...]:
    """The cycles of length two or more, each from its least point, in the order of these."""
    images = dict(moves)
    found = []
    for start, _ in moves:
        cycle: list[int] = []
        while (x := images.pop(start if not cycle else cycle[-1], None)) is not None:
            cycle.append(x)
        if cycle:
            found.append((cycle[-1], *cycle[:-1]))
    return tuple(found)
