"""Prove that a permutation is a symmetry: g's image of all that a System says is what it says.

The System is written once as a table of terms in which equal terms have one number (model/normal_form.py), so g's image
of a term is found by looking up the images of its parts: no command is permuted or brought to normal form again.  Most
terms are not touched by most permutations, since they name no atom that moves and the sets they range over are mapped
to themselves; the images of the atoms that move are followed upwards only as far as something changes.

Short names: g a permutation of the atoms; n the number of a term.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from heapq import heapify, heappop, heappush

from quorbit.groups.permutation import Permutation, support
from quorbit.model.normal_form import Term, Terms, parts_of, says_the_same
from quorbit.model.permute import permute_places, permute_system
from quorbit.model.system import System

Images = dict[int, int | None]  # of the terms that change; None: the System has no such term


class Proof:
    """What a grounded System says, ready to be compared with its images."""

    def __init__(self, grounded: System) -> None:
        self.system = grounded
        self.terms = Terms(grounded)
        self.said = Counter(self.terms.part(part) for part in parts_of(grounded))
        self.places = frozenset(map(self.terms.place, grounded.places))

    @cached_property
    def table(self) -> list[Term]:
        return list(self.terms.numbers)

    @cached_property
    def wholes(self) -> list[list[int]]:
        """For each term those it is a part of; they have greater numbers."""
        found: list[list[int]] = [[] for _ in self.table]
        for n, term in enumerate(self.table):
            for part in dict.fromkeys((*term.ordered, *(part for part, _ in term.unordered))):
                found[part].append(n)
        return found

    def holds(self, g: Permutation) -> bool:
        """Whether g maps kinds to kinds, places to places of the same type, and leaves what is said as it is."""
        if not keeps_colours(self.system, g):
            return False
        images = self.images(g)
        places = self.places.intersection(images)
        if {images[n] for n in places} != places:
            return False
        touched = {n: self.said[n] for n in images if n in self.said}
        return {images[n]: times for n, times in touched.items()} == touched

    def images(self, g: Permutation) -> Images:
        """The images of all terms that are not mapped to themselves."""
        images: Images = {a: g[a] for a in support(g)}
        waiting = list(dict.fromkeys(n for a in images for n in self.wholes[a]))
        heapify(waiting)
        last = -1
        while waiting:
            n = heappop(waiting)
            if n != last and (image := self.look_up(self.table[n], images)) != n:
                images[n] = image
                for whole in self.wholes[n]:
                    heappush(waiting, whole)
            last = n
        return images

    def look_up(self, term: Term, images: Images) -> int | None:
        ordered = image_of_all(term.ordered, images)
        unordered = image_of_all((part for part, _ in term.unordered), images)
        if ordered is None or unordered is None:
            return None
        counted = zip(unordered, (times for _, times in term.unordered), strict=True)
        return self.terms.numbers.get(Term(term.head, tuple(ordered), tuple(sorted(counted))))


def image_of_all(parts: Iterable[int], images: Images) -> list[int] | None:
    """None if one of the images is no term of the System."""
    found = []
    for part in parts:
        if (image := images.get(part, part)) is None:
            return None
        found.append(image)
    return found


def keeps_colours(system: System, g: Permutation) -> bool:
    return all(
        (system.atoms[a].sort, system.atoms[a].colour) == (system.atoms[g[a]].sort, system.atoms[g[a]].colour)
        for a in support(g)
    )


def is_symmetry(grounded: System, g: Permutation) -> bool:
    """The definition, word for word: whether the permuted System says the same."""
    if permute_places(grounded, g) is None or not keeps_colours(grounded, g):
        return False
    return says_the_same(grounded, permute_system(grounded, g))
