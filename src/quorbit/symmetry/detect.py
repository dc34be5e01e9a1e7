"""Find the symmetries of a System, with proof.

One call to the automorphism search on the syntax graph gives the whole group; every generator is then checked by
itself: its image of what the System says must be what the System says (proof.py).  The initial states are part of what
it says, so they are mapped to themselves.
"""

from __future__ import annotations

from dataclasses import field, replace
from itertools import pairwise

from quorbit.graphs.automorphisms import automorphisms_on
from quorbit.groups.chain import build_chain, contains
from quorbit.groups.group import Group, swap
from quorbit.groups.moves import permutation_of
from quorbit.model.expression import Fresh
from quorbit.model.ground import ground
from quorbit.model.system import Property, System
from quorbit.source.frozen import frozen
from quorbit.symmetry.proof import Proof
from quorbit.symmetry.syntax_graph import syntax_graph


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
    """The permutations of the atoms that leave the system and these properties as they are."""
    grounded = ground(replace(system, properties=properties))
    proof = Proof(grounded)
    atoms = range(len(system.atoms))
    # A term is what its head and its parts make it, so what fixes the atoms fixes everything: the action is faithful.
    group = automorphisms_on(syntax_graph(grounded, proof.terms, proof.said), atoms, faithful=True)
    notes: tuple[str, ...] = ()
    if pinned := atoms_to_pin(grounded, group):
        names = ", ".join(system.atom_name(a) for a in pinned)
        notes = (f"{names} can be created anew but are not all interchangeable, so they are not permuted",)
        group = automorphisms_on(syntax_graph(grounded, proof.terms, proof.said, pinned), atoms, faithful=True)
    prove(proof, group)
    return Symmetry(group, notes, grounded)


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
