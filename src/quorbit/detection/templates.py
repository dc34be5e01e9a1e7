"""The symmetries of a large System from its commands as they are written, one for all processes of a kind.

Written out for every choice of atoms, 64 processes that send to each other are thousands of commands, and nearly all
the time of detection goes into these.  What maps the commands with their parameters to themselves maps their instances
to each other, so it is a symmetry; but the instances may have more.  So the templates are believed only where nothing
more is to be expected: where the atoms of every kind that do anything are all interchangeable.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from math import prod

from quorbit.detection.effect.visible import is_plainly_shown, may_hide
from quorbit.detection.proof import Proof
from quorbit.detection.steps_group import group_of_steps, idle_atoms, prove
from quorbit.groups.group import Group
from quorbit.groups.unionfind import UnionFind
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.specialise.specialise import is_large
from quorbit.model.specialise.start import write_starts
from quorbit.model.system.command import parameters_of
from quorbit.model.system.expression import Atoms, Fresh
from quorbit.model.system.system import System
from quorbit.source.frozen import replace

FEW_INSTANCES = 600  # that are written out at once


def may_use_templates(system: System) -> bool:
    """Whether there are so many instances that it is worth to look at the templates first."""
    instances = sum(
        prod(len(p.domain.atoms) for p in command.parameters if isinstance(p.domain, Atoms))
        for command in system.commands
    )
    return (instances > FEW_INSTANCES or is_large(system)) and not any(
        isinstance(p.domain, Fresh) for command in system.commands for p in parameters_of(command)
    )


def group_of_templates(system: System) -> Group | None:
    """The symmetries of the steps and properties; None if the instances should be looked at one by one.  Requires that
    the start writes in one step."""
    proof = Proof(system)
    idle = idle_atoms(proof)
    group = group_of_steps(proof, idle)
    if not is_as_large_as_can_be(system, group, idle):
        return None
    if may_hide(system) and not is_plainly_shown(system, group):
        return None
    prove(proof, group)
    return group


def written_templates(system: System) -> System:
    """The System with its commands as they are, and what the start writes in one step."""
    return replace(system, start=write_starts(system))


def is_as_large_as_can_be(system: System, group: Group, idle: Iterable[int]) -> bool:
    """Whether all atoms of a kind that do anything can be exchanged two by two, at least as far as their kind goes."""
    alike: dict[Hashable, list[int]] = defaultdict(list)
    owned = places_by_owner(system)
    silent = set(idle)
    for a, atom in enumerate(system.atoms):
        if a not in silent and not is_value(atom.sort):
            alike[atom.sort, atom.colour, owned.get(a, frozenset())].append(a)
    return not group.is_trivial and all(are_exchanged(group, atoms) for atoms in alike.values())


def places_by_owner(system: System) -> dict[int, frozenset[Hashable]]:
    """What tells the atoms of one kind apart at a glance, the capacities of channels for instance."""
    found: dict[int, set[Hashable]] = defaultdict(set)
    for place in system.places:
        for position, a in enumerate(place.owners):
            found[a].add((place.variable, position, place.type))
    return {a: frozenset(places) for a, places in found.items()}


def are_exchanged(group: Group, atoms: list[int]) -> bool:
    """Whether generators that exchange two of the atoms, and leave the others, connect them all."""
    inside = set(atoms)
    joined = UnionFind(group.degree)
    for moves in group.moves:
        moved = [a for a, _ in moves if a in inside]
        if len(moved) == 2:
            joined.unite(*moved)
    return len({joined.find(a) for a in atoms}) <= 1
