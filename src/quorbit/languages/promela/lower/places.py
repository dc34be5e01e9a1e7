"""What a Promela model is made of as a System: processes and channels as atoms, places for everything that has a value.

A process is an atom of the sort "process", coloured by its proctype.  SPIN's processes form a stack, so the processes
of one type that live at one moment always take the first atoms of that type, in the order of their pids.
A channel is an atom of the sort "channel", coloured by its capacity and message type.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from quorbit.languages.promela.lower.control_flow import Flow
from quorbit.languages.promela.lower.priorities import Levels, keeps_priorities, levels_of
from quorbit.languages.promela.lower.ranges import Wide, has_wide_messages, is_one_bit, wide_arrays
from quorbit.languages.promela.lower.remote import (
    all_expressions,
    all_statements,
    expressions_of,
    lends_to_older,
    lent_channels,
    remote_uses,
)
from quorbit.languages.promela.lower.trace_automaton import Trace, event_variable, trace_of
from quorbit.languages.promela.parse.program import (
    NOBODY,
    Assignment,
    Binary,
    ChannelInit,
    Constant,
    DataType,
    Expression,
    Kind,
    OfProcess,
    Predefined,
    Program,
    Receive,
    Reference,
    Run,
    Typedef,
    Variable,
)
from quorbit.languages.promela.parse.walk import walk
from quorbit.languages.promela.reduce.unread import tidy_variables, unread_variables
from quorbit.model.system.system import Atom
from quorbit.model.system.system import Variable as Family
from quorbit.model.system.types import AtomOf, Number, QueueOf, Truth, TupleOf, Type
from quorbit.source.frozen import field, frozen, frozen_distinct, replace
from quorbit.source.span import Span

__all__ = ["COUNT", "LAST", "MOST_PROCESSES", "OWNER", "OWN_PID", "PID", "Placement", "pc_name"]

MOST_PROCESSES = 255
# Names no Promela variable can have.
OWNER, PID, COUNT, LAST, OWN_PID = "in control", "pid of", "_nr_pr", "_last", "_pid"
PRIORITY = "priority of"
BYTE = DataType(Kind.BYTE)
RANGES = {
    Kind.BYTE: (0, 255),
    Kind.PID: (0, 255),
    Kind.MTYPE: (0, 255),
    Kind.SHORT: (-(2**15), 2**15 - 1),
    Kind.INT: (-(2**31), 2**31 - 1),
}


@frozen
class Channel:
    """A channel that exists: its atom, its type, and the process it belongs to (None: global)."""

    atom: int
    name: str
    init: ChannelInit
    process: int | None
    span: Span


@frozen
class Shape:
    """Channels of one capacity and message type share a variable for their contents."""

    capacity: int
    fields: tuple[DataType, ...]
    atoms: tuple[int, ...]
    variable: str


@frozen
class Leaf:
    """A scalar or array of scalars inside a declared variable: its System name, its sizes, its type."""

    name: str
    sizes: tuple[int, ...]
    type: DataType
    variables: tuple[Variable, ...]  # the path of declarations that leads to it

    @property
    def declared(self) -> Variable:
        return self.variables[-1]


def asks_for_the_last(e: Expression) -> bool:
    """Whether e asks nothing but whether there is one process only."""
    match e:
        case Binary("==" | "!=" | ">" | "<=", Predefined(name), Constant(1)) | Binary(
            "<" | ">=", Predefined(name), Constant(2)
        ):
            return name == COUNT
        case _:
            return False


@frozen_distinct
class Uses:
    """What the text of a program mentions."""

    program: Program

    @cached_property
    def assigned(self) -> frozenset[Variable]:
        """Variables that some statement writes."""
        return frozenset(assigned_variables(self.program))

    @cached_property
    def predefined(self) -> frozenset[str]:
        """The predefined variables that the model reads."""
        return frozenset(
            inner.name
            for expression in all_expressions(self.program)
            for inner in walk(expression)
            if isinstance(inner, Predefined)
        )

    @cached_property
    def watches_variables(self) -> bool:
        """Whether variables of a process are read from outside."""
        return remote_uses(self.program)[1]

    @cached_property
    def outlives(self) -> bool:
        """Whether it can be seen that a process which ended is not gone yet."""
        named = self.asks_about_numbers or self.watches_variables
        return COUNT in self.predefined or named or lends_to_older(self.program)

    @cached_property
    def joins(self) -> bool:
        """Whether all that can be seen of processes which ended is that only the oldest process is left."""
        named = self.asks_about_numbers or self.watches_variables
        if self.predefined & {LAST, "_priority"} or named or lends_to_older(self.program):
            return False
        inner = [e for expression in all_expressions(self.program) for e in walk(expression)]
        return sum(map(asks_for_the_last, inner)) == sum(e == Predefined(COUNT) for e in inner)

    @cached_property
    def asks_about_numbers(self) -> bool:
        """Whether enabled(), pc_value() or get_priority() ask about the process with a number, which may have ended."""
        return any(isinstance(e, OfProcess) for asked in all_expressions(self.program) for e in walk(asked))

    @cached_property
    def lent(self) -> frozenset[Variable]:
        """Variables of processes whose channels others may use."""
        return lent_channels(self.program)

    @cached_property
    def wide(self) -> Wide:
        """The arrays of bits that are kept in bytes."""
        return wide_arrays(self.program)

    @cached_property
    def wide_messages(self) -> bool:
        """Whether messages of one bit are kept in bytes."""
        return has_wide_messages(self.program, self.wide)

    @cached_property
    def trace(self) -> Trace | None:
        return trace_of(self.program)

    @cached_property
    def levels(self) -> Levels:
        return levels_of(self.program)

    @cached_property
    def keeps_priorities(self) -> bool:
        return keeps_priorities(self.program, self.levels)

    @cached_property
    def writes_pid(self) -> bool:
        return any(
            isinstance(statement, Receive)
            and any(isinstance(p, Predefined) and p.name == "_pid" for p in statement.patterns)
            for statement in all_statements(self.program)
        )


@frozen_distinct
class Placement:
    """Where everything of a program lives: the atoms of its processes and channels, and the places of its variables."""

    program: Program
    uses: Uses
    flows: dict[str, Flow]
    slots: dict[str, tuple[int, ...]]  # the process atoms of every proctype
    atoms: tuple[Atom, ...]
    channels: tuple[Channel, ...]
    leaves: dict[tuple[Variable, ...], Leaf]
    homes: dict[tuple[int | None, Leaf, tuple[int, ...]], int]  # the channel an initialised place starts with
    count_like: str = "own"
    pids: dict[int, int] | None = None  # of the processes that are there from the start and are the last of their type
    typedefs: dict[str, Typedef] = field(default_factory=dict)
    strangers: tuple[int, ...] = ()  # atoms for numbers in channel variables that belong to no channel
    unnumbered: bool = False  # processes that are created later have no number

    @cached_property
    def dies_in_order(self) -> bool:
        """Whether it can be seen that the youngest process dies first."""
        return self.count_like != "own" or self.counts_processes or not self.uses.joins

    @cached_property
    def buries(self) -> bool:
        """By our own counting a process that has reached its end is gone at once, if nothing can tell the difference:
        nobody sees how many there are or reads their variables; channels that it lent stay."""
        return self.count_like == "own" and not self.counts_processes and not self.uses.outlives

    def is_used_once(self, name: str) -> bool:
        """Whether the place of a process that is gone is not given to another: its channels may still be in use."""
        return self.is_open(name) and any(v.owner == name for v in self.uses.lent)

    @cached_property
    def open_types(self) -> tuple[str, ...]:
        """The proctypes of which processes can still be created."""
        known = self.pids or {}
        return tuple(name for name, slots in self.slots.items() if any(slot not in known for slot in slots))

    @property
    def counts_processes(self) -> bool:
        """Whether the number of processes is kept, and the numbers of those of open types."""
        return bool(self.open_types) and not self.unnumbered

    def is_open(self, name: str) -> bool:
        return name in self.open_types

    @cached_property
    def unread(self) -> dict[str, dict[int, frozenset[Variable]]]:
        """By proctype and state: the variables whose value does not matter."""
        return {name: unread_variables(flow) for name, flow in self.flows.items()}

    @cached_property
    def tidy(self) -> dict[str, frozenset[Variable]]:
        """By proctype: the variables that may be forgotten where nobody reads them; SPIN counts all their values."""
        if self.count_like != "own" or self.uses.watches_variables:
            return {name: frozenset() for name in self.flows}
        return {name: tidy_variables(flow) for name, flow in self.flows.items()}

    @cached_property
    def forgettable(self) -> frozenset[str]:
        """Parameters that no statement writes: by our own counting no part of a state if nobody reads them."""
        if self.count_like != "own" or self.uses.watches_variables:
            return frozenset()
        leaves = (leaf for name in self.flows for leaf in self.leaves_of(name))
        return frozenset(
            leaf.name for leaf in leaves if leaf.variables[0].parameter and leaf.variables[0] not in self.uses.assigned
        )

    @cached_property
    def processes(self) -> tuple[int, ...]:
        return tuple(atom for slots in self.slots.values() for atom in slots)

    @cached_property
    def shapes(self) -> tuple[Shape, ...]:
        found: dict[tuple[int, tuple[DataType, ...]], list[int]] = {}
        for channel in self.channels:
            found.setdefault((channel.init.capacity, self.fields_of(channel.init)), []).append(channel.atom)
        return tuple(
            Shape(capacity, fields, tuple(atoms), shape_name(capacity, fields))
            for (capacity, fields), atoms in found.items()
        )

    def fields_of(self, channel: ChannelInit) -> tuple[DataType, ...]:
        """The types of its messages as SPIN's verifier keeps them."""
        return (BYTE,) if is_one_bit(channel) and self.uses.wide_messages else channel.fields

    @cached_property
    def shape_of(self) -> dict[int, Shape]:
        return {atom: shape for shape in self.shapes for atom in shape.atoms}

    @cached_property
    def channel_atoms(self) -> tuple[int, ...]:
        """What a channel variable may hold, in the order of its numbers from 1."""
        return (*(channel.atom for channel in self.channels), *self.strangers)

    @cached_property
    def has_atomic(self) -> bool:
        return any(edge.keeps or edge.inner for f in self.flows.values() for es in f.edges.values() for edge in es)

    @cached_property
    def held(self) -> dict[str, frozenset[int]]:
        """The states in which a process may be in control of an atomic section."""
        return {name: held_states(flow) for name, flow in self.flows.items()}

    @property
    def assigned(self) -> frozenset[Variable]:
        return self.uses.assigned

    @property
    def predefined(self) -> frozenset[str]:
        return self.uses.predefined

    @property
    def trace(self) -> Trace | None:
        return self.uses.trace

    @property
    def levels(self) -> Levels:
        return self.uses.levels

    @property
    def keeps_priorities(self) -> bool:
        return self.uses.keeps_priorities

    @property
    def writes_pid(self) -> bool:
        return self.uses.writes_pid

    @cached_property
    def leaf_types(self) -> dict[str, Type]:
        """The type of a place by its name."""
        return {leaf.name: self.type_of(leaf.type) for leaf in self.leaves.values()}

    def type_of(self, data: DataType) -> Type:
        match data.kind:
            case Kind.BIT:
                return Truth()
            case Kind.UNSIGNED:
                return Number(0, 2**data.bits - 1)
            case Kind.CHAN:
                return AtomOf(self.channel_atoms, optional=True)
            case Kind.MTYPE:
                return Number(0, 255, ("0", *dict(self.program.mtypes).get(data.name, ())))
            case _:
                return Number(*RANGES[data.kind])

    def message_type(self, shape: Shape) -> Type:
        return TupleOf(tuple(self.type_of(f) for f in shape.fields))

    def leaf(self, path: tuple[Variable, ...]) -> Leaf:
        return self.leaves[path]

    def leaf_of(self, reference: Reference) -> Leaf:
        return self.leaves[tuple(step.variable for step in reference.path)]

    def leaves_of(self, owner: str | None) -> Iterator[Leaf]:
        return (leaf for leaf in self.leaves.values() if leaf.variables[0].owner == owner)

    def is_hidden(self, variable: Variable) -> bool:
        """A global that is never read is not stored, as SPIN does unless everything is switched off."""
        if variable is NOBODY:
            return True
        if variable.owner is not None or variable.type.kind in {Kind.CHAN, Kind.STRUCT}:
            return False
        return self.count_like != "plain" and variable not in self.program.read


