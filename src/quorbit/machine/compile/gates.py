"""The step of a circuit as gates, for all choices at once (runtime/vm/gates.h); other Systems are lowered to code.

What reads the state alone is worked out once for a state, what reads choices alone once for the model: a *column* has
its value for every choice, one bit each.  Only what reads both is worked out for every state, 64 choices in a word.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import cast

from quorbit.groups.group import Group
from quorbit.machine.compile.gate_tables import ChoiceSet, GateTables
from quorbit.machine.compile.packing import StateLayout
from quorbit.machine.compile.spared import moves_of_group, spared_choices
from quorbit.model.diagrams.bits import powerset_members
from quorbit.model.diagrams.cases import Unsupported
from quorbit.model.diagrams.gates import Edge, Gates
from quorbit.model.diagrams.steps import Steps, encode_steps
from quorbit.model.system.command import Together
from quorbit.model.system.expression import FALSE, Apply, Elements, Expr, Literal, Operator, Parameter, atom
from quorbit.model.system.system import Invariant, Property, System
from quorbit.model.system.types import AtomOf, Number, SetOf, Truth
from quorbit.source.frozen import replace

__all__ = ["gate_tables"]

MOST_NUMBERS = 0xFFFF  # there are so many registers
MOST_FREE = 20  # choice bits that are all free
MOST_LISTED = 1 << 15  # choices, where they are listed
MOST_BYTES = 1 << 26  # of all columns


def gate_tables(
    system: System, layout: StateLayout, properties: Sequence[Property], group: Group | None
) -> GateTables | None:
    """None if the System is not a circuit with a few choices, whose places are plain numbers."""
    if not moves_at_once(system):
        return None
    parameters = system.commands[0].parameters
    domains = [choices_of(p) for p in parameters]
    if any(d is None for d in domains):
        return None
    listed = [d for d in domains if d is not None]
    conditions = [p.condition for p in properties if isinstance(p, Invariant)]
    try:
        steps = encode_steps(with_free_choices(system, listed))
        if not fits(steps, layout):
            return None
        columns = choice_columns(steps, parameters, listed)
        return None if columns is None else Tables(steps, layout, *columns).made(conditions, group)
    except (Unsupported, RecursionError):
        return None


def moves_at_once(system: System) -> bool:
    """One command that changes all places at once, without ranks, calls and transient states."""
    if not system.synchronous or len(system.commands) != 1 or len(system.start) != 1 or not system.places:
        return False
    if system.transient != FALSE or system.count_once or system.most_moves is not None:
        return False
    (command,) = system.commands
    plain = all(isinstance(place.type, Number | Truth) for place in system.places)
    return plain and not command.rank and not command.turn and all(isinstance(s, Together) for s in command.effect)


# The choices: of each parameter its members and, unless it is any set of them, the sets.

Choices = tuple[tuple[int, ...], list[frozenset[int]] | None]


def choices_of(parameter: Parameter) -> Choices | None:
    members = powerset_members(parameter.domain)
    if members is not None:
        return tuple(m for m in members if isinstance(m, int)), None
    match parameter.domain:
        case Elements(set=Literal(frozenset(sets)), type=SetOf(AtomOf(atoms))):
            listed = cast(frozenset[frozenset[int]], sets)
            return tuple(atoms), sorted(listed, key=lambda chosen: (len(chosen), sorted(chosen)))
    return None


def with_free_choices(system: System, domains: Sequence[Choices]) -> System:
    """The same System where any set of the members may be chosen: which are, is said by the columns."""
    (command,) = system.commands
    found = []
    for parameter, (members, _) in zip(command.parameters, domains, strict=True):
        subsets = Apply(Operator.POWERSET, (Apply(Operator.SET, tuple(atom(a) for a in members)),))
        found.append(replace(parameter, domain=Elements(subsets, SetOf(AtomOf(members)))))
    return replace(system, commands=(replace(command, parameters=tuple(found)),))


def choice_columns(
    steps: Steps, parameters: Sequence[Parameter], domains: Sequence[Choices]
) -> tuple[dict[int, int], int, bool] | None:
    """By choice bit its column, how many choices there are, whether all bits are free; None if they are too many."""
    bits = [steps.layout.parameters[0, p.name].bits for p in parameters]
    sizes = [1 << len(members) if sets is None else len(sets) for members, sets in domains]
    total, free = prod(sizes), all(sets is None for _, sets in domains)
    if total > (1 << MOST_FREE if free else MOST_LISTED):
        return None
    columns: dict[int, int] = {}
    inner = 1  # choices of the parameters so far
    for own, size, (members, sets) in zip(bits, sizes, domains, strict=True):
        for k, b in enumerate(own):
            if sets is None:
                column = spread(((1 << (1 << k)) - 1) << (1 << k), 2 << k, size)
            else:
                column = sum(1 << j for j, chosen in enumerate(sets) if members[k] in chosen)
            columns[b] = spread(stretched(column, size, inner), size * inner, total)
        inner *= size
    return columns, total, free


def stretched(column: int, size: int, times: int) -> int:
    """Every bit of a column so many times."""
    if times == 1:
        return column
    ones = (1 << times) - 1
    return sum(ones << (j * times) for j in range(size) if column >> j & 1)


def spread(column: int, size: int, total: int) -> int:
    """A column of some size again and again."""
    while size < total:
        column |= column << size
        size *= 2
    return column & ((1 << total) - 1)


def fits(steps: Steps, layout: StateLayout) -> bool:
    """Whether places are packed as they are encoded: the number of the value, lowest bit first."""
    for coded, fields in zip(steps.layout.places, layout.fields, strict=True):
        if len(coded.values) == 1:
            continue
        if len(fields) != 1 or fields[0].width < len(coded.bits):
            return False
        if tuple(int(v) - fields[0].low for v in coded.values) != tuple(range(len(coded.values))):  # type: ignore[arg-type]
            return False
    return True


class Tables:
    """The gates, numbered by what they read."""

    def __init__(self, steps: Steps, layout: StateLayout, columns: dict[int, int], choices: int, free: bool) -> None:
        self.steps, self.layout, self.free = steps, layout, free
        self.gates: Gates = steps.gates
        self.tables = GateTables(choices=choices)
        self.all = (1 << choices) - 1
        self.columns = {self.gates.nodes_of_variables[b]: c for b, c in columns.items()}  # by node, of choices alone
        self.choice_bits = columns
        self.numbers: dict[int, int] = {0: 0}  # by node

    def made(self, conditions: Sequence[Expr], group: Group | None) -> GateTables | None:
        t, steps = self.tables, self.steps
        self.number_places()
        wanted = [self.steps.truth(e) for e in conditions]
        roots = [steps.guard, *(steps.following[b] for b in steps.state_bits), *wanted]
        if not self.number_nodes([edge.number >> 1 for edge in roots]):
            return None
        t.guard = self.edge(steps.guard)
        t.next = [self.edge(steps.following[b]) for b in steps.state_bits]
        t.conditions = [self.edge(edge) for edge in wanted]
        limit = 1 + len(t.places) + len(t.state_edges) // 2
        if any(edge >> 1 >= limit for edge in t.conditions):
            return None
        if group is not None and t.choices > 1:
            t.spared = spared_choices(self.steps, self.choice_bits, t, self.read, moves_of_group(group), self.free)
            at = dict(zip(steps.state_bits, t.places, strict=True))
            t.spared = [replace(s, pairs=tuple((at[b], at[c]) for b, c in s.pairs)) for s in t.spared]
        return t

    def number_places(self) -> None:
        for coded, fields in zip(self.steps.layout.places, self.layout.fields, strict=True):
            for k, b in enumerate(coded.bits):
                self.tables.places.append(64 * fields[0].word + fields[0].shift + k)
                self.numbers[self.gates.nodes_of_variables[b]] = len(self.tables.places)

    def number_nodes(self, roots: Iterable[int]) -> bool:
        """False if there are too many."""
        known: dict[int, object] = {}
        for root in roots:
            for n in self.gates.unseen(root, known):
                known[n] = None
        nodes = [n for n in sorted(known) if self.gates.operands[n] is not None]
        of_state, mixed = [], []
        state = set(self.numbers)
        for n in nodes:
            a, b = (edge >> 1 for edge in self.gates.operands[n] or ())
            if a in state and b in state:
                of_state.append(n)
                state.add(n)
            elif a in self.columns and b in self.columns:  # gates with a constant are none
                self.columns[n] = self.column_of(n, self.columns)
            else:
                mixed.append(n)
        self.read = self.columns_read(mixed, roots)
        t = self.tables
        for n in of_state:
            self.numbers[n] = 1 + len(t.places) + len(t.state_edges) // 2
            t.state_edges += [self.edge_of(e) for e in self.gates.operands[n] or ()]
        for n in self.read:
            self.numbers[n] = 1 + len(t.places) + len(t.state_edges) // 2 + len(t.columns)
            t.columns.append(ChoiceSet(self.columns[n]))
        for n in mixed:
            self.numbers[n] = t.numbers
            t.mixed_edges += [self.edge_of(e) for e in self.gates.operands[n] or ()]
        return t.numbers <= MOST_NUMBERS and len(t.columns) * t.choices <= 8 * MOST_BYTES

    def columns_read(self, mixed: Sequence[int], roots: Iterable[int]) -> list[int]:
        """The columns that other nodes or results read."""
        found = {edge >> 1 for n in mixed for edge in self.gates.operands[n] or ()}.union(roots)
        return sorted(n for n in found if n in self.columns)

    def column_of(self, n: int, columns: dict[int, int]) -> int:
        a, b = (columns.get(e >> 1, 0) ^ (self.all if e & 1 else 0) for e in self.gates.operands[n] or ())
        return a & b

    def edge_of(self, e: int) -> int:
        return 2 * self.numbers[e >> 1] + (e & 1)

    def edge(self, edge: Edge) -> int:
        return self.edge_of(edge.number)
