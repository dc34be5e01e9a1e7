"""Assignments that do not depend on each other happen at once.

``a[1] = 0; a[2] = 0`` says the same as ``a[2] = 0; a[1] = 0``, so the order must not hide a symmetry.  Each assignment
is moved to the earliest step at which it still has the same meaning: after those whose result it reads or overwrites,
and not before those that read what it overwrites.  Nothing passes a ``Require``, which may end the run, nor a branch,
whose own steps are gathered by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.model.system.command import Assign, Branch, Loop, Pick, Step, Together
from quorbit.model.system.expression import Enabled, Expr, Literal, Read, Use
from quorbit.model.system.once import Once
from quorbit.model.system.system import Address
from quorbit.model.system.walk import parts

__all__ = ["Gathering", "Places", "is_same", "meet", "place_of"]

Places = frozenset[tuple[str, Address | None]]  # places by variable; None: some place of the variable
ANYTHING = "*"  # in place of a variable: all of them
MOST = 60  # assignments that are compared with each other


class Gathering:
    """Gathers the steps of many commands; what an expression reads is worked out once."""

    def __init__(self) -> None:
        self.known: dict[int, tuple[Expr, Places]] = {}  # by id; the expression is kept, so its id is its own
        self.inside: Once[Step, Step] = Once(self.find_inside)

    def gather(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        found: list[Step] = []
        waiting: list[Together] = []
        for step in steps:
            if isinstance(step, Together):
                waiting.append(step)
            else:
                found.extend((*self.at_once(waiting), self.inside(step)))
                waiting = []
        return (*found, *self.at_once(waiting))

    def find_inside(self, step: Step) -> Step:
        match step:
            case Branch(test, then, other, span):
                return Branch(test, self.gather(then), self.gather(other), span)
            case Loop(test, body, most, span):
                return Loop(test, self.gather(body), most, span)
            case Pick(parameter, body):
                return Pick(parameter, self.gather(body))
            case _:
                return step

    def at_once(self, steps: list[Together]) -> Iterable[Together]:
        """The same assignments in as few steps as can be."""
        timed = [(k, a) for k, step in enumerate(steps) for a in step.assignments]
        if len(steps) < 2 or len(timed) > MOST:
            return steps
        levels = self.levels(timed)
        return [
            Together(tuple(a for (_, a), level in zip(timed, levels, strict=True) if level == k))
            for k in range(max(levels, default=-1) + 1)
        ]

    def levels(self, timed: list[tuple[int, Assign]]) -> list[int]:
        """The earliest step of each assignment."""
        levels = [0] * len(timed)
        after = self.order(timed)
        changed = bool(after)
        while changed:
            changed = False
            for j, i, more in after:
                if levels[i] + more > levels[j]:
                    levels[j], changed = levels[i] + more, True
        return levels

    def order(self, timed: list[tuple[int, Assign]]) -> list[tuple[int, int, int]]:
        """Assignments j and i, where j stays at least so many steps behind i."""
        writes = [place_of(a.target) for _, a in timed]
        reads = [self.read_by(a) for _, a in timed]
        found = []
        for j, (later, _) in enumerate(timed):
            for i, (earlier, _) in enumerate(timed):
                if i == j or earlier > later:
                    continue
                if earlier < later and (meet(reads[j], writes[i]) or is_same(writes[j], writes[i])):
                    found.append((j, i, 1))
                elif reads[i] and meet(reads[i], writes[j]):
                    found.append((j, i, 0))
        return found

    def read_by(self, a: Assign) -> Places:
        address = (self.reads(part) for part in (*a.target.owners, *a.target.indices))
        return self.reads(a.value).union(*address)

    def reads(self, e: Expr) -> Places:
        if isinstance(e, Literal):
            return frozenset()
        known = self.known.get(id(e))
        if known is None:
            known = self.known[id(e)] = e, self.find(e)
        return known[1]

    def find(self, e: Expr) -> Places:
        inner = [self.reads(part) for part in parts(e)]
        match e:
            case Read():
                return frozenset({place_of(e)}).union(*inner)
            case Use() | Enabled():
                return frozenset({(ANYTHING, None)})
            case _:
                return frozenset().union(*inner)


def place_of(e: Read) -> tuple[str, Address | None]:
    """The place, if it does not depend on the state."""
    owners = [part.value for part in e.owners if isinstance(part, Literal) and isinstance(part.value, int)]
    indices = [part.value for part in e.indices if isinstance(part, Literal) and isinstance(part.value, int)]
    if len(owners) < len(e.owners) or len(indices) < len(e.indices):
        return e.variable, None
    return e.variable, (e.variable, tuple(owners), tuple(indices))


def meet(places: Places, place: tuple[str, Address | None]) -> bool:
    """Whether the place may be one of these."""
    if not places or place in places or (ANYTHING, None) in places:
        return bool(places)
    variable, address = place
    if address is None:
        return any(v == variable for v, _ in places)
    return (variable, None) in places


def is_same(a: tuple[str, Address | None], b: tuple[str, Address | None]) -> bool:
    """Whether two places may be one."""
    return a[0] == b[0] and (a[1] is None or b[1] is None or a[1] == b[1])
