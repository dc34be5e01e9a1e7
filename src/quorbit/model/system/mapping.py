"""All expressions of a System, and the same System with something done to all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quorbit.model.system.command import Command, Step, Together
from quorbit.model.system.expression import Expr, Read
from quorbit.model.system.properties import changed_property, property_expressions
from quorbit.model.system.system import System
from quorbit.model.system.walk import expressions_of, map_command, map_parts
from quorbit.source.frozen import replace

__all__ = ["expressions_in", "map_places", "map_system"]


def expressions_in(system: System) -> Iterator[Expr]:
    """All outermost expressions."""
    for command in (*system.commands, *system.start):
        yield from expressions_of(command)
    yield from (d.body for d in system.definitions)
    yield system.transient
    for p in system.properties:
        yield from property_expressions(p)


def map_system(system: System, f: Callable[[Expr], Expr]) -> System:
    """f on all outermost expressions; a target of an assignment stays a place, f is applied to its address."""
    return replace(
        system,
        commands=tuple(map_command(c, f) for c in system.commands),
        start=tuple(map_command(c, f) for c in system.start),
        definitions=tuple(replace(d, body=f(d.body)) for d in system.definitions),
        properties=tuple(changed_property(p, f) for p in system.properties),
        transient=f(system.transient),
    )


def map_places(system: System, f: Callable[[Read], Read]) -> System:
    """f on every place that is read or written, those in addresses first.  Requires: no steps inside of others."""

    def change(e: Expr) -> Expr:
        e = map_parts(e, change)
        return f(e) if isinstance(e, Read) else e

    def step(s: Step) -> Step:
        if not isinstance(s, Together):
            return s
        return Together(tuple(replace(a, target=f(a.target)) for a in s.assignments))

    def command(c: Command) -> Command:
        return replace(c, effect=tuple(map(step, c.effect)))

    changed = map_system(system, change)
    return replace(changed, commands=tuple(map(command, changed.commands)), start=tuple(map(command, changed.start)))
