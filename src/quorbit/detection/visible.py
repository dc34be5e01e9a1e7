"""Which atoms the states of a System can show at all: symmetries of others would be told without having any effect.

A channel without a buffer leaves no trace in a state, a place that never changes tells nothing, and a location that is
never reached can only be exchanged for one that is reached in states which are not.  As far as a glance at the commands
tells (possible.py), from the initial states.
"""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.detection.steps.counting import Unsayable, control_variable, keeps_control
from quorbit.detection.steps.ways import conjuncts, is_always_one
from quorbit.groups.group import Group, orbits
from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.permute import permute_step
from quorbit.model.meaning.value_names import LOCATION
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.specialise.possible import Possible, static_address
from quorbit.model.system.command import Command, Require, Step, Together, assignments_in
from quorbit.model.system.expression import Apply, Expr, Interval, Literal, Operator, Read, conjunction
from quorbit.model.system.system import Address, State, System
from quorbit.model.system.types import Value, atoms_in, atoms_of
from quorbit.model.system.walk import walk

__all__ = ["stays_as_it_is"]


class Visible:
    """The atoms that a reachable state may hold, and those that own a place which may change."""

    def __init__(self, system: System, starts: Iterable[State]) -> None:
        self.held: set[int] = set()
        self.passed: set[int] = set()  # held by states that are not stored: it moves along with others, if at all
        self.owners: set[int] = set()
        possible, passed = Possible(system, starts, from_start=True), passed_through(system)
        for place in system.places:
            values = possible.values.get(place.address)
            if values is None:
                self.held.update(atoms_of(place.type))
            else:
                for value in values:
                    held = self.passed if (place.address, value) in passed else self.held
                    held.update(atoms_in(place.type, value))
            if values is None or len(values) > 1:
                self.owners.update(place.owners)


def passed_through(system: System) -> set[tuple[Address, Value]]:
    """The locations that processes are at only while they are in control, and where they can always go on: no stored
    state shows them."""
    try:
        control = control_variable(system)
    except Unsayable:
        return set()
    kept: set[tuple[Address, Value]] = set()
    stored: set[tuple[Address, Value]] = set()
    for command in (*system.start, *system.commands):
        for a in assignments_in(command.effect):
            if a.target.variable.endswith(LOCATION):
                address = static_address(a.target)
                if address is None or not isinstance(a.value, Literal):
                    return set()
                (kept if keeps_control(command, control) else stored).add((address, a.value.value))
    guards: dict[tuple[Address, Value], list[Expr]] = {}
    for command in system.commands:
        where, rest = split_guard(command, control)
        if where is not None and not command.parameters and not command.rank and not command.turn:
            guards.setdefault(where, []).append(rest)
    return {where for where in kept - stored if is_always_one(guards.get(where, []))}


def split_guard(command: Command, control: str) -> tuple[tuple[Address, Value] | None, Expr]:
    """Where a process must be to run the command, and what else the guard asks for but that it may move."""
    where, rest = None, list[Expr]()
    for e in conjuncts(command.guard):
        match e:
            case Apply(Operator.EQUAL, (Read(variable) as place, Literal(value))) if variable.endswith(LOCATION):
                address = static_address(place)
                where = where or (None if address is None else (address, value))
            case _ if all(part.variable == control for part in walk(e) if isinstance(part, Read)):
                pass
            case _:
                rest.append(e)
    return where, conjunction(rest)


def is_plainly_shown(grounded: System, group: Group) -> bool:
    """Whether a glance at what commands write tells that all atoms that move own a place which changes."""
    if any(is_value(grounded.atoms[a].sort) for a in group.moved):
        return False
    values: dict[Read, set[Value]] = {}
    owners: set[int] = set()
    for a in (a for command in (*grounded.start, *grounded.commands) for a in assignments_in(command.effect)):
        atoms = [e.value for e in a.target.owners if isinstance(e, Literal) and isinstance(e.value, int)]
        known = values.setdefault(a.target, set())
        if isinstance(a.value, Literal):
            known.add(a.value.value)
        if len(known) > 1 or not isinstance(a.value, Literal):
            owners.update(atoms)
    return owners.issuperset(group.moved)


def unreached_values(system: System, visible: Visible, group: Group) -> tuple[int, ...]:
    """The values that a group moves although no reachable state holds them."""
    values = [a for a in group.moved if is_value(system.atoms[a].sort)]
    return tuple(a for a in values if a not in visible.passed and not seen(visible, a))


def seen(visible: Visible, a: int) -> bool:
    return a in visible.held or a in visible.owners


def shown_by_states(visible: Visible, group: Group) -> frozenset[int]:
    """The atoms in orbits of which some atom is seen."""
    return frozenset(a for orbit in orbits(group) if any(seen(visible, a) for a in orbit) for a in orbit)


def stays_as_it_is(grounded: System, g: Permutation) -> bool:
    """Whether g surely fixes every reachable state: what the start and every command write is its own image, so that
    from a state that g fixes they lead to another one."""
    return all(writes_alike(command, g) for command in (*grounded.start, *grounded.commands))


def writes_alike(command: Command, g: Permutation) -> bool:
    if not all(isinstance(p.domain, Interval) for p in command.parameters):
        return False
    return all(does_the_same(step, permute_step(step, g)) for step in command.effect)


def does_the_same(step: Step, image: Step) -> bool:
    match step, image:
        case Together(assignments), Together(others):
            return assignments == others or set(assignments) == set(others)
        case Require(), Require():
            return True  # whoever goes on writes nothing
        case _:
            return False
