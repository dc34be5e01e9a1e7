"""Variables that nobody reads any more, taken out of the state.

A channel that is given to a process which never uses it, the number of a worker that never asks who it is: such
arguments tell states apart that behave alike, and processes that are alike.  A front end says which variables are no
part of a state where nobody reads them (``forgettable``): of all others it counts the values.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.model.meaning.partial import Domains, may_fail
from quorbit.model.specialise.start import Started, cut_down
from quorbit.model.system.command import Assign, Command, Step, Together, assignments_in, has_inner_steps
from quorbit.model.system.expression import Expr, Literal, Read
from quorbit.model.system.properties import property_expressions
from quorbit.model.system.system import System
from quorbit.model.system.walk import expressions_of, walk
from quorbit.source.frozen import replace


def forget_unread(started: Started) -> Started:
    """The System without forgettable variables that nothing reads, but to write into another one of them."""
    system, names = started.system, unread_variables(started.system)
    if not names:
        return started
    smaller = replace(
        system,
        variables=tuple(v for v in system.variables if v.name not in names),
        commands=tuple(without_writes(command, names) for command in system.commands),
        start=tuple(without_writes(command, names) for command in system.start),
        forgettable=system.forgettable - names,
    )
    return cut_down(started, smaller)


def unread_variables(system: System) -> frozenset[str]:
    known = {v.name for v in system.variables}
    names = {name for name in system.forgettable if name in known}
    if not names or has_inner_steps((*system.commands, *system.start)):
        return frozenset()
    uses: list[tuple[str | None, str]] = [(None, name) for e in looked_at(system) for name in reads(e)]
    for command in (*system.commands, *system.start):
        domains = {p.name: p.domain for p in command.parameters}
        for a in assignments_in(command.effect):
            uses += [(a.target.variable, name) for name in reads(a.value)]
            if not is_plain(system, a, domains):
                names.discard(a.target.variable)
    while seen := {name for target, name in uses if name in names and target not in names}:
        names -= seen
    return frozenset(names)


def looked_at(system: System) -> Iterator[Expr]:
    """All that is evaluated but the values that are written."""
    for command in (*system.commands, *system.start):
        written = {id(e) for a in assignments_in(command.effect) for e in (a.target, a.value)}
        yield from (e for e in expressions_of(command) if id(e) not in written)
        yield from (e for a in assignments_in(command.effect) for e in (*a.target.owners, *a.target.indices))
    yield from (d.body for d in system.definitions)
    yield system.transient
    for p in system.properties:
        yield from property_expressions(p)


def reads(e: Expr) -> Iterator[str]:
    return (part.variable for part in walk(e) if isinstance(part, Read))


def is_plain(system: System, a: Assign, domains: Domains) -> bool:
    """Whether the assignment can always be done."""
    fixed = all(isinstance(e, Literal) for e in a.target.indices)
    return fixed and not may_fail(system, a.value, domains)


def without_writes(command: Command, names: frozenset[str]) -> Command:
    steps: list[Step] = []
    for step in command.effect:
        if isinstance(step, Together):
            kept = tuple(a for a in step.assignments if a.target.variable not in names)
            if kept or not step.assignments:
                steps.append(Together(kept))
        else:
            steps.append(step)
    return replace(command, effect=tuple(steps))
