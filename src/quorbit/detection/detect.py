"""Find the symmetries of a System, with proof.

One call to the automorphism search on the syntax graph gives the whole group; every generator is then checked by
itself: its image of what the System says must be what the System says (proof.py).  The initial states are part of what
it says, so they are mapped to themselves.
"""

from __future__ import annotations

from dataclasses import field, replace
from itertools import pairwise

from quorbit.detection.proof import Proof
from quorbit.detection.syntax_graph import syntax_graph
from quorbit.graphs.automorphisms import automorphisms_on
from quorbit.groups.chain import build_chain, contains
from quorbit.groups.group import Group, swap
from quorbit.groups.moves import permutation_of
from quorbit.model.specialise.ground import ground
from quorbit.model.system.expression import Fresh
from quorbit.model.system.system import Property, System
from quorbit.source.frozen import frozen

__all__ = ["Symmetry"]


@frozen
class Symmetry:
    """The group of a System's symmetries, acting on its atoms, and what there is to say about it."""

    group: Group
    notes: tuple[str, ...] = field(default=())
    grounded: System | None = field(default=None, compare=False, repr=False)  # the System with one command per instance
    special: System | None = field(default=None, compare=False, repr=False)  # specialised, values not yet as atoms


class UnprovedSymmetry(Exception):
    """The automorphism search gave a permutation that is no symmetry: a bug of ours."""


def detect(system: System, properties: tuple[Property, ...]) -> Symmetry:
    """The permutations of the atoms that leave the system and these properties as they are.

    Atoms of which nothing is said (a channel without buffer leaves no trace once its two ends are known) stay."""
    grounded = ground(replace(system, properties=properties))
    proof = Proof(grounded)
    idle = tuple(a for a in range(len(system.atoms)) if not proof.wholes[a])
    group = automorphisms_of(proof, idle)
    notes: tuple[str, ...] = ()
    if pinned := atoms_to_pin(grounded, group):
        names = ", ".join(system.atom_name(a) for a in pinned)
        notes = (f"{names} can be created anew but are not all interchangeable, so they are not permuted",)
        group = automorphisms_of(proof, (*idle, *pinned))
    prove(proof, group)
    return Symmetry(group, notes, grounded)


def automorphisms_of(proof: Proof, apart: tuple[int, ...]) -> Group:
    """The automorphisms of the syntax graph that fix the atoms in ``apart``.

    A term is what its head and its parts make it, so what fixes the atoms fixes everything: the action is faithful."""
    graph = syntax_graph(proof.system, proof.terms, proof.said, apart)
    return automorphisms_on(graph, range(len(proof.system.atoms)), faithful=True)


def prove(proof: Proof, group: Group) -> None:
    for g in group.generators:
        if not proof.holds(g):
            raise UnprovedSymmetry(g)


def atoms_to_pin(grounded: System, group: Group) -> tuple[int, ...]:
    """The atoms of a ``Fresh`` parameter that are not all interchangeable.

    The first unused atom stands for any unused one, which is right only if every exchange of two is a symmetry."""
    listed = fresh_atoms(grounded)
    if not listed:
        return ()
    chain = build_chain(group)
    points = tuple(range(group.degree))
    pinned: dict[int, None] = {}
    for atoms in listed:
        swaps = [permutation_of(swap(a, b), points) for a, b in pairwise(atoms)]
        if not all(contains(chain, g) for g in swaps):
            pinned.update(dict.fromkeys(atoms))
    return tuple(sorted(pinned))


def fresh_atoms(system: System) -> list[tuple[int, ...]]:
    domains = [p.domain for command in system.commands for p in command.parameters]
    return list(dict.fromkeys(domain.atoms for domain in domains if isinstance(domain, Fresh)))
