"""Room in queues: sends that cannot block, since no more messages are ever sent than fit.

A broadcast (`for (i : 0 .. N-1) { box[i]!prepare }`) inside `atomic` is seen in the middle where a box is full.  Where
each of its sends is behind a location that a process passes at most once, a box holds no more messages than sends were
done: those of all other processes, and those that this process may have done before.

A fact is about stored states: where a process is at a location, a queue holds fewer than so many messages.  Facts hold
in all states that are reached.  They need to hold in the images of these states as well, where a search of the quotient
goes on: so the System that is proved says them in commands that never run, and a permutation that keeps these maps
facts to facts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from quorbit.model.meaning.value_names import LOCATION
from quorbit.model.system.command import Assign, Command, Require, Together, assignments_in
from quorbit.model.system.expression import (
    FALSE,
    Apply,
    AtomAt,
    Condition,
    Expr,
    Literal,
    Operator,
    Read,
    atom,
    number,
)
from quorbit.model.system.system import Address, System
from quorbit.model.system.types import QueueOf, Value, atoms_of, default
from quorbit.source.frozen import frozen

__all__ = ["ROOM", "Fact", "asked_room", "records_of", "unproved"]

ROOM = "the room in a queue"  # the label of what says a fact
O = Operator
Location = tuple[int, Value]  # a process and where it is


@frozen
class Fact:
    """Where a process is at a location, the queue at an address holds fewer messages than ``most``."""

    where: Location
    at: Expr  # the same as a condition
    queue: Address
    most: int


def asked_room(e: Expr) -> tuple[Read, int] | None:
    """The queue at the stored state that must hold fewer messages than so many, if that is all that a condition on the
    way asks for."""
    match e:
        case Apply(O.LESS, (Apply(O.SIZE, (queue,)), Literal(int(most)))):
            added = 0
            while isinstance(queue, Apply) and queue.operator is O.APPEND:
                queue, added = queue.operands[0], added + 1
            return (queue, most - added) if isinstance(queue, Read) and is_fixed(queue) else None
        case _:
            return None


def is_fixed(place: Read) -> bool:
    return all(isinstance(e, Literal) for e in (*place.owners, *place.indices))


def records_of(system: System, facts: Iterable[Fact]) -> list[Command]:
    """Commands that never run and say the facts."""
    return [Command(ROOM, Apply(O.AND, (FALSE, fact.at, has_room(system, fact)))) for fact in facts]


def has_room(system: System, fact: Fact) -> Expr:
    place = system.places[system.index[fact.queue]]
    queue = Read(place.variable, tuple(map(atom, place.owners)), tuple(map(number, place.indices)))
    return Apply(O.LESS, (Apply(O.SIZE, (queue,)), number(fact.most)))


def unproved(system: System, facts: Iterable[Fact]) -> set[Fact]:
    """The facts that counting sends does not show, in a System whose stored states are those of these commands."""
    asked = list(facts)
    try:
        sends = Sends(system) if asked else None
    except Unknown:
        return set(asked)
    return {fact for fact in asked if sends is not None and not sends.shows(fact)}


class Unknown(Exception):
    """It is not known where a command leads."""


class Sends:
    """Where processes go, and which commands put messages into queues."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.after: dict[Location, set[Value]] = {}
        self.queues = {v.name for v in system.variables if isinstance(v.type, QueueOf)}
        self.senders = [
            c for c in system.commands if any(a.target.variable in self.queues for a in assignments_in(c.effect))
        ]
        started: dict[int, list[Command]] = {}
        for command in system.commands:
            asked = dict(locations_in(command))
            for owner, value in moves_of(command):
                if owner in asked:
                    self.after.setdefault((owner, asked[owner]), set()).add(value)
                else:
                    started.setdefault(owner, []).append(command)
        for owner, commands in started.items():
            self.check_starts(owner, commands, started)

    def check_starts(self, process: int, commands: list[Command], started: Mapping[int, object]) -> None:
        """A process that others move must be one that `init` starts, once, and that does nothing before."""
        asked = [p for p, _ in locations_in(commands[0]) if p not in started]
        if len(commands) > 1 or not any(self.is_left(p, commands[0]) for p in asked):
            raise Unknown
        if any((process, value) in self.after for value in self.first(process)):
            raise Unknown

    def first(self, process: int) -> set[Value]:
        """Where a process may be at the start."""
        (variable,) = {
            p.variable for p in self.system.places if p.variable.endswith(LOCATION) and p.owners == (process,)
        }
        begun = [dict(moves_of(command)).get(process) for command in self.system.start]
        return {default(self.system.variable[variable].type) if value is None else value for value in begun}

    def shows(self, fact: Fact) -> bool:
        total = self.at_the_start(fact.queue)
        for command in self.senders:
            if total is None:
                return False
            more = self.sent(command, fact)
            total = None if more is None else total + more
        return total is not None and total < fact.most

    def sent(self, command: Command, fact: Fact) -> int | None:
        """How many messages a command may have put into the queue by the time the process is at the location; None if
        there is no bound."""
        grown = self.growth(command, fact.queue)
        once = [p for p, _ in locations_in(command) if self.is_left(p, command)]
        process, at = fact.where
        if grown == 0 or (process in once and at not in self.reached(process, {dict(moves_of(command))[process]})):
            return 0
        return grown if once else None

    def is_left(self, process: int, command: Command) -> bool:
        """Whether a process leaves the location at which the command runs, and never comes back."""
        at, moved = dict(locations_in(command))[process], dict(moves_of(command))
        return process in moved and at not in self.reached(process, {moved[process]})

    def reached(self, process: int, values: set[Value]) -> set[Value]:
        """Where a process may come to from these locations, and these."""
        seen, waiting = set(values), list(values)
        while waiting:
            new = self.after.get((process, waiting.pop()), set()) - seen
            seen |= new
            waiting += new
        return seen

    def growth(self, command: Command, queue: Address) -> int | None:
        """By how many messages a command makes a queue longer, at most; None if that is not known."""
        touching = [a for a in assignments_in(command.effect) if self.may_be(a.target, queue)]
        found = [longer(a.value, a.target) for a in touching]
        if not touching:
            return 0
        if None in found or not all(isinstance(step, Together | Require) for step in command.effect):
            return None
        return sum(n for n in found if n is not None)

    def may_be(self, target: Read, queue: Address) -> bool:
        variable, owners, indices = queue
        if target.variable != variable:
            return False
        pairs = zip((*target.owners, *target.indices), (*owners, *indices), strict=True)
        return all(self.may_hold(e, value) for e, value in pairs)

    def may_hold(self, e: Expr, value: Value) -> bool:
        match e:
            case Literal(known):
                return known == value
            case AtomAt(_, numbering):
                return value in numbering
            case Read(variable):
                atoms = tuple(atoms_of(self.system.variable[variable].type))
                return not atoms or value in atoms
            case _:
                return True

    def at_the_start(self, queue: Address) -> int | None:
        """How many messages a queue begins with, at most."""
        most = 0
        for a in (a for command in self.system.start for a in assignments_in(command.effect)):
            if self.may_be(a.target, queue):
                match a.value:
                    case Literal(tuple(messages)):
                        most = max(most, len(messages))
                    case _:
                        return None
        return most


