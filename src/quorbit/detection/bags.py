"""Only the exchanges that bags are made of: what is left of the symmetry where it is switched off."""

from __future__ import annotations

from quorbit.model.system.system import System
from quorbit.source.frozen import replace

__all__ = ["only_bags"]


def only_bags(system: System) -> System:
    """The System in which only the atoms of bags can be exchanged: all others have a colour of their own."""
    atoms = (a if a.sort in system.bags else replace(a, colour=f"{a.colour} {k}") for k, a in enumerate(system.atoms))
    return replace(system, atoms=tuple(atoms))
