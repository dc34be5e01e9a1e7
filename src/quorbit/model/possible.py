"""Which values each place can have, as far as a glance at the commands tells; and with it which commands can never run.

An abstract run of the grounded System: for every place a set of values, or anything.  A command counts as possible if
none of the conjuncts of its guard contradicts the sets; then what it writes is added.  Sets only grow, so this ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quorbit.model.command import Assign, Command, Together
from quorbit.model.evaluate import Meaning, wrap
from quorbit.model.expression import (
    Apply,
    Atoms,
    Bound,
    Condition,
    Expr,
    Fresh,
    Interval,
    Literal,
    Operator,
    Read,
    Wrap,
)
from quorbit.model.simplify import flatten
from quorbit.model.system import Address, State, System, places_of
from quorbit.model.types import Value

Values = frozenset[Value] | None  # None: anything
Test = tuple[Address | None, Callable[[frozenset[Value]], bool]]  # a place, and whether one of its values will do
NEVER: frozenset[Value] = frozenset()
MOST_VALUES = 300
COMPARED = {
    Operator.LESS: lambda a, b: a < b,
    Operator.LESS_EQUAL: lambda a, b: a <= b,
}


class Possible:
    """The values each place of a grounded System may have."""

    def __init__(self, grounded: System, starts: list[State] | None = None) -> None:
        self.system = grounded
        self.values: dict[Address, Values] = {}
        self.tests: dict[int, tuple[Expr, Test | None]] = {}  # by id; what is kept there keeps its id
        self.writes: dict[int, tuple[Assign, list[Address], Values]] = {}
        for s in starts if starts is not None else Meaning(grounded).initial_states():
            for place, value in zip(grounded.places, s, strict=True):
                self.add(place.address, frozenset([value]))
        self.addresses = {v.name: [place.address for place in places_of(v)] for v in grounded.variables}
        self.run()

    def run(self) -> None:
        """Look at every command, and again whenever a place it depends on got new values."""
        commands = self.system.commands
        readers: dict[Address, list[int]] = {}
        for c, command in enumerate(commands):
            for address in dict.fromkeys(addresses_in(command)):
                readers.setdefault(address, []).append(c)
        waiting = dict.fromkeys(range(len(commands)))
        while waiting:
            c = next(iter(waiting))
            del waiting[c]
            if self.can_run(commands[c]):
                for address in self.apply(commands[c]):
                    waiting.update(dict.fromkeys(readers.get(address, ())))

    def add(self, address: Address, values: Values) -> bool:
        """Whether this is news."""
        known = self.values.get(address, NEVER)
        if known is None or (values is not None and values <= known):
            return False
        joined = None if values is None else known | values
        self.values[address] = None if joined is None or len(joined) > MOST_VALUES else joined
        return True

    def apply(self, command: Command) -> list[Address]:
        """The places that got new values."""
        changed = []
        for step in command.effect:
            if isinstance(step, Together):
                for assignment in step.assignments:
                    addresses, values = self.written(assignment, command)
                    changed += [address for address in addresses if self.add(address, values)]
        return changed

    def written(self, assignment: Assign, command: Command) -> tuple[list[Address], Values]:
        """The places an assignment may write, and what; a constant is looked at once."""
        known = self.writes.get(id(assignment))
        if known is None:
            values = frozenset([assignment.value.value]) if isinstance(assignment.value, Literal) else None
            known = self.writes[id(assignment)] = assignment, self.targets(assignment.target), values
        values = self.abstract(assignment.value, command) if known[2] is None else known[2]
        return known[1], values

    def targets(self, target: Read) -> list[Address]:
        address = static_address(target)
        return self.addresses[target.variable] if address is None else [address]

    def can_run(self, command: Command) -> bool:
        guard = command.guard
        conjuncts = guard.operands if isinstance(guard, Apply) and guard.operator is Operator.AND else (guard,)
        return all(map(self.may_hold, conjuncts))

    def may_hold(self, e: Expr) -> bool:
        known = self.tests.get(id(e))
        if known is None:
            known = self.tests[id(e)] = e, test_of(e)
        if known[1] is None:
            return True
        address, holds = known[1]
        values = NEVER if address is None else self.values.get(address)
        return values is None or holds(values)

    def of(self, place: Read) -> Values:
        address = static_address(place)
        return None if address is None else self.values.get(address)

    def abstract(self, e: Expr, command: Command) -> Values:
        """The values an expression may have."""
        match e:
            case Literal(value):
                return frozenset([value])
            case Read():
                return self.of(e)
            case Condition(_, then, other):
                a, b = self.abstract(then, command), self.abstract(other, command)
                return None if a is None or b is None else a | b
            case Wrap(operand, bits, signed):
                values = self.abstract(operand, command)
                return None if values is None else frozenset(wrap(v, bits, signed) for v in values)  # type: ignore[arg-type]
            case Bound(name):
                return domain_values(command, name)
            case _:
                return None


def test_of(e: Expr) -> Test | None:
    """What a conjunct asks of the values of one place (of none, if it is a constant); None if nothing is known."""
    match e:
        case Literal(value):
            return None, lambda values: bool(value)
        case Apply(Operator.NOT, (Apply(Operator.EQUAL, (Read() as place, Literal(value))),)):
            only = frozenset([value])
            return asked(place, lambda values: values != only)
        case Apply(Operator.EQUAL, (Read() as place, Literal(value)) | (Literal(value), Read() as place)):
            return asked(place, lambda values: value in values)
        case Apply(operator, (Read() as place, Literal(value))) if operator in COMPARED:
            return asked(place, lambda values: any(COMPARED[operator](v, value) for v in values))
        case Apply(operator, (Literal(value), Read() as place)) if operator in COMPARED:
            return asked(place, lambda values: any(COMPARED[operator](value, v) for v in values))
        case _:
            return None


def asked(place: Read, holds: Callable[[frozenset[Value]], bool]) -> Test | None:
    address = static_address(place)
    return None if address is None else (address, holds)


def addresses_in(command: Command) -> Iterator[Address]:
    """The places on whose values it depends whether the command counts as possible, and what it is taken to write."""
    looked_at = [part for e in flatten(Operator.AND, (command.guard,)) for part in compared(e)]
    written = [a.value for step in command.effect if isinstance(step, Together) for a in step.assignments]
    for e in (*looked_at, *written):
        yield from addresses_of(e)


def compared(e: Expr) -> tuple[Expr, ...]:
    match e:
        case Apply(Operator.NOT, (Apply(_, operands),)) | Apply(_, operands):
            return operands
        case _:
            return ()


def addresses_of(e: Expr) -> Iterator[Address]:
    match e:
        case Read():
            if (address := static_address(e)) is not None:
                yield address
        case Condition(_, then, other):
            yield from addresses_of(then)
            yield from addresses_of(other)
        case Wrap(operand):
            yield from addresses_of(operand)


def domain_values(command: Command, name: str) -> Values:
    for parameter in command.parameters:
        if parameter.name == name:
            match parameter.domain:
                case Atoms(atoms) | Fresh(atoms):
                    return frozenset(atoms)
                case Interval(low, high) if high - low < MOST_VALUES:
                    return frozenset(range(low, high + 1))
    return None


def static_address(e: Read) -> Address | None:
    """The address of the place, if it is written down."""
    owners, indices = literal_values(e.owners), literal_values(e.indices)
    return None if owners is None or indices is None else (e.variable, owners, indices)  # type: ignore[return-value]


def literal_values(parts: tuple[Expr, ...]) -> tuple[Value, ...] | None:
    found = []
    for part in parts:
        if not isinstance(part, Literal):
            return None
        found.append(part.value)
    return tuple(found)


def constants(possible: Possible) -> Iterator[tuple[Address, Value]]:
    """The places that never change, with their values."""
    for address, values in possible.values.items():
        if values is not None and len(values) == 1:
            yield address, next(iter(values))
