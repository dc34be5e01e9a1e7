"""The static channel diagram: which process may send to and receive from which channel. [DM05, Definition 2]

Vertices are the processes and channels of a grounded System, coloured by proctype and channel type.  An arc leads from
a process to each channel it may append to, and from a channel to each process that may take from it.  As in the paper
only channels that are known beforehand count: written down, or held by a variable that gets one channel and no other
(a parameter).  A handshake has no contents, so it is an arc between the two processes.

The extension of [DM05, 5.5]: a vertex for each place of a shared variable, with arcs from the processes that may write
it and to those that may read it.  Places belong to processes here (`flag[_pid]`), so an arc leads to the owner too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorbit.graphs.graph import Graph, GraphBuilder
from quorbit.model.meaning.show import show_place
from quorbit.model.specialise.identities.naming import STRANGER, is_value
from quorbit.model.system.command import Command, assignments_in
from quorbit.model.system.expression import Apply, Expr, Literal, Operator, Read
from quorbit.model.system.system import Address, Place, System
from quorbit.model.system.types import NONE, AtomOf, QueueOf
from quorbit.model.system.walk import expressions_of, walk
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE

__all__ = ["HANDSHAKE", "OWNER", "READ", "WRITE", "ChannelDiagram", "channel_diagram", "is_value"]

SEND, RECEIVE, HANDSHAKE, WRITE, READ, OWNER = "send", "receive", "handshake", "write", "read", "owner"
APPENDING = (Operator.APPEND, Operator.INSERT_SORTED)
TAKING = (Operator.REST, Operator.WITHOUT)
LOOKING = (Operator.FIRST, Operator.ELEMENT)


@frozen
class ChannelDiagram:
    """Vertices are atoms of the System, then places of shared variables, numbered from the number of atoms on."""

    system: System
    processes: tuple[int, ...]
    channels: tuple[int, ...]
    shared: tuple[Place, ...]
    arcs: tuple[tuple[int, int, str], ...]

    @property
    def vertices(self) -> tuple[int, ...]:
        first = len(self.system.atoms)
        return (*self.processes, *self.channels, *range(first, first + len(self.shared)))

    def name(self, v: int) -> str:
        atoms = self.system.atoms
        return atoms[v].name if v < len(atoms) else show_place(self.system, self.shared[v - len(atoms)])

    def colour(self, v: int) -> tuple[object, ...]:
        """Proctype, channel type, or variable with its indices."""
        atoms = self.system.atoms
        if v < len(atoms):
            return "atom", atoms[v].sort, atoms[v].colour
        place = self.shared[v - len(atoms)]
        return "place", place.variable, place.indices


def channel_diagram(system: System, shared: bool = False) -> ChannelDiagram:
    """The diagram of a grounded System; ``shared``: extended with shared variables."""
    processes = processes_of(system)
    channels = tuple(a for a, atom in enumerate(system.atoms) if a not in processes and is_thing(atom.sort))
    held = only_channels(system)
    arcs = dict.fromkeys(arc for command in system.commands for arc in message_arcs(system, command, held))
    places, more = shared_places(system, processes) if shared else ((), ())
    arcs.update(dict.fromkeys(more))
    return ChannelDiagram(system, processes, channels, places, tuple(sorted(arcs)))


def diagram_graph(diagram: ChannelDiagram) -> Graph:
    """The coloured graph; vertex i of it is diagram.vertices[i]."""
    builder = GraphBuilder()
    number = {v: builder.vertex(diagram.colour(v)) for v in diagram.vertices}
    for u, v, kind in diagram.arcs:
        builder.arc(number[u], number[v], kind)
    return builder.build()


def processes_of(system: System) -> tuple[int, ...]:
    """The atoms of the sorts whose atoms act."""
    actors = (actor for command in system.commands for actor in command.actors)
    sorts = {system.atoms[a].sort for a in map(constant_atom, actors) if a is not None}
    return tuple(a for a, atom in enumerate(system.atoms) if atom.sort in sorts)


def is_thing(sort: str) -> bool:
    """Whether atoms of this sort stand for what the user declared, and not for a value."""
    return not is_value(sort) and sort != STRANGER


# Messages.


def message_arcs(system: System, command: Command, held: dict[Address, int]) -> Iterator[tuple[int, int, str]]:
    actors = [a for a in map(constant_atom, command.actors) if a is not None]
    if not actors:
        return
    if len(actors) == 2 and not compares_channels(system, command.guard, actors):
        yield actors[0], actors[1], HANDSHAKE
    for kind, channel in uses_of_channels(system, command, held):
        if kind == SEND:
            yield actors[0], channel, SEND
        else:
            yield channel, actors[0], RECEIVE


def compares_channels(system: System, guard: Expr, actors: list[int]) -> bool:
    """Whether a variable decides on which channel the two meet: then it is not a static one."""
    sort = system.atoms[actors[0]].sort
    found = (a for a in map(constant_atom, walk(guard)) if a is not None)
    return any(system.atoms[a].sort != sort and not is_value(system.atoms[a].sort) for a in found)


def uses_of_channels(system: System, command: Command, held: dict[Address, int]) -> Iterator[tuple[str, int]]:
    for e in (part for whole in expressions_of(command) for part in walk(whole)):
        if isinstance(e, Apply) and e.operator in (*APPENDING, *TAKING, *LOOKING):
            channel = channel_read(system, e.operands[0], held)
            if channel is not None:
                yield (SEND if e.operator in APPENDING else RECEIVE), channel


def channel_read(system: System, e: Expr, held: dict[Address, int]) -> int | None:
    """The static channel whose contents this is."""
    if not isinstance(e, Read) or len(e.owners) != 1 or not isinstance(system.variable[e.variable].type, QueueOf):
        return None
    return static_atom(e.owners[0], held)


def static_atom(e: Expr, held: dict[Address, int]) -> int | None:
    if isinstance(e, Read):
        address = static_address(e)
        return None if address is None else held.get(address)
    return constant_atom(e)


def constant_atom(e: Expr) -> int | None:
    if isinstance(e, Literal) and isinstance(e.type, AtomOf) and isinstance(e.value, int) and e.value != NONE:
        return e.value
    return None


def static_address(e: Read) -> Address | None:
    """Which place this is, if that does not depend on the state."""
    owners, indices = [], []
    for owner in e.owners:
        if not isinstance(owner, Literal) or not isinstance(owner.value, int):
            return None
        owners.append(owner.value)
    for index in e.indices:
        if not isinstance(index, Literal) or not isinstance(index.value, int):
            return None
        indices.append(index.value)
    return e.variable, tuple(owners), tuple(indices)


def only_channels(system: System) -> dict[Address, int]:
    """The places that get one atom, written down, and nothing else: what the parameters of a process are."""
    found: dict[Address, int | None] = {}
    unknown: set[str] = set()  # variables with an assignment to a place that depends on the state
    for command in (*system.commands, *system.start):
        for a in assignments_in(command.effect):
            address = static_address(a.target)
            if address is None:
                unknown.add(a.target.variable)
            else:
                value = constant_atom(a.value)
                found[address] = value if found.get(address, value) == value else None
    return {address: a for address, a in found.items() if a is not None and address[0] not in unknown}


# Shared variables.


def shared_places(
    system: System, processes: tuple[int, ...]
) -> tuple[tuple[Place, ...], tuple[tuple[int, int, str], ...]]:
    """The places that not only their own process reads, with the arcs about them."""
    writers, readers = accesses(system)
    shared = [
        i
        for i, place in enumerate(system.places)
        if is_written(system, place) and is_shared(place, readers.get(i, {}), processes)
    ]
    number = {i: len(system.atoms) + k for k, i in enumerate(shared)}
    arcs = [(p, number[i], WRITE) for i in shared for p in writers.get(i, {})]
    arcs += [(number[i], p, READ) for i in shared for p in readers.get(i, {})]
    arcs += [(number[i], a, OWNER) for i in shared for a in system.places[i].owners if a in processes]
    return tuple(system.places[i] for i in shared), tuple(arcs)


def is_written(system: System, place: Place) -> bool:
    """Whether the user declared this variable, and it is not a channel."""
    return system.variable[place.variable].span.source is not NOWHERE.source and not isinstance(place.type, QueueOf)


def is_shared(place: Place, readers: Iterable[int], processes: tuple[int, ...]) -> bool:
    owned = [a for a in place.owners if a in processes]
    return not owned or any(p not in owned for p in readers)


Accesses = dict[int, dict[int, None]]  # place -> processes


def accesses(system: System) -> tuple[Accesses, Accesses]:
    """Who may write and who may read each place."""
    writers: Accesses = {}
    readers: Accesses = {}
    members: dict[str, list[int]] = {}
    for i, place in enumerate(system.places):
        members.setdefault(place.variable, []).append(i)
    for command in system.commands:
        actors = [a for a in map(constant_atom, command.actors) if a is not None]
        for e, into in accessed(command, writers, readers):
            address = static_address(e)
            places = members[e.variable] if address is None else [system.index[address]]
            for i in places:
                own = [a for a in system.places[i].owners if a in actors]  # in a handshake each tends its own
                into.setdefault(i, {}).update(dict.fromkeys(own or actors))
    return writers, readers


def accessed(command: Command, writers: Accesses, readers: Accesses) -> Iterator[tuple[Read, Accesses]]:
    targets = [a.target for a in assignments_in(command.effect)]
    written = set(map(id, targets))
    for target in targets:
        yield target, writers
    for e in (part for whole in expressions_of(command) for part in walk(whole)):
        if isinstance(e, Read) and id(e) not in written:
            yield e, readers