def shape_name(capacity: int, fields: tuple[DataType, ...]) -> str:
    """``[2] of {byte,mtype:colour}``."""
    shown = [f.kind.value + (f":{f.name}" if f.name else "") for f in fields]
    return f"[{capacity}] of {{{','.join(shown)}}}"


def held_states(flow: Flow) -> frozenset[int]:
    found = set(flow.entered)
    for edges in flow.edges.values():
        for edge in edges:
            if edge.keeps:
                found.add(edge.target)
            if edge.inner is not None:
                found.update(edge.inner.edges)
    return frozenset(found)


def assigned_variables(program: Program) -> Iterator[Variable]:
    for statement in all_statements(program):
        match statement:
            case Assignment(target):
                yield target.last
            case Receive(_, patterns):
                for pattern in patterns:
                    if isinstance(pattern, Reference):
                        yield pattern.last


def runs_of(program: Program) -> Iterator[Run]:
    for statement in all_statements(program):
        for expression in expressions_of(statement):
            for inner in walk(expression):
                if isinstance(inner, Run):
                    yield inner


def place_program(
    program: Program,
    flows: dict[str, Flow],
    counts: dict[str, int],
    count_like: str,
    pids: dict[int, int] | None = None,
    numbers: int = 0,
    uses: Uses | None = None,
    unnumbered: bool = False,
    called: dict[tuple[str, int], int] | None = None,
) -> Placement:
    """The atoms and places of a model with ``counts`` processes of every type; channel variables hold numbers up to
    ``numbers``, be they a channel's or not.  ``uses`` are known from another placement of the program.  ``called``: the
    numbers in the names of processes, by type and place in it, where they are not the pids."""
    atoms: list[Atom] = []
    slots: dict[str, tuple[int, ...]] = {}
    for name, flow in flows.items():
        shown = "init" if flow.proctype.role == "init" else name
        first = len(atoms)
        for k in range(counts[name]):
            number = (pids or {}).get(first + k, (called or {}).get((name, k), k))
            own = shown if counts[name] == 1 else f"{shown}[{number}]"
            atoms.append(Atom(own, "process", shown, flow.proctype.span))
        slots[name] = tuple(range(first, len(atoms)))
    uses = uses or Uses(program)
    typedefs = {t.name: t for t in program.typedefs}
    leaves: dict[tuple[Variable, ...], Leaf] = {}
    for variable in [*program.globals, *(v for flow in flows.values() for v in flow.proctype.variables)]:
        for leaf in leaves_in((variable,), unique_name(variable, leaves), (), typedefs):
            leaves[leaf.variables] = replace(leaf, type=BYTE) if leaf.declared in uses.wide else leaf
    channels: list[Channel] = []
    homes: dict[tuple[int | None, Leaf, tuple[int, ...]], int] = {}
    for owner, process in [(None, None), *((name, slot) for name in flows for slot in slots[name])]:
        for leaf in leaves.values():
            if leaf.variables[0].owner == owner and has_channel(leaf):
                add_channels(leaf, process, atoms, channels, homes)
    strangers = tuple(range(len(atoms), len(atoms) + max(0, numbers - len(channels))))
    for n in range(len(channels) + 1, numbers + 1):
        atoms.append(Atom(f"number {n}", "number", str(n)))
    return Placement(
        program,
        uses,
        flows,
        slots,
        tuple(atoms),
        tuple(channels),
        leaves,
        homes,
        count_like,
        pids,
        typedefs,
        strangers,
        unnumbered,
    )


