"""The local-state diagram in a System: one named state per process, and commands that move it along arrows. [W07, 5]"""

from __future__ import annotations

from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.show import show_expression
from quorbit.model.system.command import Command, assignments_in
from quorbit.model.system.expression import Apply, Bound, Expr, Literal, Operator, Read
from quorbit.model.system.system import System, Variable
from quorbit.model.system.types import Number
from quorbit.source.frozen import frozen

__all__ = ["local_states"]


@frozen
class Diagram:
    """``arrows`` from state to state (by number) with the labels of all commands along them."""

    states: tuple[str, ...]
    initial: frozenset[int]
    arrows: tuple[tuple[tuple[int, int], tuple[str, ...]], ...]


def local_states(system: System) -> Diagram | None:
    """The diagram of the first named variable that every process has, if commands move along it."""
    for variable in system.variables:
        if isinstance(variable.type, Number) and variable.type.names and len(variable.owners) == 1:
            arrows: dict[tuple[int, int], list[str]] = {}
            for command in system.commands:
                for arrow in arrows_of(variable, command):
                    arrows.setdefault(arrow, []).append(title(system, command))
            if arrows:
                listed = tuple((arrow, tuple(labels)) for arrow, labels in arrows.items())
                return Diagram(variable.type.names, initial_of(system, variable), listed)
    return None


def title(system: System, command: Command) -> str:
    return f"{command.label} when {show_expression(system, command.guard)}"


def arrows_of(variable: Variable, command: Command) -> list[tuple[int, int]]:
    targets = [
        (a.target, a.value.value)
        for a in assignments_in(command.effect)
        if a.target.variable == variable.name and isinstance(a.value, Literal) and isinstance(a.value.value, int)
    ]
    if not targets or not isinstance(targets[0][0].owners[0], Bound):
        return []
    target, value = targets[0]
    return [(source, value) for source in sources_of(command.guard, target, len(names_of(variable)))]


def names_of(variable: Variable) -> tuple[str, ...]:
    assert isinstance(variable.type, Number)
    return variable.type.names


def sources_of(guard: Expr, place: Read, size: int) -> list[int]:
    """The local states the guard demands, as far as its form tells; all if it tells nothing."""
    match guard:
        case Apply(Operator.EQUAL, (Read() as read, Literal(int() as value))) if read == place:
            return [value]
        case Apply(Operator.AND, operands):
            found = set(range(size))
            for operand in operands:
                found &= set(sources_of(operand, place, size))
            return sorted(found)
        case Apply(Operator.OR, operands):
            return sorted({k for operand in operands for k in sources_of(operand, place, size)})
        case _:
            return list(range(size))


def initial_of(system: System, variable: Variable) -> frozenset[int]:
    places = [k for k, place in enumerate(system.places) if place.variable == variable.name]
    states = Meaning(system).initial_states()[:1000]
    return frozenset(value for s in states for k in places if isinstance(value := s[k], int))
