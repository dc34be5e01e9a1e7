"""Bits for the places of a System and the parameters of its commands, in a static order.

Every place has bits for the present and for the next state, interleaved.  The order follows the dependencies: a place,
then what its next value reads, depth first; so what belongs together stands together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorbit.bdd.function import Manager
from quorbit.model.diagrams.cases import Bdd, Cases, Unsupported
from quorbit.model.diagrams.encode import parameter_values
from quorbit.model.system.command import Command, assignments_in
from quorbit.model.system.expression import (
    Apply,
    Bound,
    Domain,
    Elements,
    Expr,
    Literal,
    Operator,
    Parameter,
    Read,
    Use,
)
from quorbit.model.system.system import State, System
from quorbit.model.system.types import Type, Value, size, values
from quorbit.model.system.walk import parts
from quorbit.source.frozen import frozen

__all__ = [
    "BitLayout",
    "Coded",
    "Entered",
    "Item",
    "PlaceItem",
    "Reads",
    "decode",
    "encode_bits",
    "is_coded",
    "lay_out_bits",
    "powerset_members",
    "state_cube",
]

LARGEST_TYPE = 1 << 12


@frozen
class Coded:
    """Something with finitely many values, each a number written in bits, the lowest bit first."""

    values: tuple[Value, ...]
    bits: tuple[int, ...]
    following: tuple[int, ...] = ()  # the bits of the next state, for a place
    members: tuple[Value, ...] | None = None  # a parameter that is any subset of these: one bit for each, no values


@frozen
class BitLayout:
    places: tuple[Coded, ...]
    parameters: dict[tuple[int, str], Coded]  # by command (start commands are numbered from -1 downwards) and name
    present: tuple[int, ...]
    following: tuple[int, ...]


def lay_out_bits(m: Manager, system: System, order: Iterable[Item] | None = None) -> BitLayout:
    """Give every place and parameter its variables, in an order of what ``ordered`` lists if one is given."""
    places: dict[int, Coded] = {}
    parameters: dict[tuple[int, str], Coded] = {}
    members: dict[tuple[int, str], dict[Value, int]] = {}
    for item in ordered(system) if order is None else order:
        match item:
            case PlaceItem(i):
                listed = all_values(system.places[i].type, system.places[i].variable)
                new = m.add_variables(2 * bits_for(len(listed)))
                places[i] = Coded(listed, tuple(new[0::2]), tuple(new[1::2]))
            case MemberItem(number, name, member):
                members.setdefault((number, name), {})[member] = m.add_variables(1)[0]
            case ParameterItem(number, parameter):
                parameters[number, parameter.name] = code_parameter(
                    m, parameter, members.get((number, parameter.name), {})
                )
    listed_places = tuple(places[i] for i in range(len(system.places)))
    present = tuple(b for coded in listed_places for b in coded.bits)
    following = tuple(b for coded in listed_places for b in coded.following)
    return BitLayout(listed_places, parameters, present, following)


def code_parameter(m: Manager, parameter: Parameter, known: dict[Value, int]) -> Coded:
    """The bits of a parameter; of one that is a set, those of members that stand next to their users are known."""
    members = powerset_members(parameter.domain)
    if members is not None:
        bits = tuple(known[member] if member in known else m.add_variables(1)[0] for member in members)
        return Coded((), bits, (), members)
    domain = parameter_values(parameter)
    return Coded(domain, tuple(m.add_variables(bits_for(len(domain)))))


def powerset_members(domain: Domain) -> tuple[Value, ...] | None:
    """The elements, if a parameter ranges over all subsets of a set that is written out."""
    match domain:
        case Elements(set=Apply(Operator.POWERSET, (Apply(Operator.SET, elements),))):
            if all(isinstance(e, Literal) for e in elements):
                return tuple(e.value for e in elements if isinstance(e, Literal))
    return None


def bits_for(count: int) -> int:
    return max(0, (count - 1).bit_length())


def all_values(type: Type, what: str) -> tuple[Value, ...]:
    count = size(type)
    if count is None or count > LARGEST_TYPE:
        raise Unsupported(f"{what} has too many values for the symbolic engine")
    return tuple(values(type))


@frozen
class PlaceItem:
    place: int


@frozen
class MemberItem:
    """Whether something is in the set that a parameter stands for."""

    command: int
    name: str
    member: Value


@frozen
class ParameterItem:
    command: int
    parameter: Parameter


Item = PlaceItem | MemberItem | ParameterItem


def ordered(system: System) -> Iterator[Item]:
    """What needs variables, in their order: every place, then what its next value reads; at the end what is left."""
    reads = Reads(system)
    entered: dict[int, Entered] = {}  # what a definition reads is listed where it is first used
    seen: set[Item] = set()
    late: list[Item] = []
    for item in [item for i in range(len(system.places)) for item in (PlaceItem(i), *reads.for_place(i, entered))]:
        if item not in seen:
            seen.add(item)
            if isinstance(item, ParameterItem) and powerset_members(item.parameter.domain) is not None:
                late.append(item)
            else:
                yield item
    for number, command in [*enumerate(system.commands), *((-1 - k, c) for k, c in enumerate(system.start))]:
        late += [ParameterItem(number, parameter) for parameter in command.parameters]
    yield from (item for item in dict.fromkeys(late) if item not in seen or powerset_item(item))


def powerset_item(item: Item) -> bool:
    return isinstance(item, ParameterItem) and powerset_members(item.parameter.domain) is not None


Entered = set[tuple[str, tuple[Expr, ...]]]  # definitions that were looked at, with their owners


class Reads:
    """Which places and parameters expressions read, depth first, through definitions."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.families: dict[str, list[int]] = {}
        for i, place in enumerate(system.places):
            self.families.setdefault(place.variable, []).append(i)
        self.named: dict[str, list[Expr]] = {}
        for definition in system.definitions:
            self.named.setdefault(definition.name, []).append(definition.body)
        self.targets: dict[int, list[tuple[int, Command, Expr]]] = {}
        for number, command in enumerate(system.commands):
            self.note_targets(number, command)

    def note_targets(self, number: int, command: Command) -> None:
        for assign in assignments_in(command.effect):
            for i in self.addresses(assign.target):
                self.targets.setdefault(i, []).append((number, command, assign.value))

    def for_place(self, i: int, entered: dict[int, Entered]) -> Iterator[Item]:
        """What the next value of a place reads, without what is read by definitions that a command has entered."""
        for number, command, value in self.targets.get(i, []):
            yield from self.of(number, command, value, entered.setdefault(number, set()))
        for number, command, _ in self.targets.get(i, []):
            yield from self.of(number, command, command.guard, entered.setdefault(number, set()))

    def of(self, number: int, command: Command, e: Expr, entered: Entered) -> Iterator[Item]:
        """What an expression reads, without what is read by the definitions that were entered."""
        parameters = {p.name: p for p in command.parameters}
        for leaf in self.leaves(e, entered):
            match leaf:
                case Read():
                    yield from map(PlaceItem, self.addresses(leaf))
                case Bound(name) if name in parameters:
                    yield ParameterItem(number, parameters[name])
                case Apply(Operator.MEMBER, (Literal(value), Bound(name))) if name in parameters:
                    yield MemberItem(number, name, value)

    def leaves(self, e: Expr, entered: Entered) -> Iterator[Expr]:
        """The reads, bound names and memberships below an expression, each definition entered once."""
        stack = [e]
        while stack:
            part = stack.pop()
            match part:
                case Read() | Bound() | Apply(Operator.MEMBER, (Literal(), Bound())):
                    yield part
                    if isinstance(part, Read):
                        stack += reversed([*part.owners, *part.indices])
                case Use(definition, owners):
                    if (definition, owners) not in entered:
                        entered.add((definition, owners))
                        stack += reversed(self.bodies(definition, owners))
                case _:
                    stack += reversed(list(parts(part)))

    def bodies(self, definition: str, owners: tuple[Expr, ...]) -> list[Expr]:
        if all(isinstance(owner, Literal) for owner in owners):
            values = tuple(owner.value for owner in owners if isinstance(owner, Literal))
            body = self.system.definition.get((definition, values))  # type: ignore[arg-type]
            return [] if body is None else [body]
        return [*self.named.get(definition, []), *owners]

    def addresses(self, read: Read) -> list[int]:
        """The places a read may mean."""
        parts = (*read.owners, *read.indices)
        if all(isinstance(part, Literal) for part in parts):
            owners = tuple(p.value for p in read.owners if isinstance(p, Literal))
            indices = tuple(p.value for p in read.indices if isinstance(p, Literal))
            i = self.system.index.get((read.variable, owners, indices))  # type: ignore[arg-type]
            return [] if i is None else [i]
        return self.families.get(read.variable, [])