def unique_name(variable: Variable, leaves: dict[tuple[Variable, ...], Leaf]) -> str:
    """Locals of different blocks may have one name; the later ones get a number."""
    base = variable.name if variable.owner is None else f"{variable.owner.strip(':')}.{variable.name}"
    taken = {leaf.name.split("/")[0] for path, leaf in leaves.items() if path[0].owner == variable.owner}
    name, k = base, 2
    while name in taken:
        name, k = f"{base}'{k}", k + 1
    return name


def leaves_in(
    path: tuple[Variable, ...], name: str, sizes: tuple[int, ...], typedefs: dict[str, Typedef]
) -> Iterator[Leaf]:
    variable = path[-1]
    inner_sizes = sizes if variable.length is None else (*sizes, variable.length)
    if variable.type.kind is not Kind.STRUCT:
        yield Leaf(name, inner_sizes, variable.type, path)
        return
    for inner in typedefs[variable.type.name].fields:
        yield from leaves_in((*path, inner), f"{name}.{inner.name}", inner_sizes, typedefs)


def add_channels(
    leaf: Leaf,
    process: int | None,
    atoms: list[Atom],
    channels: list[Channel],
    homes: dict[tuple[int | None, Leaf, tuple[int, ...]], int],
) -> None:
    init = leaf.declared.initial
    assert isinstance(init, ChannelInit)
    for indices in positions(leaf.sizes):
        place = "".join(f"[{k}]" for k in indices)
        prefix = "" if process is None else f"{atoms[process].name}:"
        own = leaf.name if process is None else leaf.name.split(".", 1)[1]
        name = f"{prefix}{own}{place}"
        homes[process, leaf, indices] = len(atoms)
        channels.append(Channel(len(atoms), name, init, process, leaf.declared.span))
        atoms.append(Atom(name, "channel", shape_name(init.capacity, init.fields), leaf.declared.span))


