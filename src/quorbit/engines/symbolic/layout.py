"""Bits for the places of a System and the parameters of its commands, in a static order.

Every place has bits for the present and for the next state, interleaved.  The order follows the dependencies: a place,
then what its next value reads, depth first; so what belongs together stands together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from quorbit.bdd.function import Manager
from quorbit.engines.symbolic.cases import Bdd, Cases, Unsupported
from quorbit.model.command import Assign, Command, Together
from quorbit.model.expression import Atoms, Bound, Expr, Interval, Literal, Parameter, Read, Use
from quorbit.model.system import State, System
from quorbit.model.types import Type, Value, size, values
from quorbit.model.walk import walk

LARGEST_TYPE = 1 << 12


@dataclass(frozen=True)
class Coded:
    """Something with finitely many values, each a number written in bits, the lowest bit first."""

    values: tuple[Value, ...]
    bits: tuple[int, ...]
    following: tuple[int, ...] = ()  # the bits of the next state, for a place


@dataclass(frozen=True)
class Layout:
    places: tuple[Coded, ...]
    parameters: dict[tuple[int, str], Coded]  # by command (start commands are numbered from -1 downwards) and name
    present: tuple[int, ...]
    following: tuple[int, ...]


def lay_out(m: Manager, system: System) -> Layout:
    """Give every place and parameter its variables."""
    places: dict[int, Coded] = {}
    parameters: dict[tuple[int, str], Coded] = {}
    for item in ordered(system):
        if isinstance(item, int):
            listed = all_values(system.places[item].type, system.places[item].variable)
            width = bits_for(len(listed))
            new = m.add_variables(2 * width)
            places[item] = Coded(listed, tuple(new[0::2]), tuple(new[1::2]))
        else:
            number, parameter = item
            domain = parameter_values(parameter)
            parameters[number, parameter.name] = Coded(domain, tuple(m.add_variables(bits_for(len(domain)))))
    listed_places = tuple(places[i] for i in range(len(system.places)))
    present = tuple(b for coded in listed_places for b in coded.bits)
    following = tuple(b for coded in listed_places for b in coded.following)
    return Layout(listed_places, parameters, present, following)


def bits_for(count: int) -> int:
    return max(0, (count - 1).bit_length())


def all_values(type: Type, what: str) -> tuple[Value, ...]:
    count = size(type)
    if count is None or count > LARGEST_TYPE:
        raise Unsupported(f"{what} has too many values for the symbolic engine")
    return tuple(values(type))


def parameter_values(parameter: Parameter) -> tuple[Value, ...]:
    match parameter.domain:
        case Atoms(atoms):
            return atoms
        case Interval(low, high):
            return tuple(range(low, high + 1))
    raise Unsupported(f"the parameter {parameter.name} ranges over a set that depends on the state")


def ordered(system: System) -> Iterator[int | tuple[int, Parameter]]:
    """Places and parameters in the order of their variables."""
    reads = Reads(system)
    seen: set[Any] = set()
    start = [(-1 - k, command) for k, command in enumerate(system.start)]
    steps = list(enumerate(system.commands))
    targets: dict[int, list[tuple[int, Command, Assign]]] = {}
    for number, command in steps:
        for step in command.effect:
            for assign in step.assignments if isinstance(step, Together) else ():
                for i in reads.addresses(assign.target):
                    targets.setdefault(i, []).append((number, command, assign))
    for i in range(len(system.places)):
        items: list[Any] = [i]
        for number, command, assign in targets.get(i, []):
            items += reads.of(number, command, assign.value)
        for number, command, _ in targets.get(i, []):
            items += reads.of(number, command, command.guard)
        for item in items:
            if item_key(item) not in seen:
                seen.add(item_key(item))
                yield item
    for number, command in [*steps, *start]:
        for parameter in command.parameters:
            if (number, parameter.name) not in seen:
                seen.add((number, parameter.name))
                yield number, parameter


def item_key(item: int | tuple[int, Parameter]) -> Any:
    return item if isinstance(item, int) else (item[0], item[1].name)


class Reads:
    """Which places and parameters expressions read, depth first, through definitions."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.known: dict[str, list[Expr]] = {}
        self.families: dict[str, list[int]] = {}
        for i, place in enumerate(system.places):
            self.families.setdefault(place.variable, []).append(i)
        self.bodies: dict[str, list[Expr]] = {}
        for definition in system.definitions:
            self.bodies.setdefault(definition.name, []).append(definition.body)

    def of(self, number: int, command: Command, e: Expr) -> list[int | tuple[int, Parameter]]:
        parameters = {p.name: p for p in command.parameters}
        found: dict[Any, int | tuple[int, Parameter]] = {}
        for leaf in self.leaves(e):
            if isinstance(leaf, Read):
                found.update((i, i) for i in self.addresses(leaf))
            elif isinstance(leaf, Bound) and leaf.name in parameters:
                found[leaf.name] = (number, parameters[leaf.name])
        return list(found.values())

    def leaves(self, e: Expr) -> Iterator[Expr]:
        """The reads and bound names below an expression, each definition entered once."""
        entered: set[str] = set()
        stack = [iter(walk(e))]
        while stack:
            part = next(stack[-1], None)
            if part is None:
                stack.pop()
            elif isinstance(part, Use) and part.definition not in entered:
                entered.add(part.definition)
                stack += [iter(walk(body)) for body in reversed(self.bodies.get(part.definition, []))]
            elif isinstance(part, Read | Bound):
                yield part

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
    if len(coded.values) == 1 << len(chosen):
        return m.true
    return m.disjunction(code_cases(m, coded, chosen).values())


def encode_bits(m: Manager, coded: Coded, cases: Cases) -> list[Bdd]:
    """The bits of a value, as functions."""
    index = {value: k for k, value in enumerate(coded.values)}
    unknown = [value for value in cases if value not in index]
    if unknown:
        raise Unsupported(f"a place may be given {unknown[0]!r}, which is not in its type")
    return [m.disjunction(f for value, f in cases.items() if index[value] >> i & 1) for i in range(len(coded.bits))]


def state_cube(m: Manager, layout: Layout, s: State) -> Bdd:
    cube = m.true
    for coded, value in zip(layout.places, s, strict=True):
        k = coded.values.index(value)
        for i, b in enumerate(coded.bits):
            cube = cube & (m.variable(b) if k >> i & 1 else ~m.variable(b))
    return cube


def decode(coded: Coded, chosen: dict[int, bool], bits: Iterable[int]) -> Value:
    return coded.values[sum(chosen[b] << i for i, b in enumerate(bits))]
