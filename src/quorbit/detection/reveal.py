"""Find the symmetry of a model in all that it permutes: processes, channels, and values that only have names.

First every value that is merely copied and compared becomes an atom (locations in a program, message names, bits), so
that the search finds permutations which move processes and values together, such as the exchange of two servers with
the two branches that serve them.  Sorts of values that no symmetry moves become numbers again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from quorbit.detection.detect import Symmetry, detect, prove
from quorbit.detection.proof import Proof
from quorbit.groups.chain import order
from quorbit.groups.group import Group, relabel, with_order
from quorbit.model.specialise.ground import ground
from quorbit.model.specialise.identities import name_values
from quorbit.model.specialise.identity_classes import Pin
from quorbit.model.specialise.specialise import specialise
from quorbit.model.system.system import Property, System
from quorbit.model.system.types import atoms_of

__all__ = ["reveal", "reveal_special"]

MOST_IDLE = 2  # places with values as atoms for nothing, rather than that everything is written again


def reveal(system: System, properties: tuple[Property, ...]) -> tuple[System, Symmetry]:
    """The System with its identities as atoms, specialised for these properties (now its own), and its symmetry."""
    return reveal_special(*specialise(replace(system, properties=properties)))


def reveal_special(special: System, pins: tuple[Pin, ...]) -> tuple[System, Symmetry]:
    """The same for a System that is specialised; ``pins`` kept numbers of it from becoming atoms."""
    named = name_values(special)
    found = detect(named, named.properties)
    moved = frozenset(named.atoms[a].sort for a in found.group.moved if a >= len(special.atoms))
    notes = (*found.notes, *map(describe_pin, pins))
    if not moved:
        grounded = found.grounded if len(named.atoms) == len(special.atoms) else None
        return special, Symmetry(on_points(found.group, range(len(special.atoms))), notes, grounded, special)
    if is_nearly_all(named, len(special.atoms), moved):
        return named, replace(found, notes=notes, special=special)
    chosen = name_values(special, moved)
    kept = [a for a, atom in enumerate(named.atoms) if a < len(special.atoms) or atom.sort in moved]
    assert [named.atoms[a] for a in kept] == list(chosen.atoms)
    group = on_points(found.group, kept)
    written = ground(chosen)
    prove(Proof(written), group)
    return chosen, Symmetry(group, notes, written, special)


def is_nearly_all(named: System, first_value: int, moved: frozenset[str]) -> bool:
    """Whether next to no place holds a value that is an atom and does not move, so that it may stay one."""
    idle = {a for a in range(first_value, len(named.atoms)) if named.atoms[a].sort not in moved}
    return sum(not idle.isdisjoint(atoms_of(place.type)) for place in named.places) <= MOST_IDLE


def on_points(group: Group, points: Sequence[int]) -> Group:
    """The group on some of its points, which are all it moves."""
    return with_order(relabel(group, points), order(group))


def describe_pin(pin: Pin) -> str:
    return f"{pin.span}: {pin.reason}, so these numbers are not taken for identities"
