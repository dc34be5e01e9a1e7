"""From what a front end says to what detection and engines work on: the System, specialised for this one model.

Each step keeps the meaning: states, moves and verdicts are those of the System that came in, up to how values are
named.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from math import prod

from quorbit.model.specialise.constants import extract_constants, may_have_constants
from quorbit.model.specialise.early import write_early
from quorbit.model.specialise.forget import forget_unread
from quorbit.model.specialise.ground import ground
from quorbit.model.specialise.identities.classes import Pin
from quorbit.model.specialise.identities.naming import name_identities
from quorbit.model.specialise.numbering import fold_numbers
from quorbit.model.specialise.owner_constants import fold_owner_constants
from quorbit.model.specialise.start import Started, run_start
from quorbit.model.specialise.trim import trim
from quorbit.model.specialise.value_cases import answer_cases
from quorbit.model.system.command import Command
from quorbit.model.system.expression import Atoms
from quorbit.model.system.system import State, System
from quorbit.model.system.types import NONE
from quorbit.model.system.walk import expressions_of, walk
from quorbit.source.frozen import frozen

LARGEST_GROUND = 60_000  # nodes of expressions
MOST_INSTANCES = 5_000  # that are tried

__all__ = ["Known", "Special", "is_even", "is_large", "reword", "searchable", "settle", "specialise", "written_out"]


def settle(system: System) -> System:
    """One command per instance, without what never happens: what an engine searches when no symmetry is wanted."""
    started = run_start(system)
    return searchable(system if started.states is None else trimmed(extract_constants(started)).system)


def searchable(system: System) -> System:
    """One command per instance; not where moves are counted by the arguments of commands, which then would be lost, nor
    where that would be a very long program."""
    return system if system.count_once or is_large(system) else ground(system)


def is_large(system: System) -> bool:
    """Whether the commands of all instances together are more than is worth compiling one by one."""
    total = 0
    for command in system.commands:
        if (instances := instances_of(command)) > 1:
            total += instances * size_of(command)
        if total > LARGEST_GROUND:
            return True
    return False


def written_out(system: System) -> System:
    """One command per instance also where the commands look large, if what is left of them is not: in an instance most
    questions about who is meant are answered."""
    total = sum(map(instances_of, system.commands))
    if system.count_once or not len(system.commands) < total <= MOST_INSTANCES:
        return system
    grounded = ground(system)
    return system if sum(map(size_of, grounded.commands)) > LARGEST_GROUND else grounded


def instances_of(command: Command) -> int:
    return prod(len(p.domain.atoms) for p in command.parameters if isinstance(p.domain, Atoms))


def size_of(command: Command) -> int:
    return sum(1 for e in expressions_of(command) for _ in walk(e))


@frozen
class Special:
    """A System specialised for this one model, with its initial states, and what kept numbers of atoms from being taken
    for atoms.  ``known``: the System it was made of, with its constants taken out, for other wordings."""

    system: System
    states: tuple[State, ...] | None
    pins: tuple[Pin, ...]
    known: Known

    @property
    def started(self) -> Started:
        return Started(self.system, self.states)


def specialise(system: System) -> Special:
    """The System in the first wording that is looked at."""
    return reword(Known(extract_constants(run_start(system))))


@frozen
class Known:
    """A System whose constants are taken out; what is cut away of it is found once for all ways to look at it."""

    started: Started

    @cached_property
    def smaller(self) -> Started:
        """Without what never happens.  Requires: the initial states are known."""
        return self.cut(evenly=False)

    @cached_property
    def evenly_smaller(self) -> Started:
        """The same, but nothing is cut away that may happen to another atom of the same kind (trim.py)."""
        return self.cut(evenly=True)

    def cut(self, evenly: bool) -> Started:
        small = trimmed(self.started, evenly)
        if (early := write_early(small)) is not small:
            small = trimmed(extract_constants(early), evenly)  # what nobody writes any more is constant
        return small if small.system.count_once else answer_cases(small)


def reword(known: Known, evenly: bool = False, scratch: frozenset[str] = frozenset()) -> Special:
    """A System whose constants are taken out, specialised.

    ``evenly``: nothing is cut away that may happen to another atom of the same kind.  ``scratch``: variables that count
    through arrays and pin nothing (identities/analysis.py)."""
    if known.started.states is None:
        started, pins = name_identities(fold(known.started))
        return Special(started.system, None, pins, known)
    named, pins = name_identities(fold(known.evenly_smaller if evenly else known.smaller), scratch)
    named = without_constants(named, evenly)
    return Special(named.system, named.states, pins, known)


def fold(started: Started) -> Started:
    """Numbers of atoms, and arithmetic on constants of a process, as definitions; no place changes."""
    return Started(fold_owner_constants(fold_numbers(started.system)), started.states)


def trimmed(known: Started, evenly: bool = False) -> Started:
    """Without what never happens, what nobody reads and the constants that this shows; ``known`` has no others."""
    return without_constants(forget_unread(trim(known, evenly)), evenly)


def without_constants(started: Started, evenly: bool = False) -> Started:
    """Without constants that came to light when something else was taken away, and without what they show to be
    impossible."""
    if not may_have_constants(started):
        return started
    smaller = extract_constants(started)
    return started if smaller is started else trim(smaller, evenly)


def is_even(special: System) -> bool:
    """Whether every command is there for all atoms of a kind that do anything, or for none of them."""
    domains = [p.domain.atoms for c in special.commands for p in c.parameters if isinstance(p.domain, Atoms)]
    active = {a for atoms in domains for a in atoms if a != NONE}
    size: Counter[tuple[str, str]] = Counter((special.atoms[a].sort, special.atoms[a].colour) for a in active)
    return all(sum(size[kind] for kind in kinds_in(special, atoms)) == len(set(atoms) - {NONE}) for atoms in domains)


def kinds_in(system: System, atoms: tuple[int, ...]) -> set[tuple[str, str]]:
    return {(system.atoms[a].sort, system.atoms[a].colour) for a in atoms if a != NONE}