def positions(sizes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not sizes:
        yield ()
        return
    for k in range(sizes[0]):
        for rest in positions(sizes[1:]):
            yield (k, *rest)


def families(placement: Placement) -> list[Family]:
    """The variables of the System."""
    found: list[Family] = []
    for name, flow in placement.flows.items():
        highest = max([*flow.edges, *inner_numbers(flow), flow.last], default=0)
        found.append(Family(pc_name(name), Number(0, highest), (placement.slots[name],), span=flow.proctype.span))
    if placement.counts_processes:
        unknown = tuple(slot for name in placement.open_types for slot in placement.slots[name])
        found.append(Family(PID, Number(0, MOST_PROCESSES), (unknown,)))
        found.append(Family(COUNT, Number(0, MOST_PROCESSES)))
    if placement.writes_pid:
        found.append(Family(OWN_PID, Number(0, 255), (placement.processes,)))
    if placement.keeps_priorities:
        found.append(Family(PRIORITY, Number(0, 255), (placement.processes,)))
    if LAST in placement.predefined:
        found.append(Family(LAST, Number(0, MOST_PROCESSES)))
    if placement.trace is not None:
        found.append(event_variable(placement.trace))
    if placement.has_atomic:
        found.append(Family(OWNER, AtomOf(placement.processes, optional=True)))
    for leaf in placement.leaves.values():
        if placement.is_hidden(leaf.variables[0]) or is_fixed_channel(placement, leaf):
            continue
        owner = leaf.variables[0].owner
        owners = () if owner is None else (placement.slots[owner],)
        found.append(Family(leaf.name, placement.type_of(leaf.type), owners, leaf.sizes, leaf.declared.span))
    for shape in placement.shapes:
        if shape.capacity:
            contents = QueueOf(placement.message_type(shape), shape.capacity)
            found.append(Family(shape.variable, contents, (shape.atoms,)))
    return found


def pc_name(proctype: str) -> str:
    return f"{proctype.strip(':')}@"


def inner_numbers(flow: Flow) -> list[int]:
    return [n for edges in flow.edges.values() for edge in edges if edge.inner for n in edge.inner.edges]


def is_fixed_channel(placement: Placement, leaf: Leaf) -> bool:
    """A channel variable that always names the channel it was declared with.

    Of an array with several dimensions the channels are kept as values, since one number for all indices would look
    inside each of them."""
    return has_channel(leaf) and leaf.declared not in placement.assigned and len(leaf.sizes) < 2


def has_channel(leaf: Leaf) -> bool:
    """Whether channels are made for the variable; of a structure that is a parameter they are given."""
    return isinstance(leaf.declared.initial, ChannelInit) and not leaf.variables[0].parameter
