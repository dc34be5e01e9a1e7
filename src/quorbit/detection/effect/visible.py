"""Which atoms the states of a System can show at all: symmetries of others would be told without having any effect.

A channel without a buffer leaves no trace in a state, a place that never changes tells nothing, and a location that is
never reached can only be exchanged for one that is reached in states which are not.  As far as a glance at the commands
tells (possible.py), from the initial states.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from quorbit.detection.steps.counting import Unsayable, control_variable, keeps_control
from quorbit.detection.steps.ways import is_always_one
from quorbit.groups.chain import order
from quorbit.groups.group import Group, orbits, restrict
from quorbit.groups.moves import Moves
from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.permute import permute_step
from quorbit.model.meaning.value_names import LOCATION
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.specialise.possible.addresses import static_address
from quorbit.model.specialise.possible.outline import Outline
from quorbit.model.specialise.possible.run import Possible
from quorbit.model.system.command import Command, Require, Step, Together, assignments_in
from quorbit.model.system.expression import (
    Apply,
    Atoms,
    Bound,
    Expr,
    Interval,
    Literal,
    Operator,
    Read,
    Use,
    conjunction,
    conjuncts_of,
)
from quorbit.model.system.system import Address, State, System
from quorbit.model.system.types import Value, atoms_in, atoms_of, default
from quorbit.model.system.walk import walk

__all__ = ["Visible", "is_plainly_shown", "may_hide", "shown_by_states", "unreached_values"]


class Visible:
    """The atoms that a reachable state may hold, and those that own a place which may change."""

    def __init__(self, system: System, starts: Iterable[State]) -> None:
        self.held: set[int] = set()
        self.passed: set[int] = set()  # held by states that are not stored: it moves along with others, if at all
        self.owners: set[int] = set()
        possible, passed = Possible(Outline(system), starts, from_start=True), passed_through(system)
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
    for e in conjuncts_of(command.guard):
        match e:
            case Apply(Operator.EQUAL, (Read(variable) as place, Literal(value))) if variable.endswith(LOCATION):
                address = static_address(place)
                where = where or (None if address is None else (address, value))
            case _ if all(part.variable == control for part in walk(e) if isinstance(part, Read)):
                pass
            case _:
                rest.append(e)
    return where, conjunction(rest)


def may_hide(system: System) -> bool:
    """Whether there may be atoms that no state shows, other than the inputs of a circuit, which are exchanged."""
    has_actors = any(command.actors for command in system.commands)
    return has_actors and not any(command.parameters for command in system.start)


def is_plainly_shown(system: System, group: Group) -> bool:
    """Whether a glance at what commands write tells that no symmetry moves only what no state shows: each orbit has an
    atom that owns a place which changes, or moves along with such orbits, and every value that moves is written."""
    shown, held = plainly_shown(system)
    if shown.issuperset(group.moved):
        return True
    if not all(a in shown or a in held for a in group.moved if is_value(system.atoms[a].sort)):
        return False
    points = [a for orbit in orbits(group) if not shown.isdisjoint(orbit) for a in orbit]
    return order(restrict(group, points)) == order(group)


def plainly_shown(system: System) -> tuple[set[int], set[int]]:
    """The atoms that own a place which changes, and those that are written somewhere, at a glance; commands may range
    over atoms."""
    values: dict[tuple[str, tuple[int, ...], tuple[Expr, ...]], set[Value]] = {}
    blank = {v.name: default(v.type) for v in system.variables}
    shown: set[int] = set()
    held: set[int] = set()
    for k, command in enumerate((*system.start, *system.commands)):
        is_start = k < len(system.start)
        ranged = {p.name: p.domain.atoms for p in command.parameters if isinstance(p.domain, Atoms)}
        for a in assignments_in(command.effect):
            variable, indices = a.target.variable, a.target.indices
            if isinstance(a.value, Literal):
                held.update(atoms_in(a.value.type, a.value.value))
            for owners in product(*(atoms_meant(system, e, ranged) for e in a.target.owners)):
                known = values.get((variable, owners, indices))
                if known is None:
                    known = values[variable, owners, indices] = set() if is_start else {blank[variable]}
                if isinstance(a.value, Literal):
                    known.add(a.value.value)
                if len(known) > 1 or not isinstance(a.value, Literal):
                    shown.update(owners)
    return shown, held


def atoms_meant(system: System, owner: Expr, ranged: dict[str, tuple[int, ...]]) -> list[int]:
    """The atoms that an owner stands for, if that is written down."""
    match owner:
        case Literal(int(a)):
            return [a]
        case Bound(name):
            return list(ranged.get(name, ()))
        case Use(definition, (inner,)):
            bodies = [system.definition.get((definition, (a,))) for a in atoms_meant(system, inner, ranged)]
            return [body.value for body in bodies if isinstance(body, Literal) and isinstance(body.value, int)]
        case _:
            return []


def unreached_values(system: System, visible: Visible, group: Group) -> tuple[int, ...]:
    """The values that a group moves although no reachable state holds them."""
    values = [a for a in group.moved if is_value(system.atoms[a].sort)]
    return tuple(a for a in values if a not in visible.passed and not seen(visible, a))


def seen(visible: Visible, a: int) -> bool:
    return a in visible.held or a in visible.owners


def shown_by_states(visible: Visible, group: Group) -> frozenset[int]:
    """The atoms in orbits of which some atom is seen."""
    return frozenset(a for orbit in orbits(group) if any(seen(visible, a) for a in orbit) for a in orbit)


def idle_moves(grounded: System, group: Group) -> set[Moves]:
    """The generators that surely fix every reachable state: what the start and every command write is its own image,
    so that from a state that they fix they lead to another one.  What the atoms do that move is looked at first."""
    commands = (*grounded.commands, *grounded.start)
    if not all(isinstance(p.domain, Interval) for command in commands for p in command.parameters):
        return set()
    by_actor: dict[int, list[Command]] = {}
    for command in commands:
        for actor in command.actors:
            if isinstance(actor, Literal) and isinstance(actor.value, int):
                by_actor.setdefault(actor.value, []).append(command)
    found: set[Moves] = set()
    for moves, g in zip(group.moves, group.generators, strict=True):
        own = [command for a, _ in moves for command in by_actor.get(a, ())]
        if all(writes_alike(command, g) for command in (*own, *commands)):
            found.add(moves)
    return found


def writes_alike(command: Command, g: Permutation) -> bool:
    return all(does_the_same(step, permute_step(step, g)) for step in command.effect)


def does_the_same(step: Step, image: Step) -> bool:
    match step, image:
        case Together(assignments), Together(others):
            return assignments == others or set(assignments) == set(others)
        case Require(), Require():
            return True  # whoever goes on writes nothing
        case _:
            return False
