"""What the first step of a run writes, written at the start already, where nobody can tell.

`init { atomic { box[0]!token; run node(0); ... } }` is a step like others: it gives the token to one process, and no
exchange of processes keeps it.  Written at the start the token costs no symmetry, since these may move the start.
"""

from __future__ import annotations

from quorbit.model.meaning.evaluate import Meaning, Move
from quorbit.model.meaning.value_names import LOCATION
from quorbit.model.specialise.constants import (
    Constant,
    first_moves,
    is_never_again,
    read_early,
    still_first,
    targets,
    with_values,
)
from quorbit.model.specialise.constants import without_constants as without_writes
from quorbit.model.specialise.start import Started, write_starts
from quorbit.model.system.command import Assign, Together
from quorbit.model.system.expression import Fresh, Literal, Read, atom, number
from quorbit.model.system.system import State, System
from quorbit.source.frozen import replace


def write_early(started: Started) -> Started:
    """The same System; its runs differ in what some variables hold in the initial state, which nobody reads."""
    assert started.states is not None
    system, initial = started.system, started.states
    meaning = Meaning(system)
    first = first_moves(system, initial, meaning)
    once = {firing.command for move in first for firing in move.firings}
    if any(isinstance(p.domain, Fresh) for c in once for p in system.commands[c].parameters):
        return started  # processes that are created one by one
    names = {target.variable for c in once for target in targets(system.commands[c])} - read_early(system, once)
    names = {name for name in names if not name.endswith(LOCATION)}
    found = written_alike(system, names, initial[0], first) if names and first else {}
    if not found or not is_never_again(started, *first) or not still_first(meaning, found, initial[0], first):
        return started
    commands = tuple(without_writes(c, set(found)) if k in once else c for k, c in enumerate(system.commands))
    early = Together(tuple(assignments(system, found)))
    start = tuple(replace(command, effect=(*command.effect, early)) for command in system.start)
    later = replace(system, commands=commands, start=start)
    changed = replace(later, start=write_starts(later))  # what stood there before is no longer a value of the variable
    return Started(changed, (with_values(system, initial[0], found),))


def written_alike(system: System, names: set[str], s: State, first: list[Move]) -> dict[str, Constant]:
    """The variables that have the same values after every first move, and not those of the initial state.  What is
    different for every owner numbers the owners: their exchange would map no reachable state to another."""
    found: dict[str, Constant] = {}
    reached = [move.target for move in first]
    for name in sorted(names):
        places = {(p.owners, p.indices): i for i, p in enumerate(system.places) if p.variable == name}
        alike = all(t[i] == reached[0][i] for i in places.values() for t in reached)
        numbers = len(places) > 1 and len({reached[0][i] for i in places.values()}) == len(places)
        if alike and not numbers and any(reached[0][i] != s[i] for i in places.values()):
            found[name] = {at: reached[0][i] for at, i in places.items()}
    return found


def assignments(system: System, found: dict[str, Constant]) -> list[Assign]:
    return [
        Assign(
            Read(place.variable, tuple(map(atom, place.owners)), tuple(map(number, place.indices))),
            Literal(found[place.variable][place.owners, place.indices], place.type),
        )
        for place in system.places
        if place.variable in found
    ]
