"""Questions that compute with the value of one place, answered for each value it can have.

``(x & 1) == 0`` about a place that is 0, 1, 2 or 4 is ``!(x == 1)``: written so, it does not keep the values from being
identities that a symmetry may move.  Where the answer depends on a constant of the process that asks, as in
``((goal ^ id) & 4) != 0`` of the nodes of a cube, the command is written out for each process first.  This is done for
variables that nothing but such questions looks into; mere order (``x < 3``) is left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.meaning.partial import index_inside
from quorbit.model.specialise.owner_constants import ARITHMETIC
from quorbit.model.specialise.possible.addresses import static_address
from quorbit.model.specialise.possible.outline import atoms_of_parameters
from quorbit.model.specialise.possible.run import Possible
from quorbit.model.specialise.simplify import NUMERIC
from quorbit.model.specialise.start import Started
from quorbit.model.system.command import Command
from quorbit.model.system.expression import (
    Apply,
    Atoms,
    Bound,
    Expr,
    Literal,
    NumberOf,
    Operator,
    Parameter,
    Read,
    Use,
    Wrap,
    atom,
    disjunction,
    negation,
)
from quorbit.model.system.properties import changed_property, property_expressions
from quorbit.model.system.system import System
from quorbit.model.system.types import INTEGER, Number, Value
from quorbit.model.system.walk import expressions_of, map_command, map_parts, parts, substitute, walk
from quorbit.source.frozen import replace

ASKING = (Operator.EQUAL, Operator.LESS, Operator.LESS_EQUAL)
MOST_ANSWERS = 64  # values of a place
MOST_COMMANDS = 5_000  # after those that must be are written out


def answer_cases(started: Started) -> Started:
    """The same System with such questions answered."""
    system, answers = started.system, Answers(started)
    if not answers.variables:
        return started
    commands = tuple(answered for command in system.commands for answered in answers.command(command))
    if len(commands) > MOST_COMMANDS + len(system.commands):
        return started
    properties = tuple(changed_property(p, lambda e: answers.answer(e, {})) for p in system.properties)
    return Started(replace(system, commands=commands, properties=properties), started.states)


class Answers:
    """The variables whose values are looked into by nothing but questions, and the values of their places."""

    def __init__(self, started: Started) -> None:
        self.system = system = started.system
        self.constant = {d.name for d in system.definitions if isinstance(d.body, Literal)}
        self.meaning = Meaning(system)
        self.asked: set[str] = set()
        self.looked_into: set[str] = set()
        for e in all_expressions(system):
            self.note(e)
        self.variables = {name for name in self.asked - self.looked_into if is_number(system, name)}
        self.values: dict[str, set[Value] | None] = {}
        if self.variables and started.states is not None:
            self.find_values(Possible(started.outline, started.states))

    def note(self, e: Expr) -> None:
        """Record which variables questions are about, and into which something else looks."""
        place = self.place_asked(e)
        if place is not None:
            self.asked.add(place.variable)
            return
        if isinstance(e, Apply) and e.operator in NUMERIC:
            self.looked_into.update(part.variable for part in walk(e) if isinstance(part, Read))
        for part in parts(e):
            self.note(part)

    def find_values(self, possible: Possible) -> None:
        for (variable, _, _), values in possible.values.items():
            if variable in self.variables:
                known = self.values.setdefault(variable, set())
                if known is None or values is None:
                    self.values[variable] = None
                else:
                    known |= values
        few = {v for v in self.variables if (n := self.values.get(v)) is not None and len(n) <= MOST_ANSWERS}
        self.variables, self.possible = few, possible.values

    def place_asked(self, e: Expr) -> Read | None:
        """The place that e is a question about: a comparison that looks into it, all else in it being constant."""
        if not isinstance(e, Apply) or e.operator not in ASKING:
            return None
        if e.operator is Operator.EQUAL and any(isinstance(operand, Read) for operand in e.operands):
            return None
        if not any(isinstance(part, Apply) and part.operator in ARITHMETIC for o in e.operands for part in walk(o)):
            return None
        places = {part for operand in e.operands for part in self.variable_parts(operand)}
        place = places.pop() if len(places) == 1 else None
        return place if isinstance(place, Read) and is_certain(self.system, place) else None

    def variable_parts(self, e: Expr) -> Iterator[Expr]:
        """The parts of e that are not constant; what is not understood counts as one."""
        match e:
            case Literal() | NumberOf(Bound()):
                return
            case Apply(operator, operands) if operator in NUMERIC:
                for operand in operands:
                    yield from self.variable_parts(operand)
            case Wrap(operand):
                yield from self.variable_parts(operand)
            case Use(name, owners) if name in self.constant and all(isinstance(o, Literal | Bound) for o in owners):
                return
            case _:
                yield e

    # Answers.

    def command(self, command: Command) -> Iterator[Command]:
        """The command with its questions answered, for each choice of the atoms on which the answers depend."""
        names = self.names_asked_for(command)
        ranged = atoms_of_parameters(command)
        if any(name not in ranged for name in names) or prod(len(ranged[name]) for name in names) > MOST_COMMANDS:
            yield command
            return
        for choice in product(*(ranged[name] for name in names)):
            atoms: dict[str, Expr] = {name: atom(a) for name, a in zip(names, choice, strict=True)}
            yield self.answered(command, atoms)

    def answered(self, command: Command, atoms: dict[str, Expr]) -> Command:
        changed = map_command(command, lambda e: self.answer(e, atoms))
        return replace(changed, parameters=tuple(narrowed(p, atoms) for p in changed.parameters))

    def names_asked_for(self, command: Command) -> list[str]:
        """The parameters that questions of the command mention apart from the place."""
        found: dict[str, None] = {}
        for e in expressions_of(command):
            for question, place in self.questions(e):
                inside = substitute_read(question, place, Literal(0, INTEGER))
                found.update(dict.fromkeys(part.name for part in walk(inside) if isinstance(part, Bound)))
        return list(found)

    def questions(self, e: Expr) -> Iterator[tuple[Expr, Read]]:
        place = self.place_asked(e)
        if place is not None and place.variable in self.variables:
            yield e, place
            return
        for part in parts(e):
            yield from self.questions(part)

    def answer(self, e: Expr, atoms: dict[str, Expr]) -> Expr:
        place = self.place_asked(e)
        if place is None or place.variable not in self.variables:
            return map_parts(e, lambda part: self.answer(part, atoms))
        values = sorted(self.values_of(place, atoms), key=repr)
        try:
            answers = {v: self.holds(e, place, v, atoms) for v in values}
        except (Fault, KeyError):
            return e
        yes, no = ([v for v in values if answers[v] is side] for side in (True, False))
        cases = [Apply(Operator.EQUAL, (place, Literal(v, INTEGER, e.span)), e.span) for v in min(yes, no, key=len)]
        either = disjunction(list(cases), e.span)
        return either if len(yes) <= len(no) else negation(either, e.span)

    def values_of(self, place: Read, atoms: dict[str, Expr]) -> set[Value]:
        """What the place can hold; of a place that is not known, what any place of its variable can."""
        address = static_address(map_place(place, atoms))
        known = self.possible.get(address) if address is not None else None
        return known or self.values[place.variable] or set()

    def holds(self, e: Expr, place: Read, value: Value, atoms: dict[str, Expr]) -> bool:
        closed = substitute(substitute_read(e, place, Literal(value, INTEGER)), atoms)
        return bool(self.meaning.compile(closed)((), {}))


def all_expressions(system: System) -> Iterator[Expr]:
    for command in system.commands:
        yield from expressions_of(command)
    for d in system.definitions:
        yield d.body
    yield system.transient
    for p in system.properties:
        yield from property_expressions(p)


def is_certain(system: System, place: Read) -> bool:
    """Whether the place is there whenever it is read."""
    variable = system.variable[place.variable]
    owned = all(
        isinstance(owner, Bound) or (isinstance(owner, Literal) and owner.value in atoms)
        for owner, atoms in zip(place.owners, variable.owners, strict=True)
    )
    indices = zip(place.indices, variable.shape, strict=True)
    return owned and all(isinstance(index, Literal) and index_inside(system, index, n, {}) for index, n in indices)


def is_number(system: System, name: str) -> bool:
    return isinstance(system.variable[name].type, Number)


def narrowed(p: Parameter, atoms: dict[str, Expr]) -> Parameter:
    chosen = atoms.get(p.name)
    return Parameter(p.name, Atoms((chosen.value,))) if isinstance(chosen, Literal) else p  # type: ignore[arg-type]


def map_place(place: Read, atoms: dict[str, Expr]) -> Read:
    found = substitute(place, atoms)
    assert isinstance(found, Read)
    return found


def substitute_read(e: Expr, place: Read, value: Literal) -> Expr:
    if e == place:
        return value
    return map_parts(e, lambda part: substitute_read(part, place, value))
