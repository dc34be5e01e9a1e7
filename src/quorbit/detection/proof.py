"""Prove that a permutation is a symmetry: g's image of all that a System says of its steps is what it says.

The initial states are not part of that: the System from s and the System from g's image of s are isomorphic, so every
property that g keeps has one verdict in both, and a search of the quotient may start from the representatives of the
initial states.  What the start says about values that only have names (locations, message names) is noted all the same,
without saying who holds them, for whoever wants symmetries that do not rename them (``begins``, detect.py).

The System is written once as a table of terms in which equal terms have one number (normal_form.py), so g's image
of a term is found by looking up the images of its parts: no command is permuted or brought to normal form again.  Most
terms are not touched by most permutations, since they name no atom that moves and the sets they range over are mapped
to themselves; the images of the atoms that move are followed upwards only as far as something changes.

Short names: g a permutation of the atoms; n the number of a term.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from quorbit.detection.syntax_graph import Begins
from quorbit.groups.permutation import Permutation, support
from quorbit.model.meaning.normal_form import Term, Terms, parts_of, says_the_same
from quorbit.model.meaning.permute import permute_places, permute_system
from quorbit.model.specialise.ground import used_definitions
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.system.command import Command, Together
from quorbit.model.system.expression import FALSE, Literal
from quorbit.model.system.system import System
from quorbit.model.system.types import atoms_in, atoms_of
from quorbit.source.frozen import replace

__all__ = ["Proof", "keeps_colours", "properties_proof", "start_proof", "without_start"]

MANY = 32  # parts of a term
Images = dict[int, int]  # of the terms that change; the number after the last for what the System does not have


class Proof:
    """What a grounded System says of its steps, or of these and its start, ready to be compared with its images."""

    def __init__(self, grounded: System, with_start: bool = False, alike: bool = True) -> None:
        """``alike``: all atoms that can be created anew are interchangeable."""
        self.system = grounded
        self.terms = Terms(grounded, alike)
        told = grounded if with_start else without_start(grounded)
        self.said = Counter(self.terms.part(part) for part in parts_of(told))
        self.places = frozenset(map(self.terms.place, grounded.places))

    @cached_property
    def begins(self) -> Begins:
        """How often each variable begins with each value that only has a name, by the sort of the value."""
        return values_at_the_start(self.system)

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
        in_large: dict[int, list[int]] = {n: [] for n in self.large}  # their parts that change
        for a in changed:
            image[a] = g[a]
            for whole in wholes[a]:
                touched[whole] = 1
                if whole in in_large:
                    in_large[whole].append(a)
        n = touched.find(1)
        while n >= 0:
            if n not in in_large or not is_mapped_to_itself(self.large[n], in_large[n], image):
                head, ordered, unordered = table[n]
                counted = sorted([(image[part], times) for part, times in unordered])
                found = numbers.get(Term(head, tuple([image[part] for part in ordered]), tuple(counted)), len(table))
                if found != n:
                    image[n] = found
                    changed.append(n)
                    for whole in wholes[n]:
                        touched[whole] = 1
                        if whole in in_large:
                            in_large[whole].append(n)
            n = touched.find(1, n + 1)
        return {n: image[n] for n in changed}

    @cached_property
    def large(self) -> dict[int, dict[int, int]]:
        """The terms with many parts in no order, such as all that is written at the start: how often each is there."""
        terms = enumerate(self.table)
        return {n: dict(term.unordered) for n, term in terms if len(term.unordered) >= MANY and not term.ordered}


def is_mapped_to_itself(counts: dict[int, int], parts: list[int], image: list[int]) -> bool:
    """Whether the parts that change only take each other's place, as often as they are there."""
    return {image[part]: counts[part] for part in parts} == {part: counts[part] for part in parts}


def keeps_colours(system: System, g: Permutation) -> bool:
    return all(
        (system.atoms[a].sort, system.atoms[a].colour) == (system.atoms[g[a]].sort, system.atoms[g[a]].colour)
        for a in support(g)
    )


def is_symmetry(grounded: System, g: Permutation) -> bool:
    """The definition, word for word: whether the permuted System says the same of its steps."""
    if permute_places(grounded, g) is None or not keeps_colours(grounded, g):
        return False
    steps = without_start(grounded)
    return says_the_same(steps, permute_system(steps, g))


# The initial states.


def without_start(grounded: System) -> System:
    """What is said of the steps alone."""
    steps = replace(grounded, start=())
    return replace(steps, definitions=used_definitions(steps))


def properties_proof(grounded: System) -> Proof:
    """For permutations that are known to keep the steps: whether they keep the properties as well."""
    return Proof(replace(grounded, commands=(), start=(), transient=FALSE))


def start_proof(grounded: System) -> Proof:
    """For permutations that keep the initial states, as a set."""
    start = replace(grounded, commands=grounded.start, start=(), properties=(), transient=FALSE)
    return Proof(replace(start, definitions=used_definitions(start)))


def values_at_the_start(grounded: System) -> Begins:
    """The values that only have names and that are written at the start, by their sort.  Where it is not plain which
    ones are, each counts differently from all others."""
    found: Begins = {}
    for command in grounded.start if any(is_value(atom.sort) for atom in grounded.atoms) else ():
        for variable, a, times in values_written(grounded, command):
            if is_value(sort := grounded.atoms[a].sort):
                found.setdefault(sort, Counter())[variable, a] += times
    return found


def values_written(system: System, command: Command) -> Iterator[tuple[str, int, int]]:
    for step in command.effect:
        for assignment in step.assignments if isinstance(step, Together) else ():
            variable, value = assignment.target.variable, assignment.value
            if isinstance(value, Literal):
                yield from ((variable, a, 1) for a in atoms_in(value.type, value.value))
            else:
                yield from ((variable, a, 1 + a) for a in atoms_of(system.variable[variable].type))
