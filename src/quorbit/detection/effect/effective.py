"""The symmetry without what has no effect: symmetries that no reachable state shows are not told.

Such are places for processes that are created in a fixed order, and values that are held only in the middle of a step.
Where a group may hold such symmetries, a few states are searched with and without them: if these are all there are, and
as many, they are left out.  Larger models keep them; the effect of a symmetry is told after the search.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.detection.detect import Symmetry, fresh_choices
from quorbit.detection.effect.visible import idle_moves, plainly_shown
from quorbit.groups.group import Group
from quorbit.groups.moves import Moves, permutation_of
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.system.system import System
from quorbit.source.frozen import replace

__all__ = ["effective"]

Count = Callable[[System, Group], int | None]  # the states, one of each orbit; None if they are more than a few


def effective(system: System, found: Symmetry, count: Count) -> Symmetry:
    """The symmetry without generators that map no reachable state to another one, as far as a glance tells."""
    group = found.group
    if group.is_trivial:
        return found
    without_effect = idle_moves(system, group)
    kept = [m for m in group.moves if m not in without_effect]
    doubtful = may_be_idle(system, kept) + (apart_from_the_start(found, kept) if found.late else [])
    certain = [m for m in kept if m not in doubtful]
    if doubtful and (states := count(system, Group(group.degree, moves=certain))) is not None:
        kept = certain if count(system, Group(group.degree, moves=kept)) == states else kept
    if len(kept) == len(group.moves):
        return found
    smaller = Group(group.degree, moves=kept)
    return replace(found, group=smaller, moving=tuple(g for g in found.moving if g in smaller.generators))


def may_be_idle(system: System, moves: list[Moves]) -> list[Moves]:
    """The generators that move values and places for new processes only; not those of values that own places which
    change, such as the indices of an array."""
    fresh = {a for atoms, _, _ in fresh_choices(system) for a in atoms}
    doubtful = [m for m in moves if all(a in fresh or is_value(system.atoms[a].sort) for a, _ in m)]
    shown = plainly_shown(system)[0].difference(fresh) if doubtful else set()
    return [m for m in doubtful if any(a in fresh for a, _ in m) or not any(a in shown for a, _ in m)]


def apart_from_the_start(found: Symmetry, moves: list[Moves]) -> list[Moves]:
    """The generators that move the start: what begins differently may differ forever."""
    points = tuple(range(found.group.degree))
    return [m for m in moves if permutation_of(m, points) in found.moving]
