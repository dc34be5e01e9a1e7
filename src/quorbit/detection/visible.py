"""Which atoms the states of a System can show at all: symmetries of others would be told without having any effect.

A channel without a buffer leaves no trace in a state, a place that never changes tells nothing, and a location that is
never reached can only be exchanged for one that is reached in states which are not.  As far as a glance at the commands
tells (possible.py), from the initial states.
"""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.groups.group import Group, orbits
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.specialise.possible import Possible
from quorbit.model.system.system import State, System
from quorbit.model.system.types import atoms_in, atoms_of


class Visible:
    """The atoms that a reachable state may hold, and those that own a place which may change."""

    def __init__(self, system: System, starts: Iterable[State]) -> None:
        self.held: set[int] = set()
        self.owners: set[int] = set()
        possible = Possible(system, starts)
        for place in system.places:
            values = possible.values.get(place.address)
            if values is None:
                self.held.update(atoms_of(place.type))
            else:
                self.held.update(a for value in values for a in atoms_in(place.type, value))
            if values is None or len(values) > 1:
                self.owners.update(place.owners)


def unreached_values(system: System, visible: Visible, group: Group) -> tuple[int, ...]:
    """The values that a group moves although no reachable state holds them."""
    return tuple(a for a in group.moved if is_value(system.atoms[a].sort) and not seen(visible, a))


def seen(visible: Visible, a: int) -> bool:
    return a in visible.held or a in visible.owners


def shown_by_states(visible: Visible, group: Group) -> frozenset[int]:
    """The atoms in orbits of which some atom is seen."""
    return frozenset(a for orbit in orbits(group) if any(seen(visible, a) for a in orbit) for a in orbit)
