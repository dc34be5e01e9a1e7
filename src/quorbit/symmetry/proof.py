"""Prove that a permutation is a symmetry: g's image of all that a System says is what it says.

Most of what a System says is not touched by most permutations: it names no atom that moves, and the sets it ranges over
are mapped to themselves.  Only the rest is permuted and compared.

Short names: g a permutation of the atoms; n the number of a term.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from quorbit.groups.permutation import Permutation, support
from quorbit.model.command import Command
from quorbit.model.normal_form import Said, Term, Terms, Transient, parts_of
from quorbit.model.permute import (
    permute_command,
    permute_definition,
    permute_expression,
    permute_places,
    permute_property,
)
from quorbit.model.system import Definition, System

SETS = ("atoms", "atom of", "fresh")  # heads of terms whose unordered parts are a set of atoms


class Proof:
    """What a grounded System says, ready to be compared with its images."""

    def __init__(self, grounded: System) -> None:
        self.system = grounded
        self.terms = Terms(grounded)
        self.parts = [(part, self.terms.part(part)) for part in parts_of(grounded)]
        self.mentions: dict[int, tuple[frozenset[int], frozenset[int]]] = {}

    @property
    def said(self) -> Counter[int]:
        return Counter(n for _, n in self.parts)

    @cached_property
    def table(self) -> list[Term]:
        return list(self.terms.numbers)

    def holds(self, g: Permutation) -> bool:
        """Whether g maps places to places, kinds to kinds, and leaves what the System says as it is."""
        if permute_places(self.system, g) is None or not keeps_colours(self.system, g):
            return False
        touched = [(part, n) for part, n in self.parts if self.is_touched(n, g)]
        return Counter(n for _, n in touched) == Counter(self.terms.part(image(part, g)) for part, _ in touched)

    def is_touched(self, n: int, g: Permutation) -> bool:
        """Whether a term names an atom that moves or a set of atoms that is not mapped to itself."""
        atoms, sets = self.mentioned(n)
        return not atoms.isdisjoint(support(g)) or any(self.is_moved_set(k, g) for k in sets)

    def is_moved_set(self, n: int, g: Permutation) -> bool:
        members = {part for part, _ in self.table[n].unordered if part < self.terms.atoms}
        return {g[a] for a in members} != members

    def mentioned(self, n: int) -> tuple[frozenset[int], frozenset[int]]:
        """The atoms a term names one by one, and the terms in it that are sets of atoms."""
        if n not in self.mentions:
            self.mentions[n] = self.find_mentioned(n)
        return self.mentions[n]

    def find_mentioned(self, n: int) -> tuple[frozenset[int], frozenset[int]]:
        if n < self.terms.atoms:
            return frozenset([n]), frozenset()
        term = self.table[n]
        is_set = term.head[0] in SETS
        inner = [*term.ordered, *(() if is_set else (part for part, _ in term.unordered))]
        found = [self.mentioned(part) for part in inner]
        atoms = frozenset().union(*(a for a, _ in found))
        sets = frozenset().union(*(s for _, s in found), [n] if is_set else [])
        return atoms, sets


def image(part: Said, g: Permutation) -> Said:
    match part:
        case (str(kind), Command() as command):
            return kind, permute_command(command, g)
        case Definition():
            return permute_definition(part, g)
        case Transient(condition):
            return Transient(permute_expression(condition, g))
        case tuple():
            raise AssertionError(part)
        case _:
            return permute_property(part, g)


def keeps_colours(system: System, g: Permutation) -> bool:
    return all(
        (atom.sort, atom.colour) == (system.atoms[g[a]].sort, system.atoms[g[a]].colour)
        for a, atom in enumerate(system.atoms)
    )


def is_symmetry(grounded: System, g: Permutation) -> bool:
    """Whether g is a symmetry of the grounded System, for a single question."""
    return Proof(grounded).holds(g)
