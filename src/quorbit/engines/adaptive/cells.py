"""Partitions of the processes as the search uses them: numbered, with meets and refinements remembered.

The annotation of an abstract state is one of these [W07, section 6]; the coarsest one, which most states carry, is
number 0 and is shared by all of them.
"""

from __future__ import annotations

from quorbit.groups.partition import Partition, by_label, labels_of, meet, restrict

Parts = tuple[tuple[int, int], ...]  # cells of one partition and how many of their processes are in a cell of another
Split = tuple[tuple[int, ...], ...]


class Cells:
    """The partitions of processes 0..n-1 that occur in a search.  Short names: p, q, r their numbers."""

    def __init__(self, classes: Partition) -> None:
        self.partitions: list[Partition] = []
        self.numbers: dict[Partition, int] = {}
        self.n = sum(map(len, classes))
        self.coarsest = self.number(classes)
        self._meets: dict[tuple[int, int], int] = {}
        self._splits: dict[tuple[int, int], Split] = {}
        self._overlaps: dict[tuple[int, int], tuple[tuple[int, Parts], ...]] = {}
        self._crossings: dict[tuple[int, int], int] = {}
        self._homes: dict[int, tuple[int, ...]] = {}
        self._labels: dict[int, tuple[int, ...]] = {}

    def number(self, partition: Partition) -> int:
        p = self.numbers.setdefault(partition, len(self.numbers))
        if p == len(self.partitions):
            self.partitions.append(partition)
        return p

    def cells(self, p: int) -> Partition:
        return self.partitions[p]

    def labels(self, p: int) -> tuple[int, ...]:
        """The cell of each process."""
        if p not in self._labels:
            label = labels_of(self.partitions[p])
            self._labels[p] = tuple(label[k] for k in range(self.n))
        return self._labels[p]

    def homes(self, p: int) -> tuple[int, ...]:
        """For each cell of p the class it lies in."""
        found = self._homes.get(p)
        if found is None:
            label = self.labels(self.coarsest)
            found = self._homes[p] = tuple(label[cell[0]] for cell in self.partitions[p])
        return found

    def meet(self, p: int, q: int) -> int:
        if p == q or q == self.coarsest:
            return p
        if (p, q) not in self._meets:
            self._meets[p, q] = self.number(meet(self.partitions[p], self.partitions[q]))
        return self._meets[p, q]

    def split(self, p: int, r: int) -> Split:
        """For each cell of p the numbers of the cells of r inside it.  Requires: r is finer than p."""
        if (p, r) not in self._splits:
            label = self.labels(p)
            inside: list[list[int]] = [[] for _ in self.partitions[p]]
            for k, cell in enumerate(self.partitions[r]):
                inside[label[cell[0]]].append(k)
            self._splits[p, r] = tuple(map(tuple, inside))
        return self._splits[p, r]

    def crossing(self, q: int, p: int) -> int:
        """The cells of q that cross cells of p, as bits."""
        found = self._crossings.get((q, p))
        if found is None:
            label = self.labels(p)
            cells = enumerate(self.partitions[q])
            found = sum(1 << k for k, cell in cells if len({label[x] for x in cell}) > 1)
            self._crossings[q, p] = found
        return found

    def overlap(self, q: int, p: int) -> tuple[tuple[int, Parts], ...]:
        """For each cell of p, small ones first, the cells of q that meet it."""
        found = self._overlaps.get((q, p))
        if found is None:
            label = self.labels(q)
            cells = sorted(enumerate(self.partitions[p]), key=lambda entry: (len(entry[1]), entry[0]))
            found = self._overlaps[q, p] = tuple((home, count_labels(cell, label)) for home, cell in cells)
        return found


def count_labels(cell: tuple[int, ...], label: tuple[int, ...]) -> Parts:
    counts: dict[int, int] = {}
    for k in cell:
        counts[label[k]] = counts.get(label[k], 0) + 1
    return tuple(counts.items())


def on_processes(partition: Partition, atoms: tuple[int, ...]) -> Partition:
    """A partition of the System's atoms as one of the processes; atoms that are not permuted are left out."""
    process = {a: k for k, a in enumerate(atoms)}
    cells = restrict(partition, atoms)
    label = {process[a]: k for k, cell in enumerate(cells) for a in cell}
    return by_label(range(len(atoms)), (label[k] for k in range(len(atoms))))
