"""Which commands to look at in a state: most guards first ask whether one place has one value, such as where a process
stands, and a table from these values to the commands spares looking at all others.

Short names: s a state; c the number of a command; i the number of a place.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import groupby
from operator import itemgetter

from quorbit.model.specialise.possible.addresses import static_address
from quorbit.model.system.command import Command
from quorbit.model.system.expression import (
    Apply,
    Atoms,
    Bound,
    Expr,
    Interval,
    Literal,
    Operator,
    Parameter,
    Read,
)
from quorbit.model.system.system import State, System
from quorbit.model.system.types import NONE, Value
from quorbit.source.frozen import frozen

__all__ = ["Asked", "Dispatch", "asked_first", "make_dispatch"]

Begun = dict[str, Value]  # the values of the first parameters
Entry = tuple[int, int, Begun | None]  # the command, the position among its ways to begin, and that way; None: all ways


@frozen
class Asked:
    """What the guard of a command asks for first: the value, and the places that may have it, each with the parameter
    that it belongs to."""

    value: Value
    places: tuple[tuple[int, Begun], ...]


@frozen
class Dispatch:
    """For each place that is asked for, what to look at by its value; and what to look at in every state."""

    by_place: tuple[tuple[int, dict[Value, list[Entry]]], ...]
    always: tuple[Entry, ...]

    def looked_at(self, s: State) -> list[tuple[int, list[Begun | None]]]:
        """The commands that may run in s, in their order, each with the ways to begin."""
        found = list(self.always)
        for i, by_value in self.by_place:
            found += by_value.get(s[i], ())
        found.sort(key=itemgetter(0, 1))
        return [(c, [entry[2] for entry in entries]) for c, entries in groupby(found, itemgetter(0))]


def make_dispatch(system: System) -> Dispatch:
    by_place: dict[int, dict[Value, list[Entry]]] = defaultdict(lambda: defaultdict(list))
    always: list[Entry] = []
    for c, command in enumerate(system.commands):
        asked = asked_first(system, command)
        if asked is None:
            always.append((c, 0, None))
            continue
        for k, (i, begun) in enumerate(asked.places):
            by_place[i][asked.value].append((c, k, begun))
    return Dispatch(tuple((i, dict(by_value)) for i, by_value in by_place.items()), tuple(always))


def asked_first(system: System, command: Command) -> Asked | None:
    """What the guard asks for first, if that is a place, written out or of the atom that is the first parameter.

    A later parameter has a domain that always has a value: to leave it out where the guard does not hold hides no
    run-time error."""
    if not all(isinstance(p.domain, Atoms | Interval) for p in command.parameters[1:]):
        return None
    match first_conjunct(command.guard), command.parameters:
        case Apply(Operator.EQUAL, (Read() as place, Literal(value))), ():
            address = static_address(place)
            ways: list[tuple[int | None, Begun]] = [(None if address is None else system.index.get(address), {})]
        case (
            Apply(Operator.EQUAL, (Read(variable, (Bound(owner),), ()), Literal(value))),
            (Parameter(name, Atoms(atoms)), *_),
        ) if owner == name and NONE not in atoms:
            ways = [(system.index.get((variable, (a,), ())), {name: a}) for a in atoms]
        case _:
            return None
    places = tuple((i, begun) for i, begun in ways if i is not None)
    return Asked(value, places) if len(places) == len(ways) else None


def first_conjunct(guard: Expr) -> Expr:
    while isinstance(guard, Apply) and guard.operator is Operator.AND and guard.operands:
        guard = guard.operands[0]
    return guard