def longer(value: Expr, target: Read) -> int | None:
    """By how many messages a value of a queue is longer than what it was, at most."""
    match value:
        case Read() if value == target:
            return 0
        case Literal(tuple(messages)):
            return len(messages)
        case Apply(O.APPEND | O.INSERT_SORTED, (queue, _)):
            inner = longer(queue, target)
            return None if inner is None else inner + 1
        case Apply(O.REST, (queue,)) | Apply(O.WITHOUT, (queue, _)):
            return longer(queue, target)
        case Condition(_, then, other):
            both = longer(then, target), longer(other, target)
            return None if None in both else max(n for n in both if n is not None)
        case _:
            return None


def moves_of(command: Command) -> Iterator[tuple[int, Value]]:
    """The processes that a command moves, and where to."""
    for a in assignments_in(command.effect):
        if a.target.variable.endswith(LOCATION):
            yield literal_move(a)


def literal_move(a: Assign) -> tuple[int, Value]:
    match a:
        case Assign(Read(_, (Literal(int(owner)),), ()), Literal(value)):
            return owner, value
        case _:
            raise Unknown


def locations_in(command: Command) -> Iterator[Location]:
    """Every process and location that the guard asks for."""
    waiting = [command.guard]
    while waiting:
        e = waiting.pop()
        match e:
            case Apply(O.AND, operands):
                waiting += operands
            case Apply(O.EQUAL, (Read(variable, (Literal(int(owner)),), ()), Literal(value))):
                if variable.endswith(LOCATION):
                    yield owner, value
