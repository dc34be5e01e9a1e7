"""Variables that count through arrays: in steps that nobody can interrupt they can be seen through (composed.py), in
others `why` says what to change."""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.model.specialise.identities.classes import Pin
from quorbit.model.system.command import Command, assignments_in, is_counting
from quorbit.model.system.expression import Apply, AtomAt, Literal, Operator, Read
from quorbit.model.system.system import PROCESS, System
from quorbit.model.system.types import NONE
from quorbit.model.system.walk import expressions_of, walk
from quorbit.source.span import NOWHERE, Span

__all__ = ["Unsayable", "control_variable", "counters", "interrupted_loops", "keeps_control"]


def control_variable(system: System) -> str:
    """The variable that says who is in control: a state is passed through exactly if somebody is."""
    match system.transient:
        case Apply(Operator.NOT, (Apply(Operator.EQUAL, (Read(variable, (), ()), Literal(value))),)) if value == NONE:
            return variable
        case _:
            raise Unsayable


def keeps_control(command: Command, control: str) -> bool:
    """Whether the process goes on without interruption after the command."""
    values = [a.value for a in assignments_in(command.effect) if a.target.variable == control]
    return bool(values) and not (isinstance(values[-1], Literal) and values[-1].value == NONE)


def counters(system: System) -> frozenset[str]:
    """The variables that are counted up or down, but only while somebody is in control, and that choose a slot of an
    array or something else from a list."""
    try:
        control = control_variable(system)
    except Unsayable:
        return frozenset()
    counted: set[str] = set()
    others: set[str] = set()
    for command in system.commands:
        for a in assignments_in(command.effect):
            if is_counting(a):
                (counted if keeps_control(command, control) else others).add(a.target.variable)
            elif not isinstance(a.value, Literal):
                others.add(a.target.variable)
    return frozenset((counted - others) & choosing(system))


def interrupted_loops(system: System, pins: Iterable[Pin]) -> list[Span]:
    """Where a loop counts through an array and others can see how far it has come, one place on each line.  What is
    never set to a number again is not the counter of a loop but a position; and without processes there are no loops
    between steps.  A process may count through an array of its own, unless its slots are those of processes, of which
    ``pins`` tell."""
    if all(atom.sort != PROCESS for atom in system.atoms):
        return []
    try:
        control = control_variable(system)
    except Unsayable:
        control = ""
    chosen_by, shared_by = choosing(system), choosing(system, shared=True)
    pinned = {(pin.span.file, pin.span.line) for pin in pins}
    set_back = {
        a.target.variable
        for command in system.commands
        for a in assignments_in(command.effect)
        if isinstance(a.value, Literal)
    }
    spans = {
        (command.span.file, command.span.line): command.span
        for command in system.commands
        if command.span.source is not NOWHERE.source and not keeps_control(command, control)
        for a in assignments_in(command.effect)
        if is_counting(a) and a.target.variable in chosen_by & set_back
        if a.target.variable in shared_by or (command.span.file, command.span.line) in pinned
    }
    return [span for _, span in sorted(spans.items())]


def choosing(system: System, shared: bool = False) -> set[str]:
    """The variables that choose a slot of an array or something from a list; ``shared``: not of a process's own."""
    return {
        part.variable
        for command in system.commands
        for e in expressions_of(command)
        for whole in walk(e)
        if isinstance(whole, AtomAt) or (isinstance(whole, Read) and not (shared and whole.owners))
        for index in (whole.indices if isinstance(whole, Read) else (whole.number,))
        for part in walk(index)
        if isinstance(part, Read)
    }


class Unsayable(Exception):
    """The chain cannot be composed; the note says what keeps it, if a user could change that."""

    def __init__(self, note: str = "") -> None:
        super().__init__(note)
        self.note = note
