"""Which steps of a command may change places: a list of steps in *levels*, within which the order cannot be seen.

A loop over all nodes does something for one node after the other; where these steps neither read nor write what the
others write, any other order would do as well, and must not hide a symmetry.  Each step is put into the earliest level
behind all steps that it depends on (Foata's normal form), so two lists with the same levels do the same.

Steps that write the same constant into a place, or change its value in the same way (x := x + 1, or both x := x || e
for some e that says nothing about x), may change places: who was last cannot be seen.
Steps that may end a run change places only if they end it in the same way.  Two steps that each put something into a
free place change places if all free places are alike.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.model.meaning.evaluate import FAULTS
from quorbit.model.specialise.gather import Gathering, Places, is_same, meet, place_of
from quorbit.model.system.command import Assign, Branch, Loop, Pick, Require, Step, Together
from quorbit.model.system.expression import Apply, Bound, Condition, Expr, Fresh, Literal, Operator, Read
from quorbit.model.system.system import Address, System
from quorbit.model.system.types import Value, contains
from quorbit.model.system.walk import domain_expressions, walk
from quorbit.source.frozen import frozen, replace

__all__ = ["Commuting"]

MOST = 300  # steps that are compared with each other
NOWHERE: Places = frozenset()
Change = Value | Assign | Operator  # a constant, the same assignment, or more operands of one operator
Changes = frozenset[tuple[tuple[str, Address | None], Change]]  # the place, and what becomes of it
Free = frozenset[tuple[tuple[int, ...], str]]  # atoms to choose from, and a variable of theirs


@frozen
class Touch:
    """What a step reads, writes, changes in a way that depends on the place itself at most, puts into free places, and
    the properties in whose name it may end the run."""

    reads: Places = NOWHERE
    writes: Places = NOWHERE
    changes: Changes = frozenset()
    free: Free = frozenset()
    ends: frozenset[str] = frozenset()


NOTHING = Touch()


class Commuting:
    """``fails`` tells whether an expression may have no value; ``alike``: whether all free places are."""

    def __init__(self, system: System, fails: Callable[[Expr], bool], alike: bool) -> None:
        self.system, self.fails, self.alike = system, fails, alike
        self.gathering = Gathering()
        self.known: dict[int, tuple[Step, Touch]] = {}  # by id; the step is kept, so its id stays its own

    def levels(self, steps: tuple[Step, ...]) -> list[list[Step]]:
        if len(steps) > MOST or not any(map(self.may_commute, steps)):
            return [[step] for step in steps]
        touches = [self.touch(step, {}) for step in steps]
        found: list[int] = []
        for j, touch in enumerate(touches):
            found.append(max((found[i] + 1 for i in range(j) if self.depend(touches[i], touch)), default=0))
        return [[s for s, level in zip(steps, found, strict=True) if level == k] for k in range(max(found) + 1)]

    def may_commute(self, step: Step) -> bool:
        """Whether gathering has not put the step where it belongs already."""
        if isinstance(step, Together):
            return any(self.gathered(a) is not None for a in step.assignments)
        return not isinstance(step, Require)

    def depend(self, a: Touch, b: Touch) -> bool:
        if a.ends and b.ends and len(a.ends | b.ends) > 1:
            return True
        if self.overwrites(a, b) or self.overwrites(b, a):
            return True
        return self.disturbs(a, b) or self.disturbs(b, a) or not self.are_alike(a.free, b.free)

    def overwrites(self, a: Touch, b: Touch) -> bool:
        """Whether a writes what b reads, or writes otherwise."""
        if any(meet(b.reads, w) or meet(b.writes, w) for w in a.writes):
            return True
        return any(
            meet(b.reads, p) or meet(b.writes, p) or any(v != w and is_same(p, q) for q, w in b.changes)
            for p, v in a.changes
        )

    def disturbs(self, a: Touch, b: Touch) -> bool:
        """Whether a puts something into free places that b looks at otherwise."""
        seen = {variable for variable, _ in (*b.reads, *b.writes, *(place for place, _ in b.changes))}
        return any(variable in seen for _, variable in a.free)

    def are_alike(self, a: Free, b: Free) -> bool:
        met = {variable for _, variable in a} & {variable for _, variable in b}
        if not met:
            return True
        of = [{atoms for atoms, variable in free if variable in met} for free in (a, b)]
        return self.alike and of[0] == of[1]

    # What steps touch.

    def touch(self, step: Step, free: dict[str, Fresh]) -> Touch:
        """What a step touches; worked out once for each that stands inside others."""
        if free:
            return self.find_touch(step, free)
        known = self.known.get(id(step))
        if known is None:
            known = self.known[id(step)] = step, self.find_touch(step, free)
        return known[1]

    def find_touch(self, step: Step, free: dict[str, Fresh]) -> Touch:
        match step:
            case Together(assignments) if free:
                return joined([self.assigned(a.target, a.value, free) for a in assignments])
            case Together(assignments):
                return self.written_at_once(assignments)
            case Require(condition):
                ends = {step.property, *((FAULTS,) if self.fails(condition) else ())}
                return self.looked_at(condition, free, ends)
            case Branch(test, then, other):
                inner = [self.touch(s, free) for s in (*then, *other)]
                return joined([self.looked_at(test, free), *inner])
            case Loop(test, body):
                inner = [self.touch(s, free) for s in body]
                return joined([self.looked_at(test, free, {FAULTS}), *inner])
            case Pick(parameter, body):
                assert isinstance(parameter.domain, Fresh)
                inside = {**free, parameter.name: parameter.domain}
                asked = [self.looked_at(e, inside) for e in domain_expressions(parameter.domain)]
                return joined([*asked, *(self.touch(s, inside) for s in body)])

    def written_at_once(self, assignments: tuple[Assign, ...]) -> Touch:
        """What assignments outside of any choice touch."""
        reads: set[tuple[str, Address | None]] = set()
        writes, changes = set(), set()
        ends = False
        for a in assignments:
            place, change = place_of(a.target), self.change(a)
            if change is None:
                writes.add(place)
            else:
                changes.add((place, change))
            for e in (a.value, *a.target.owners, *a.target.indices):
                if not isinstance(e, Literal):
                    own = {place} if change is not None and e is a.value else NOWHERE
                    reads |= self.gathering.reads(e) - own
                    ends = ends or self.fails(e)
            ends = ends or not self.fits(a.target, a.value) or self.fails(a.target)
        return Touch(frozenset(reads), frozenset(writes), frozenset(changes), ends=frozenset([FAULTS] if ends else []))

    def change(self, a: Assign) -> Change | None:
        """What becomes of a place, if that depends on nothing but the place, or adds an operand that does not."""
        if isinstance(a.value, Literal):
            return a.value.value
        if (operator := self.gathered(a)) is not None:
            return operator
        is_own = all(part == a.target for part in walk(a.value) if isinstance(part, Read))
        return a if is_own and self.gathering.reads(a.value) == {place_of(a.target)} else None

    def gathered(self, a: Assign) -> Operator | None:
        """The operator of ``x := x || e`` or ``x := x && e``, where x is one place, of which e says nothing, and where
        both have a value: the order of several of these cannot be seen."""
        match a.value:
            case Apply(Operator.OR | Operator.AND as operator, operands) if operands.count(a.target) == 1:
                place = place_of(a.target)
                others = [e for e in operands if e != a.target]
                said = any(meet(self.gathering.reads(e), place) for e in others)
                known = place[1] is not None and not said and not any(map(self.fails, operands))
                return operator if known else None
            case _:
                return None

    def looked_at(self, e: Expr, free: dict[str, Fresh], ends: set[str] | None = None) -> Touch:
        if ends is None:
            ends = {FAULTS} if self.fails(e) else set()
        if not free:
            return Touch(self.gathering.reads(e), ends=frozenset(ends))
        reads = [part for part in walk(e) if isinstance(part, Read)]
        own = frozenset(f for part in reads for f in chosen(part, free))
        others = [part for part in reads if not chosen(part, free)]
        return Touch(frozenset(map(place_of, others)), free=own, ends=frozenset(ends))

    def assigned(self, target: Read, value: Expr, free: dict[str, Fresh]) -> Touch:
        looked_at = [e for e in (value, *target.owners, *target.indices) if not isinstance(e, Literal)]
        parts = joined([self.looked_at(e, free) for e in looked_at])
        ends = parts.ends if self.fits(target, value) and not self.fails(target) else parts.ends | {FAULTS}
        if own := chosen(target, free):
            return replace(parts, free=parts.free | own)
        return replace(parts, writes=parts.writes | {place_of(target)}, ends=ends)

    def fits(self, target: Read, value: Expr) -> bool:
        """Whether a value is surely one of the target's type."""
        type = self.system.variable[target.variable].type
        match value:
            case Literal(v):
                return contains(type, v)
            case Read(variable):
                return self.system.variable[variable].type == type
            case Condition(_, then, other):
                return self.fits(target, then) and self.fits(target, other)
            case Apply(Operator.PRESENT, (inner, _)):
                return self.fits(target, inner)
            case _:
                return False


def chosen(e: Read, free: dict[str, Fresh]) -> Free:
    """The free places that e is one of."""
    names = [owner.name for owner in e.owners if isinstance(owner, Bound) and owner.name in free]
    return frozenset((free[name].atoms, e.variable) for name in names)


def joined(touches: list[Touch]) -> Touch:
    if len(touches) < 2:
        return touches[0] if touches else NOTHING
    return Touch(
        NOWHERE.union(*(t.reads for t in touches)),
        NOWHERE.union(*(t.writes for t in touches)),
        frozenset().union(*(t.changes for t in touches)),
        frozenset().union(*(t.free for t in touches)),
        frozenset().union(*(t.ends for t in touches)),
    )
