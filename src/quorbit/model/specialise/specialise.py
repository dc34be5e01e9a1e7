"""From what a front end says to what detection and engines work on: the System, specialised for this one model.

Each step keeps the meaning: states, moves and verdicts are those of the System that came in, up to how values are
named.
"""

from __future__ import annotations

from collections import Counter
from math import prod

from quorbit.model.specialise.constants import extract_constants
from quorbit.model.specialise.early import write_early
from quorbit.model.specialise.forget import forget_unread
from quorbit.model.specialise.ground import ground
from quorbit.model.specialise.identities import name_identities
from quorbit.model.specialise.identity_classes import Pin
from quorbit.model.specialise.numbering import fold_numbers
from quorbit.model.specialise.owner_constants import fold_owner_constants
from quorbit.model.specialise.trim import trim
from quorbit.model.specialise.value_cases import tabulate
from quorbit.model.system.expression import Atoms
from quorbit.model.system.system import System
from quorbit.model.system.types import NONE
from quorbit.model.system.walk import expressions_of, walk

__all__ = ["has_choice_at_start", "is_even", "is_large", "searchable", "settle", "specialise"]

LARGEST_GROUND = 60_000  # nodes of expressions


def settle(system: System) -> System:
    """One command per instance, without what never happens: what an engine searches when no symmetry is wanted."""
    return searchable(system if has_choice_at_start(system) else trimmed(system))


def searchable(system: System) -> System:
    """One command per instance; not where moves are counted by the arguments of commands, which then would be lost, nor
    where that would be a very long program."""
    return system if system.count_once or is_large(system) else ground(system)


def is_large(system: System) -> bool:
    """Whether the commands of all instances together are more than is worth compiling one by one."""
    total = 0
    for command in system.commands:
        instances = prod(len(p.domain.atoms) for p in command.parameters if isinstance(p.domain, Atoms))
        if instances > 1:
            total += instances * sum(1 for e in expressions_of(command) for _ in walk(e))
        if total > LARGEST_GROUND:
            return True
    return False


def has_choice_at_start(system: System) -> bool:
    """Whether there may be many initial states; what follows looks at them one by one."""
    return any(command.parameters for command in system.start)


def specialise(
    system: System, evenly: bool = False, scratch: frozenset[str] = frozenset()
) -> tuple[System, tuple[Pin, ...]]:
    """The specialised System, and what kept numbers of atoms from being taken for atoms.

    ``evenly``: nothing is cut away that may happen to another atom of the same kind (trim.py).  ``scratch``: variables
    that count through arrays and pin nothing (identity_analysis.py)."""
    if has_choice_at_start(system):
        return name_identities(fold_owner_constants(fold_numbers(system)))
    known = trimmed(system, evenly)
    if (early := write_early(known)) is not known:
        known = trimmed(early, evenly)  # what nobody writes any more is constant
    system = known
    if not system.count_once:
        system = tabulate(system)
    system, pins = name_identities(fold_owner_constants(fold_numbers(system)), scratch)
    return without_constants(system, known, evenly), pins


def trimmed(system: System, evenly: bool = False) -> System:
    """Constants and what nobody reads taken out of the state, and what never happens."""
    known = extract_constants(system)
    return without_constants(forget_unread(trim(known, evenly)), known, evenly)


def without_constants(system: System, known: System, evenly: bool = False) -> System:
    """Further constants, and what they show to be impossible, where a command or a variable of ``known``, which has no
    constants any more, is gone or another."""
    if len(system.commands) == len(known.commands) and system.variables == known.variables:
        return system
    smaller = extract_constants(system)
    return system if smaller is system else trim(smaller, evenly)


def is_even(special: System) -> bool:
    """Whether every command is there for all atoms of a kind that do anything, or for none of them."""
    domains = [p.domain.atoms for c in special.commands for p in c.parameters if isinstance(p.domain, Atoms)]
    active = {a for atoms in domains for a in atoms if a != NONE}
    size: Counter[tuple[str, str]] = Counter((special.atoms[a].sort, special.atoms[a].colour) for a in active)
    return all(sum(size[kind] for kind in kinds_in(special, atoms)) == len(set(atoms) - {NONE}) for atoms in domains)


def kinds_in(system: System, atoms: tuple[int, ...]) -> set[tuple[str, str]]:
    return {(system.atoms[a].sort, system.atoms[a].colour) for a in atoms if a != NONE}
