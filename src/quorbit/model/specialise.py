"""From what a front end says to what detection and engines work on: the System, specialised for this one model.

Each step keeps the meaning: states, moves and verdicts are those of the System that came in, up to how values are
named.
"""

from __future__ import annotations

from quorbit.model.constants import extract_constants
from quorbit.model.identities import Pin, name_identities
from quorbit.model.numbering import recognise_numberings
from quorbit.model.system import System
from quorbit.model.trim import trim


def specialise(system: System) -> tuple[System, tuple[Pin, ...]]:
    """The specialised System, and what kept numbers of atoms from being taken for atoms."""
    system = trim(extract_constants(trim(system)))
    system, pins = name_identities(recognise_numberings(system))
    return trim(extract_constants(system)), pins
