"""Assignments whose value is overwritten in the same step, before anybody can read it."""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.model.system.command import Require, Step, Together
from quorbit.model.system.expression import Bound, Expr, Literal, Read
from quorbit.model.system.walk import walk

__all__ = ["without_overwritten"]


def without_overwritten(effect: tuple[Step, ...]) -> tuple[Step, ...]:
    """The effect without them; a step that does nothing any more stays, since what is printed is told by counting."""
    coming: set[Read] = set()  # places that are written later and not read before
    found: list[Step] = []
    for step in reversed(effect):
        match step:
            case Together(assignments):
                kept = tuple(a for a in assignments if a.target not in coming or not is_simple(a.value))
                coming |= {a.target for a in kept if is_plain(a.target)}
                seen = reads(e for a in kept for e in (a.value, *a.target.owners, *a.target.indices))
                coming = {target for target in coming if target.variable not in seen}
                found.append(step if kept == assignments else Together(kept))
            case Require(condition):
                seen = reads([condition])
                coming = {target for target in coming if target.variable not in seen}
                found.append(step)
            case _:
                coming.clear()
                found.append(step)
    return tuple(reversed(found))


def is_plain(target: Read) -> bool:
    """Whether it is one variable, of a process that is known by its name, and no slot of an array."""
    return not target.indices and all(isinstance(e, Bound | Literal) for e in target.owners)


def is_simple(value: Expr) -> bool:
    """Whether it surely has a value."""
    return isinstance(value, Literal | Bound) or (isinstance(value, Read) and is_plain(value))


def reads(expressions: Iterable[Expr]) -> set[str]:
    """The variables that are read, whoever they belong to."""
    return {part.variable for e in expressions for part in walk(e) if isinstance(part, Read)}
