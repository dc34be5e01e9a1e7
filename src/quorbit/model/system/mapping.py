"""The same System with something done to all of its expressions."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.model.system.expression import Expr
from quorbit.model.system.properties import changed_property
from quorbit.model.system.system import System
from quorbit.model.system.walk import map_command
from quorbit.source.frozen import replace

__all__ = ["map_system"]


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