def code_cases(m: Manager, coded: Coded, bits: Iterable[int]) -> Cases:
    """What something with these bits is."""
    variables = [m.variable(b) for b in bits]
    found: dict[Value, Bdd] = {}
    for k, value in enumerate(coded.values):
        found[value] = m.conjunction(v if k >> i & 1 else ~v for i, v in enumerate(variables))
    return found


def is_coded(m: Manager, coded: Coded, bits: Iterable[int]) -> Bdd:
    """That the bits are the number of a value at all."""
    chosen = tuple(bits)
    if coded.members is not None or len(coded.values) == 1 << len(chosen):
        return m.true
    return m.disjunction(code_cases(m, coded, chosen).values())


def encode_bits(m: Manager, coded: Coded, cases: Cases) -> list[Bdd]:
    """The bits of a value, as functions."""
    index = {value: k for k, value in enumerate(coded.values)}
    unknown = [value for value in cases if value not in index]
    if unknown:
        raise Unsupported(f"a place may be given {unknown[0]!r}, which is not in its type")
    return [m.disjunction(f for value, f in cases.items() if index[value] >> i & 1) for i in range(len(coded.bits))]


def state_cube(m: Manager, layout: BitLayout, s: State) -> Bdd:
    cube = m.true
    for coded, value in zip(layout.places, s, strict=True):
        k = coded.values.index(value)
        for i, b in enumerate(coded.bits):
            cube = cube & (m.variable(b) if k >> i & 1 else ~m.variable(b))
    return cube


def decode(coded: Coded, chosen: dict[int, bool], bits: Iterable[int]) -> Value:
    if coded.members is not None:
        return frozenset(member for member, b in zip(coded.members, bits, strict=True) if chosen[b])
    return coded.values[sum(chosen[b] << i for i, b in enumerate(bits))]
