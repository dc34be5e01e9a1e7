"""Start states: run on the first reading, then written down as values for the second one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorbit.languages.murphi.lower.frame import SCRATCH
from quorbit.languages.murphi.lower.store import Slots, Store
from quorbit.languages.murphi.types import Simple, bounds
from quorbit.model.meaning.evaluate import Fault, Firing, Meaning
from quorbit.model.system.command import Assign, Command, Together
from quorbit.model.system.expression import TRUE, Expr, Literal, Read, atom, number
from quorbit.model.system.system import ASSUMED, BLOCKED, Place, State, System, places_of
from quorbit.model.system.types import TRUTH, Value
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE

MOST_STARTS = 200_000


@frozen
class Started:
    """The start states as numbers, and the parts of variables that are undefined in some of them; ``failed``: whether
    the model goes wrong before it has begun."""

    system: System
    states: tuple[State, ...]
    undefined: frozenset[str]
    failed: bool = False


def run_starts(name: str, store: Store, starts: list[Command], assumptions: list[Expr]) -> Started:
    """Run every start state for all values of its parameters."""
    system = System(name, tuple(store.atoms), tuple(store.variables.values()), tuple(starts))
    meaning = Meaning(system)
    blank = blank_state(store, system)
    found: dict[State, None] = {}
    for k, command in enumerate(system.commands):
        for env in meaning.bindings(command, blank):
            s, violation = meaning.fire(blank, Firing(k, tuple(env[p.name] for p in command.parameters)))
            if violation is not None and violation.property not in (ASSUMED, BLOCKED):
                return Started(system, (), frozenset(store.keys.values()), failed=True)
            if violation is None and is_assumed(meaning, assumptions, s):
                found[s] = None
            if len(found) > MOST_STARTS:
                raise UserError(command.span, f"there are more than {MOST_STARTS} start states")
    states = tuple(found)
    undefined = {
        store.keys[place.variable]
        for s in states
        for place, value in zip(system.places, s, strict=True)
        if is_absent(store, place, value) and not place.variable.startswith(SCRATCH)
    }
    return Started(system, states, frozenset(undefined))


def is_assumed(meaning: Meaning, assumptions: list[Expr], s: State) -> bool:
    try:
        return all(meaning.holds(e, s) for e in assumptions)
    except Fault as fault:
        raise UserError(fault.span, f"an assumption has no value in a start state: {fault.message}") from None


def blank_state(store: Store, system: System) -> State:
    """Everything undefined, all multisets empty."""
    found: list[Value] = []
    for place in system.places:
        type = store.types.get(place.variable)  # None: whether a slot is present
        found.append(0 if type is None else store.absent(type, NOWHERE).value)
    return tuple(found)


def as_rules(store: Store, starts: list[Command]) -> tuple[list[Command], list[Command]]:
    """The start states as commands, and a start where everything is undefined: a run that shows which of them fails."""
    blank = [Assign(read, value) for read, value in undefined_values(store, store.variables)]
    return starts, [Command("everything is undefined", TRUE, (Together(tuple(blank)),))]


def is_absent(store: Store, place: Place, value: Value) -> bool:
    type = store.types.get(place.variable)
    return type is not None and value == store.absent(type, NOWHERE).value


# From one way of storing to another.


def carry_over(old: Store, new: Store, started: Started) -> Iterator[Command]:
    """A start command for each state, with what every place holds."""
    names = {key: name for name, key in new.keys.items()}
    carried = []  # the place in the new store, and what its values become
    for i, place in enumerate(started.system.places):
        key = old.keys[place.variable]
        if key in names:
            carried.append((i, target(new, names[key], old, place), Values(old, new, place)))
    silent = [Assign(read, value) for read, value in scratch_values(new, old)]
    for s in started.states:
        assignments = [Assign(read, values.of(s[i])) for i, read, values in carried]
        yield Command("start", TRUE, (Together((*assignments, *silent)),))


def target(new: Store, name: str, old: Store, place: Place) -> Read:
    """The place in the new store for one in the old, where all but slots are positions."""
    owners, indices = iter(place.owners), iter(place.indices)
    new_owners: list[Expr] = []
    new_indices: list[Expr] = []
    for before, after in zip(old.dimensions[place.variable], new.dimensions[name], strict=True):
        if isinstance(before, Slots):
            assert isinstance(after, Slots)
            new_owners.append(atom(after.atoms[before.atoms.index(next(owners))]))
        else:
            assert not isinstance(after, Slots)
            position, is_owner = new_position(new, after, next(indices))
            (new_owners if is_owner else new_indices).append(position)
    return Read(name, tuple(new_owners), tuple(new_indices))


def new_position(new: Store, type: Simple, position: int) -> tuple[Expr, bool]:
    value = new.literal(type, bounds(type)[0] + position, NOWHERE)
    return (value, True) if new.sort_of(type) is not None else (number(position), False)


class Values:
    """What the values of one place become."""

    def __init__(self, old: Store, new: Store, place: Place) -> None:
        self.old, self.new, self.place = old, new, place
        self.known: dict[Value, Literal] = {}

    def of(self, value: Value) -> Literal:
        if value not in self.known:
            self.known[value] = self.find(value)
        return self.known[value]

    def find(self, value: Value) -> Literal:
        type = self.old.types.get(self.place.variable)
        if type is None:  # whether a slot is present
            return Literal(value, TRUTH)
        if is_absent(self.old, self.place, value):
            return self.new.absent(type, NOWHERE)
        assert isinstance(value, int)
        return self.new.literal(type, value, NOWHERE)


def scratch_values(new: Store, old: Store) -> Iterator[tuple[Read, Literal]]:
    """Scratch variables are undefined when no command runs."""
    known = set(old.keys.values())
    return undefined_values(new, [name for name in new.variables if new.keys[name] not in known])


def undefined_values(store: Store, names: Iterable[str]) -> Iterator[tuple[Read, Literal]]:
    """The places of these variables with what stands for undefined; the slots of multisets are empty."""
    for name in names:
        type = store.types.get(name)
        value = Literal(0, TRUTH) if type is None else store.absent(type, NOWHERE)
        for place in places_of(store.variables[name]):
            yield Read(name, tuple(map(atom, place.owners)), tuple(map(number, place.indices))), value
