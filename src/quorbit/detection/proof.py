"""Prove that a permutation is a symmetry: g's image of all that a System says is what it says.

The System is written once as a table of terms in which equal terms have one number (normal_form.py), so g's image
of a term is found by looking up the images of its parts: no command is permuted or brought to normal form again.  Most
terms are not touched by most permutations, since they name no atom that moves and the sets they range over are mapped
to themselves; the images of the atoms that move are followed upwards only as far as something changes.

Short names: g a permutation of the atoms; n the number of a term.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from quorbit.groups.permutation import Permutation, support
from quorbit.model.meaning.normal_form import Term, Terms, parts_of, says_the_same
from quorbit.model.meaning.permute import permute_places, permute_system
from quorbit.model.system.system import System

__all__ = ["Proof"]

Images = dict[int, int]  # of the terms that change; the number after the last for what the System does not have


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
        """The images of all terms that are not mapped to themselves; parts come before what they are parts of."""
        table, wholes, numbers = self.table, self.wholes, self.terms.numbers
        image = list(range(len(table) + 1))
        changed = list(support(g))
        touched = bytearray(len(table))
        for a in changed:
            image[a] = g[a]
            for whole in wholes[a]:
                touched[whole] = 1
        n = touched.find(1)
        while n >= 0:
            head, ordered, unordered = table[n]
            counted = sorted([(image[part], times) for part, times in unordered])
            found = numbers.get(Term(head, tuple([image[part] for part in ordered]), tuple(counted)), len(table))
            if found != n:
                image[n] = found
                changed.append(n)
                for whole in wholes[n]:
                    touched[whole] = 1
            n = touched.find(1, n + 1)
        return {n: image[n] for n in changed}


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
