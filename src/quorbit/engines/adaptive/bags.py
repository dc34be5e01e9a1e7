"""Abstract states as counters: for each cell of the annotation how many processes are in which local state.

This is the paper's bucket representation [W07, section 8]: canonicalising is counting, unwinding is distributing the
letters of a cell over the cells it is split into, and its cost is proportional to the number of results.

Short names: p, q, r numbers of partitions; bags: one bag (letters with counts, sorted) for each cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import factorial

from quorbit.engines.adaptive.cells import Cells, Parts

Bag = tuple[tuple[int, int], ...]
Bags = tuple[Bag, ...]
Allowed = Callable[[int, int], bool]  # cell, letter


def bags_of(cells: Cells, p: int, letters: Sequence[int]) -> Bags:
    """The canonical form of a vector of letters under the permutations of p."""
    return tuple(bag_of([letters[k] for k in cell]) for cell in cells.cells(p))


def bag_of(letters: list[int]) -> Bag:
    counts: dict[int, int] = {}
    for letter in letters:
        counts[letter] = counts.get(letter, 0) + 1
    return tuple(sorted(counts.items()))


def vector(cells: Cells, p: int, bags: Bags) -> tuple[int, ...]:
    """The representative: in each cell the letters in order."""
    letters = [0] * cells.n
    for cell, bag in zip(cells.cells(p), bags, strict=True):
        k = 0
        for letter, count in bag:
            for process in cell[k : k + count]:
                letters[process] = letter
            k += count
    return tuple(letters)


def total(bags: Bags, classes: tuple[int, ...]) -> Bags:
    """The multiset of letters of each class: equal for states that are permutations of each other.

    ``classes``: the class of each cell."""
    counts: list[dict[int, int]] = [{} for _ in range(max(classes) + 1)]
    for k, bag in zip(classes, bags, strict=True):
        into = counts[k]
        for letter, count in bag:
            into[letter] = into.get(letter, 0) + count
    return tuple([tuple(sorted(c.items())) for c in counts])


def replace_letter(bags: Bags, k: int, old: int, new: int) -> Bags:
    """One process of cell k goes from one letter to another."""
    if old == new:
        return bags
    counts = dict(bags[k])
    if counts[old] == 1:
        del counts[old]
    else:
        counts[old] -= 1
    counts[new] = counts.get(new, 0) + 1
    return (*bags[:k], tuple(sorted(counts.items())), *bags[k + 1 :])


def mixed(bags: Bags) -> int:
    """The cells with different letters in them, as bits: if one crosses cells of p, no (s, p) subsumes this state."""
    return sum([1 << k for k, bag in enumerate(bags) if len(bag) > 1])


def share(bags: Bags, parts: Parts) -> Bag:
    """The letters of one cell of another partition.  Requires: a cell of which it has only a part has one letter."""
    if len(parts) == 1:
        k, taken = parts[0]
        bag = bags[k]
        return bag if len(bag) > 1 else ((bag[0][0], taken),)
    counts: dict[int, int] = {}
    for k, taken in parts:
        bag = bags[k]
        if len(bag) == 1:
            letter = bag[0][0]
            counts[letter] = counts.get(letter, 0) + taken
        else:
            for letter, count in bag:
                counts[letter] = counts.get(letter, 0) + count
    return tuple(sorted(counts.items()))


def project(cells: Cells, q: int, bags: Bags, p: int) -> Bags | None:
    """The counters of (t, q) per cell of p; None if a cell of q with different letters crosses cells of p.

    So (s, p) subsumes (t, q) exactly if this is equal to the counters of s [W07, Theorem 4]."""
    if p == q:
        return bags
    if mixed(bags) & cells.crossing(q, p):
        return None
    found: list[Bag] = [()] * len(cells.partitions[p])
    for home, parts in cells.overlap(q, p):
        found[home] = share(bags, parts)
    return tuple(found)


def find_projected(cells: Cells, q: int, bags: Bags, p: int, seen: list[set[Bag]]) -> Bags | None:
    """The same, given up as soon as a cell of p has letters that are not among those seen there."""
    found: list[Bag] = [()] * len(seen)
    for home, parts in cells.overlap(q, p):
        bag = share(bags, parts)
        if bag not in seen[home]:
            return None
        found[home] = bag
    return tuple(found)


def subsumes(cells: Cells, p: int, s: Bags, q: int, t: Bags) -> bool:
    """Whether the orbit of (s, p) contains that of (t, q) [W07, Definition 3]."""
    return project(cells, q, t, p) == s


def orbit_size(cells: Cells, p: int, bags: Bags) -> int:
    """How many concrete states the abstract state represents."""
    size = 1
    for cell, bag in zip(cells.cells(p), bags, strict=True):
        size *= factorial(len(cell))
        for _, count in bag:
            size //= factorial(count)
    return size


def unwind(cells: Cells, p: int, bags: Bags, r: int, allowed: Allowed | None = None) -> Iterator[Bags]:
    """States whose orbits under r are disjoint and together the orbit of (bags, p) [W07, equation 4].

    ``allowed`` leaves out those with a letter in a cell of r where it may not be."""
    if p == r:
        yield bags
        return
    found: list[Bag] = [()] * len(cells.cells(r))
    choices: list[list[tuple[Bag, ...]]] = []
    split = cells.split(p, r)
    for bag, inside in zip(bags, split, strict=True):
        sizes = [len(cells.cells(r)[k]) for k in inside]
        ways = list(distribute(bag, inside, sizes, allowed))
        if not ways:
            return
        choices.append(ways)
    for choice in product(*choices):
        for inside, way in zip(split, choice, strict=True):
            for k, bag in zip(inside, way, strict=True):
                found[k] = bag
        yield tuple(found)


def distribute(bag: Bag, inside: Sequence[int], sizes: list[int], allowed: Allowed | None) -> Iterator[tuple[Bag, ...]]:
    """All ways to put the letters of a bag into cells of the given sizes, where they are allowed."""
    places = [
        (letter, count, [j for j, k in enumerate(inside) if not allowed or allowed(k, letter)]) for letter, count in bag
    ]
    places.sort(key=lambda entry: len(entry[2]))  # the letters with least freedom first: hardly a dead end
    taken: list[list[tuple[int, int]]] = [[] for _ in sizes]
    yield from put(places, 0, sizes, taken)


Entry = tuple[int, int, list[int]]  # letter, count, where it may go


def put(places: list[Entry], at: int, room: list[int], taken: list[list[tuple[int, int]]]) -> Iterator[tuple[Bag, ...]]:
    """The letters from number ``at`` on into the room that is left."""
    if at == len(places):
        yield tuple([tuple(sorted(part)) for part in taken])
        return
    letter, count, where = places[at]
    if at == len(places) - 1:
        yield from put_last(letter, count, where, room, taken)
        return
    for shares in compositions(count, [room[j] for j in where]):
        for j, share in zip(where, shares, strict=True):
            if share:
                room[j] -= share
                taken[j].append((letter, share))
        yield from put(places, at + 1, room, taken)
        for j, share in zip(where, shares, strict=True):
            if share:
                room[j] += share
                taken[j].pop()


def put_last(
    letter: int, count: int, where: list[int], room: list[int], taken: list[list[tuple[int, int]]]
) -> Iterator[tuple[Bag, ...]]:
    """The last letter fills the room that is left, all of it."""
    if sum(room[j] for j in where) == count == sum(room):
        filled = [[*part, (letter, left)] if left else part for part, left in zip(taken, room, strict=True)]
        yield tuple([tuple(sorted(part)) for part in filled])


def compositions(count: int, room: list[int]) -> Iterator[tuple[int, ...]]:
    """All ways to write count as a sum of numbers no greater than the room."""
    if not room:
        if count == 0:
            yield ()
        return
    rest = sum(room[1:])
    for first in range(max(0, count - rest), min(count, room[0]) + 1):
        for others in compositions(count - first, room[1:]):
            yield (first, *others)
