"""Partitions of a set of points, and the groups of permutations that keep every cell.

A partition stands for the direct product of the symmetric groups of its cells [W07, section 4]; it is finer than
another if its group is contained in the other's.  Cells are sorted, and listed by their least member.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

__all__ = ["Partition", "by_label", "is_finer", "labels_of", "meet", "meet_all", "restrict"]

Partition = tuple[tuple[int, ...], ...]


def by_label(points: Iterable[int], labels: Iterable[Hashable]) -> Partition:
    """Points with equal labels share a cell.  Requires: the points are sorted."""
    cells: dict[Hashable, list[int]] = {}
    for point, label in zip(points, labels, strict=True):
        cells.setdefault(label, []).append(point)
    return tuple(map(tuple, cells.values()))


def coarsest(n: int) -> Partition:
    return (tuple(range(n)),) if n else ()


def finest(n: int) -> Partition:
    return tuple((point,) for point in range(n))


def points_of(p: Partition) -> list[int]:
    return sorted(point for cell in p for point in cell)


def labels_of(p: Partition) -> dict[int, int]:
    """The number of the cell each point is in."""
    return {point: k for k, cell in enumerate(p) for point in cell}


def meet(p: Partition, q: Partition) -> Partition:
    """The coarsest partition finer than both: its group is the intersection of theirs [W07, section 7]."""
    if p == q:
        return p
    points, first, second = points_of(p), labels_of(p), labels_of(q)
    return by_label(points, ((first[x], second[x]) for x in points))


def meet_all(n: int, partitions: Sequence[Partition]) -> Partition:
    found = coarsest(n)
    for p in partitions:
        found = meet(found, p)
    return found


def is_finer(p: Partition, q: Partition) -> bool:
    """Whether every cell of p lies inside a cell of q."""
    label = labels_of(q)
    return all(len({label[x] for x in cell}) == 1 for cell in p)


def restrict(p: Partition, points: Iterable[int]) -> Partition:
    """The traces of the cells on some of the points."""
    kept = set(points)
    cells = (tuple(x for x in cell if x in kept) for cell in p)
    return tuple(cell for cell in cells if cell)


def show_partition(p: Partition, names: Sequence[str]) -> str:
    """As the paper writes it: |1, 4 | 2, 5 | 3, 6 |."""
    return "| " + " | ".join(", ".join(names[x] for x in cell) for cell in p) + " |"
