"""From what a front end says to what detection and engines work on: the System, specialised for this one model.

Each step keeps the meaning: states, moves and verdicts are those of the System that came in, up to how values are
named.
"""

from __future__ import annotations

from quorbit.model.specialise.constants import extract_constants
from quorbit.model.specialise.ground import ground
from quorbit.model.specialise.identities import name_identities
from quorbit.model.specialise.identity_classes import Pin
from quorbit.model.specialise.numbering import fold_numbers
from quorbit.model.specialise.owner_constants import fold_owner_constants
from quorbit.model.specialise.trim import trim
from quorbit.model.specialise.value_cases import tabulate
from quorbit.model.system.system import System

__all__ = ["searchable", "settle", "specialise"]


def settle(system: System) -> System:
    """One command per instance, without what never happens: what an engine searches when no symmetry is wanted."""
    return searchable(system if has_choice_at_start(system) else trimmed(system))


def searchable(system: System) -> System:
    """One command per instance; not where moves are counted by the arguments of commands, which then would be lost."""
    return system if system.count_once else ground(system)


def has_choice_at_start(system: System) -> bool:
    """Whether there may be many initial states; what follows looks at them one by one."""
    return any(command.parameters for command in system.start)


def specialise(system: System) -> tuple[System, tuple[Pin, ...]]:
    """The specialised System, and what kept numbers of atoms from being taken for atoms."""
    if has_choice_at_start(system):
        return name_identities(fold_owner_constants(fold_numbers(system)))
    known = system = trimmed(system)
    if not system.count_once:
        system = tabulate(system)
    system, pins = name_identities(fold_owner_constants(fold_numbers(system)))
    return without_constants(system, known), pins


def trimmed(system: System) -> System:
    """Constants taken out of the state, and what never happens."""
    known = extract_constants(system)
    return without_constants(trim(known), known)


def without_constants(system: System, known: System) -> System:
    """Further constants, and what they show to be impossible, where a command or a variable of ``known``, which has no
    constants any more, is gone or another."""
    if len(system.commands) == len(known.commands) and system.variables == known.variables:
        return system
    smaller = extract_constants(system)
    return system if smaller is system else trim(smaller)
